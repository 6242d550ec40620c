use super::*;
use crate::tidy::graph::{EdgeKind, graph_of};
use crate::tidy::rules::printed::printed;

fn check_source(source: Option<&str>, expected: &str) {
    let mut graph = graph_of(&[("cli", &[("parser", EdgeKind::Normal)])]);
    graph.packages[1].source = source.map(str::to_owned);
    let allowed_registries = vec!["https://crates.example/index".to_owned()];
    let tree = Tree { graph, allowed_registries, ..Tree::default() };
    assert_eq!(printed(check, &tree), expected);
}

#[test]
fn other_sources_are_found() {
    check_source(Some("registry+https://crates.example/index"), "");
    check_source(
        Some("registry+https://elsewhere.example/index"),
        "Cargo.lock:1: `parser` comes from registry+https://elsewhere.example/index, which \
         deny.toml does not allow; take a published version\n",
    );
    check_source(
        Some("git+https://crates.example/index"),
        "Cargo.lock:1: `parser` comes from git+https://crates.example/index, which deny.toml \
         does not allow; take a published version\n",
    );
    check_source(
        None,
        "Cargo.lock:1: `parser` comes from a folder outside the workspace, which deny.toml \
         does not allow; take a published version\n",
    );
}

#[test]
fn wildcards_are_found() {
    let mut graph = graph_of(&[("cli", &[])]);
    graph.packages[0].wildcards = vec!["parser".to_owned()];
    assert_eq!(
        printed(check, &Tree { graph, ..Tree::default() }),
        "crates/cli/Cargo.toml:1: `parser` in any version; name the one that is needed\n"
    );
}
