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
