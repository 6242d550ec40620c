use super::*;
use crate::tidy::graph::graph_of;
use crate::tidy::rules::printed::printed;

fn check_map(map: Option<&str>, expected: &str) {
    let tree = Tree {
        graph: graph_of(&[("engine", &[]), ("wire", &[])]),
        architecture: map.map(str::to_owned),
        ..Tree::default()
    };
    assert_eq!(printed(check, &tree), expected);
}

#[test]
fn a_crate_without_a_row_is_found() {
    check_map(
        Some("`wire` reads.\n\n| crate | |\n| `crates/engine` | pure |\n"),
        "ARCHITECTURE.md:1: no table row names `crates/wire`; add one that says what it is \
         for\n",
    );
    check_map(Some("| `engine/` `wire` | |\n| `crates/engine/` | |"), "");
    check_map(None, "");
}
