//! Every package is something to trust, to build and to keep up to date.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let (count, max) = (tree.locked_crates, tree.limits.crates_max);
    if count <= max {
        return Vec::new();
    }
    let what = format!(
        "{count} packages, more than {max}; drop a dependency, or raise crates_max in xtask/tidy.toml and say why"
    );
    vec![Place::new("Cargo.lock", 1, what)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::printed;
    use crate::tidy::tree::Limits;

    #[test]
    fn too_many_packages_are_found() {
        let tree = |locked_crates| {
            let limits = Limits { crates_max: 1, ..Limits::default() };
            Tree { locked_crates, limits, ..Tree::default() }
        };
        assert_eq!(printed(check, &tree(1)), "");
        assert_eq!(
            printed(check, &tree(2)),
            "Cargo.lock:1: 2 packages, more than 1; drop a dependency, or raise crates_max in \
             xtask/tidy.toml and say why\n"
        );
    }
}
