//! Which crate of the workspace may depend on which: one on a lower floor. A crate that is on no
//! floor is refused, so that a new one is a decision someone reads. Tests may use every crate.

use crate::tidy::finding::Place;
use crate::tidy::graph::EdgeKind;
use crate::tidy::tree::{Limits, Tree};

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for (package, folder) in tree.graph.members() {
        let manifest = format!("{folder}/Cargo.toml");
        let Some(floor) = floor(&tree.limits, &package.name) else {
            let what = format!("`{}` has no floor; add it to xtask/tidy.toml", package.name);
            places.push(Place::new(manifest, 1, what));
            continue;
        };
        let edges = package.depends.iter().filter(|(_, kind)| *kind == EdgeKind::Normal);
        for (to, _) in edges {
            let to = tree.graph.packages[*to].name.as_str();
            if let Some(objection) = objection(&tree.limits, &package.name, floor, to) {
                let what = format!("`{}` depends on `{to}`, {objection}", package.name);
                places.push(Place::new(manifest.clone(), 1, what));
            }
        }
    }
    places
}

/// The number of the floor that `package` is on, from 0 at the ground.
fn floor(limits: &Limits, package: &str) -> Option<usize> {
    limits.floors.iter().position(|floor| floor.iter().any(|name| name == package))
}

/// The reason why `package`, which is on `floor`, may not depend on `to`.
fn objection(limits: &Limits, package: &str, floor_of_package: usize, to: &str) -> Option<String> {
    if limits.for_tests.iter().any(|name| name == to) {
        return Some("which is for tests; make it a dev-dependency".to_owned());
    }
    if let Some(users) = limits.reserved.get(to)
        && !users.iter().any(|user| user == package)
    {
        return Some(format!("which is for {}; use a thiserror enum", users.join(" and ")));
    }
    let is_above = floor(limits, to).is_some_and(|floor| floor >= floor_of_package);
    is_above.then(|| "which is not on a lower floor; move the code or the dependency".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::graph::graph_of;
    use crate::tidy::rules::printed::printed;
    use EdgeKind::{Dev, Normal};

    fn check_graph(rows: &[(&str, &[(&str, EdgeKind)])], expected: &str) {
        let floors = [vec!["values"], vec!["engine", "reader"], vec!["bench", "program"]];
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let limits = Limits {
            floors: floors.map(owned).into(),
            for_tests: owned(vec!["bench"]),
            reserved: [("anyhow".to_owned(), owned(vec!["program"]))].into(),
            ..Limits::default()
        };
        let tree = Tree { graph: graph_of(rows), limits, ..Tree::default() };
        assert_eq!(printed(check, &tree), expected);
    }

    #[test]
    fn edges_to_lower_floors_pass() {
        check_graph(
            &[
                ("values", &[("serde", Normal), ("engine", Dev)]),
                ("engine", &[("values", Normal), ("bench", Dev)]),
                ("program", &[("reader", Normal), ("values", Normal), ("anyhow", Normal)]),
                ("reader", &[]),
                ("bench", &[]),
            ],
            "",
        );
    }

    #[test]
    fn other_edges_are_found() {
        for (from, to, objection) in [
            ("values", "engine", "which is not on a lower floor; move the code or the dependency"),
            ("engine", "reader", "which is not on a lower floor; move the code or the dependency"),
            ("program", "bench", "which is for tests; make it a dev-dependency"),
            ("engine", "anyhow", "which is for program; use a thiserror enum"),
        ] {
            let expected =
                format!("crates/{from}/Cargo.toml:1: `{from}` depends on `{to}`, {objection}\n");
            check_graph(&[(from, &[(to, Normal)])], &expected);
        }
    }

    #[test]
    fn crates_on_no_floor_are_found() {
        let expected = "crates/new/Cargo.toml:1: `new` has no floor; add it to xtask/tidy.toml\n";
        check_graph(&[("new", &[])], expected);
    }
}
