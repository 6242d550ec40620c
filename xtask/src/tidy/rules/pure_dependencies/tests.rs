use super::*;
use crate::tidy::graph::EdgeKind;
use crate::tidy::graph::EdgeKind::{Build, Dev, Normal};
use crate::tidy::rules::printed::findings_in_graph;

fn check_graph(rows: &[(&str, &[(&str, EdgeKind)])], expected: &str) {
    assert_eq!(findings_in_graph(check, rows), expected);
}

#[test]
fn an_effect_deep_in_the_tree_is_found() {
    check_graph(
        &[("protocols", &[("parser", Normal)]), ("parser", &[("getrandom", Normal)])],
        "crates/protocols/Cargo.toml:1: `protocols` links `getrandom` through `parser`; turn off the \
         feature or leave the work to an effect crate\n",
    );
}

#[test]
fn tests_build_scripts_and_effect_crates_may() {
    check_graph(
        &[("context", &[("rand", Dev), ("tempfile", Build)]), ("cli", &[("tokio", Normal)])],
        "",
    );
}
