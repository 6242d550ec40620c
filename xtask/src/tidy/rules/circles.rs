//! No import loops: the module files of a crate use one another in one direction only, so
//! that each can be understood, tested and moved with what is below it and nothing else.
//!
//! A file uses another when its code outside tests names something that the other defines;
//! imports are followed through re-exports to where a thing is defined. Declaring a module and
//! handing a name on is no use of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::tidy::finding::Place;
use crate::tidy::modules::{Modules, Target};
use crate::tidy::source::Source;
use crate::tidy::tree::Tree;

/// Crates that still have loops. The list only ever shrinks.
const EXCUSED: &[&str] = &[
    "crates/bench",
    "crates/cli",
    "crates/code",
    "crates/context",
    "crates/embedder",
    "crates/index",
    "crates/mcp",
    "crates/store",
    "crates/wire",
];

/// For each file, the files it uses and the names it takes from them.
type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let sources: HashMap<&str, &Source> =
        tree.sources.iter().map(|source| (source.path.as_str(), source)).collect();
    let roots = tree.sources.iter().filter_map(|source| {
        let folder = source.path.strip_suffix("/src/lib.rs");
        let folder = folder.or_else(|| source.path.strip_suffix("/src/main.rs"))?;
        (!EXCUSED.contains(&folder)).then_some(source.path.as_str())
    });
    let loops = |root| loops(&uses(&Modules::read(root, &sources)));
    roots.flat_map(loops).collect()
}

/// Who uses whom in a crate.
fn uses(crate_: &Modules) -> Uses {
    let mut uses = Uses::new();
    for (at, module) in crate_.modules.iter().enumerate() {
        let imports = module.imports.iter().filter(|import| !import.is_reexport);
        let named = imports.filter(|import| import.name.is_some()).map(|import| &import.segments);
        for path in named.chain(&module.paths) {
            match crate_.resolve(at, path) {
                Some(Target::Item { file, name }) if file != module.file => {
                    let of_file = uses.entry(module.file.clone()).or_default();
                    of_file.entry(file).or_default().insert(name);
                }
                _ => {}
            }
        }
    }
    uses
}

/// The loops, each as a finding at its first file.
fn loops(uses: &Uses) -> Vec<Place> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (file.as_str(), reached_from(file, uses))).collect();
    let mut places = Vec::new();
    let mut told = BTreeSet::new();
    for (file, from_here) in reached.iter().filter(|(file, from_here)| from_here.contains(*file)) {
        if told.contains(file) {
            continue;
        }
        let leads_back = |other: &&str| reached.get(other).is_some_and(|r| r.contains(file));
        let members: BTreeSet<&str> = from_here.iter().copied().filter(leads_back).collect();
        places.push(Place::new(*file, 1, told_loop(&members, uses)));
        told.extend(members);
    }
    places
}

/// Every file that `file` uses, itself or through others.
fn reached_from<'a>(file: &'a str, uses: &'a Uses) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![file];
    while let Some(file) = waiting.pop() {
        for next in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(next.as_str()) {
                waiting.push(next);
            }
        }
    }
    reached
}

/// What a finding says: who takes which names from whom.
fn told_loop(members: &BTreeSet<&str>, uses: &Uses) -> String {
    let mut text = format!(
        "{} files use one another in a loop; move what they share to a file below them",
        members.len()
    );
    for from in members {
        for (to, names) in uses.get(*from).into_iter().flatten() {
            if members.contains(to.as_str()) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                text.push_str(&format!("\n    {from} -> {to}: {}", names.join(", ")));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::findings_in;

    /// Runs the rule on the files of one crate, given by their paths in its `src`, and gives
    /// the edges of the loops as `from -> to: names`, one a line.
    fn edges(files: &[(&str, &str)]) -> String {
        let paths: Vec<String> = files.iter().map(|(path, _)| format!("new/src/{path}")).collect();
        let files: Vec<(&str, &str)> =
            paths.iter().map(String::as_str).zip(files.iter().map(|(_, text)| *text)).collect();
        let printed = findings_in(check, &files);
        let edges = printed.lines().filter_map(|line| line.strip_prefix("    "));
        edges.map(|edge| edge.replace("new/src/", "") + "\n").collect()
    }

    const ROOT: (&str, &str) = ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::*;");

    #[test]
    fn loops_are_found_however_they_are_spelled() {
        let back = ("b.rs", "pub struct B(crate::a::A);");
        for from in [
            "use crate::b::B; pub struct A;",
            "use super::b::{B as Other, self}; pub struct A;",
            "use crate::B; pub struct A;",
            "use super::*; pub struct A(Option<B>);",
            "pub struct A(crate::b::B);",
            "use crate::b; pub struct A(b::B);",
            "pub struct A; impl A { fn f() { super::b::B::new() } }",
            "pub struct A; fn f() -> u8 { use crate::b::B; 1 }",
            "macro_rules! m { () => { $crate::b::B } } pub struct A;",
            "mod inner { use super::super::b::B; } pub struct A;",
        ] {
            let found = edges(&[ROOT, ("a.rs", from), back]);
            assert_eq!(found, "a.rs -> b.rs: B\nb.rs -> a.rs: A\n", "{from}");
        }
    }

    #[test]
    fn other_sources_pass() {
        let back = ("b.rs", "pub struct B(crate::a::A);");
        for from in [
            "pub struct A; // crate::b::B",
            "pub struct A; const TEXT: &str = \"crate::b::B\";",
            "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
            "pub struct A; #[cfg(test)] use crate::b::B;",
            "pub struct A { b: other::B } fn f(x: A) { x.b.B }",
            "pub use crate::b::B; pub struct A;",
            "use crate::b; pub struct A;",
        ] {
            assert_eq!(edges(&[ROOT, ("a.rs", from), back]), "", "{from}");
        }
    }

    #[test]
    fn a_parent_that_uses_what_it_hands_on_is_in_the_loop() {
        let child = ("a/child.rs", "use super::Shared; pub struct Child;");
        let root = ("lib.rs", "mod a;");
        let declares = "mod child; mod shared; pub use child::Child; pub use shared::Shared;";
        let shared = ("a/shared.rs", "pub struct Shared;");
        assert_eq!(edges(&[root, ("a/mod.rs", declares), child, shared]), "");
        let uses = "mod child; pub use child::Child; pub struct Shared; fn f(c: Child) {}";
        assert_eq!(
            edges(&[root, ("a/mod.rs", uses), child]),
            "a/child.rs -> a/mod.rs: Shared\na/mod.rs -> a/child.rs: Child\n"
        );
    }

    #[test]
    fn modules_are_found_by_folder_and_by_path() {
        let root = ("lib.rs", "mod a;");
        let a = ("a.rs", "mod low; #[path = \"a/high_one.rs\"] mod high; pub fn f() { high::g() }");
        let low = ("a/low.rs", "use super::f;");
        assert_eq!(
            edges(&[root, a, low, ("a/high_one.rs", "use super::f as own; pub fn g() {}")]),
            "a.rs -> a/high_one.rs: g\na/high_one.rs -> a.rs: f\n"
        );
    }

    #[test]
    fn a_finding_names_the_files_and_what_ties_them() {
        let files = [
            ("new/src/main.rs", "mod a; mod b; mod c;"),
            ("new/src/a.rs", "use crate::b::{f, g}; pub fn k() {}"),
            ("new/src/b.rs", "pub fn f() { crate::c::h() } pub fn g() {}"),
            ("new/src/c.rs", "pub fn h() { crate::a::k() }"),
        ];
        assert_eq!(
            findings_in(check, &files),
            "new/src/a.rs:1: 3 files use one another in a loop; move what they share to a file \
             below them\n    \
             new/src/a.rs -> new/src/b.rs: f, g\n    \
             new/src/b.rs -> new/src/c.rs: h\n    \
             new/src/c.rs -> new/src/a.rs: k\n"
        );
    }
}
