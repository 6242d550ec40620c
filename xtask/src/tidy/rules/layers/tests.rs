use super::*;
use crate::tidy::rules::printed::findings_in_graph;
use EdgeKind::{Dev, Normal};

fn check_graph(rows: &[(&str, &[(&str, EdgeKind)])], expected: &str) {
    assert_eq!(findings_in_graph(check, rows), expected);
}

#[test]
fn edges_of_the_table_pass() {
    check_graph(
        &[
            ("foveal-context", &[("serde", Normal), ("foveal-testkit", Dev)]),
            ("foveal-wire", &[("foveal-transcript", Normal)]),
            ("foveal-testkit", &[("foveal-context", Normal)]),
            ("foveal-replay", &[("foveal-context", Normal), ("foveal-wire", Dev)]),
            ("foveal", &[("foveal-wire", Normal), ("anyhow", Normal)]),
        ],
        "",
    );
}

#[test]
fn other_edges_are_found() {
    check_graph(
        &[("foveal-context", &[("foveal-wire", Normal)]), ("foveal-wire", &[])],
        "crates/foveal-context/Cargo.toml:1: `foveal-context` depends on `foveal-wire`, \
         against the layers; move the code or the edge (foveal-context may use: foveal-effects, \
         foveal-secrets, foveal-transcript)\n",
    );
    check_graph(
        &[("foveal-wire", &[("foveal-testkit", Normal)]), ("foveal-testkit", &[])],
        "crates/foveal-wire/Cargo.toml:1: `foveal-wire` depends on `foveal-testkit`, which \
         is for tests; make it a dev-dependency\n",
    );
    check_graph(
        &[("foveal-replay", &[("foveal-wire", Normal)]), ("foveal-wire", &[])],
        "crates/foveal-replay/Cargo.toml:1: `foveal-replay` depends on `foveal-wire`, against \
         the layers; move the code or the edge (foveal-replay may use: foveal-context, \
         foveal-effects, foveal-transcript)\n",
    );
    check_graph(
        &[("foveal-replay", &[("anyhow", Normal)])],
        "crates/foveal-replay/Cargo.toml:1: `foveal-replay` depends on `anyhow`, which is \
         for foveal and foveal-dev-bench and xtask; use a thiserror enum\n",
    );
    check_graph(
        &[("foveal-elsewhere", &[])],
        "crates/foveal-elsewhere/Cargo.toml:1: `foveal-elsewhere` is in no layer; add it to \
         ALLOWED in xtask/src/tidy/rules/layers.rs\n",
    );
}

#[test]
fn the_table_has_no_cycle_and_nothing_rests_on_the_program() {
    let mut below: Vec<&str> = Vec::new();
    while below.len() < ALLOWED.len() {
        let next = ALLOWED.iter().find(|(name, uses)| {
            !below.contains(name) && uses.iter().all(|used| below.contains(used))
        });
        let (name, _) = next.expect("the layers have a cycle");
        below.push(name);
    }
    assert!(ALLOWED.iter().all(|(_, uses)| !uses.contains(&"foveal")));
}
