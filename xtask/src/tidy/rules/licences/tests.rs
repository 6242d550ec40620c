use super::*;
use crate::tidy::graph::{EdgeKind, graph_of};
use crate::tidy::rules::printed::printed;

#[test]
fn expressions_are_understood() {
    let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("MIT OR GPL-3.0", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("MIT AND Zlib", true),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("GPL-3.0 OR MIT AND Zlib", true),
        ("(GPL-3.0 OR Zlib) AND Unicode-3.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
        ("(MIT", false),
        ("MIT Zlib", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn packages_under_other_licences_are_found() {
    let mut graph = graph_of(&[("foveal", &[("copyleft", EdgeKind::Normal)])]);
    graph.packages[1].licence = Some("GPL-3.0".to_owned());
    let tree = Tree { graph, allowed_licences: vec!["MIT".to_owned()], ..Tree::default() };
    assert_eq!(
        printed(check, &tree),
        "deny.toml:1: `copyleft` comes under `GPL-3.0`, which is not allowed; drop it, or \
         allow the licence here\n"
    );
}
