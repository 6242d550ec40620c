use super::*;

#[test]
fn paths_are_resolved_by_spelling() {
    let rows = [
        ("a.rs", Some("/w"), "/w/a.rs"),
        ("./a//b/../c.rs", Some("/w/"), "/w/a/c.rs"),
        ("../a", Some("/w/x"), "/w/a"),
        ("../../../a", Some("/w"), "/a"),
        ("/x/./y", Some("/w"), "/x/y"),
        ("~/x/../y", Some("/w"), "~/y"),
        ("~/..", None, "~/.."),
        ("a/../../b", None, "../b"),
        ("a", Some("../w"), "../w/a"),
        ("../../b", Some("w"), "../b"),
        ("..", Some("w"), "."),
        ("", Some("/w"), "/w"),
        ("", None, "."),
        ("/", None, "/"),
        ("/..", None, "/"),
        ("ü/…/é", Some("/w"), "/w/ü/…/é"),
        ("C:\\a b", Some("/w"), "C:\\a b"),
        ("C:/a", Some("/w"), "C:/a"),
    ];
    for (path, directory, expected) in rows {
        assert_eq!(resolve(path, directory), expected, "{path} in {directory:?}");
    }
}
