//! Relations of symbols and maps, as agents ask for them.

use foveal_pricing::tokens::Tokenizer;
use serde_json::json;

use crate::world::{World, source};

const SERVER: &str = "\
use crate::retry::back_off;

/// Sends and waits.
pub fn send(attempt: u32) -> u64 {
    back_off(attempt)
}
";

const RETRY: &str = "\
/// Waits longer after each failure.
pub fn back_off(attempt: u32) -> u64 {
    double(attempt)
}

fn double(attempt: u32) -> u64 {
    1 << attempt
}

pub struct Clock;

impl Clock {
    pub fn now(&self) -> u64 {
        0
    }
}

pub struct Timer;

impl Timer {
    pub fn now(&self) -> u64 {
        1
    }
}
";

fn world() -> World {
    let world = World::new();
    world.write("src/lib.rs", "pub mod retry;\npub mod server;\n");
    world.write("src/retry.rs", RETRY);
    world.write("src/server.rs", SERVER);
    world
}

#[test]
fn a_symbol_is_told_with_what_leads_there_and_where_it_leads() {
    let world = world();
    let told = world.call("graph", json!({"symbol": "back_off"}));
    assert_eq!(
        told,
        "src/retry.rs:2 function back_off\n  pub fn back_off(attempt: u32) -> u64 {\n\
         callers (1)\n  src/server.rs:4 function send at 5\n\
         imported by (1)\n  src/server.rs file at 1\n\
         calls (1)\n  src/retry.rs:6 function double\n"
    );
    let deep = world.call("graph", json!({"symbol": "double", "depth": 2}));
    let callers =
        "  src/retry.rs:2 function back_off at 3\n    src/server.rs:4 function send at 5\n";
    assert!(deep.contains(callers), "{deep}");
    // What was written since is known.
    world.write("src/main.rs", "fn main() {\n    foveal::retry::back_off(1);\n}\n");
    let told = world.call("graph", json!({"symbol": "src/retry.rs:back_off"}));
    assert!(told.contains("  src/main.rs:1 function main at 2\n"), "{told}");
}

#[test]
fn calls_that_may_mean_several_things_are_counted() {
    let world = world();
    world.write("src/main.rs", "fn main() {\n    make().now();\n    make().now();\n}\n");
    let told = world.call("graph", json!({"symbol": "src/retry.rs:13"}));
    assert!(told.ends_with("[2 calls of `now` are not resolved: find them with grep]\n"), "{told}");
}

#[test]
fn a_name_of_several_things_is_told_as_such() {
    let world = world();
    let several = world.call("graph", json!({"symbol": "now"}));
    assert_eq!(
        several,
        "[`now` is 2 things; ask again with path:line of one]\n\
         src/retry.rs:13 method Clock.now\nsrc/retry.rs:21 method Timer.now\n"
    );
    // From where commands run, files are called otherwise.
    world.call("bash", json!({"command": "cd src"}));
    let one = world.call("graph", json!({"symbol": "retry.rs:21"}));
    assert!(one.starts_with("retry.rs:21 method Timer.now\n"), "{one}");
    let refused = world.refused("graph", json!({"symbol": "back_of"}));
    assert_eq!(refused, "graph: nothing is called `back_of`; the nearest names are `back_off`");
}

#[test]
fn long_lists_are_cut_to_the_room_of_an_answer() {
    let world = world();
    for at in 0..60 {
        let calls: String = (0..40)
            .map(|call| {
                format!(
                    "pub fn a_rather_long_name_of_a_caller_{at}_{call}() {{\n    back_off(1);\n}}\n"
                )
            })
            .collect();
        world.write(
            &format!("src/callers/of_the_function_{at}.rs"),
            format!("use crate::retry::back_off;\n{calls}"),
        );
    }
    let told = world.call("graph", json!({"symbol": "back_off"}));
    let tokens = Tokenizer::O200k.count(&told).0;
    assert!((2_000..=8_000).contains(&tokens), "{tokens} tokens");
    let callers = told.lines().position(|line| line.starts_with("callers (")).expect("a list");
    let rest = told.lines().skip(callers).find(|line| line.contains("more entries here]"));
    assert!(rest.is_some(), "{told}");
    assert_eq!(told.lines().nth(callers), Some("callers (2401)"), "{told}");
}

#[test]
fn a_map_shows_signatures_and_what_it_is_for_first() {
    let world = world();
    let whole = world.call("map", json!({}));
    for line in ["src/retry.rs (24 lines)", "2→pub fn back_off(attempt: u32) -> u64 {"] {
        assert!(whole.lines().any(|shown| shown.trim_start() == line), "{line}: {whole}");
    }
    let focused = world.call("map", json!({"focus": ["src/server.rs"]}));
    assert!(focused.starts_with("src/server.rs (6 lines)\n4→pub fn send("), "{focused}");
    world.write("src/long.rs", source(400));
    let small = world.call("map", json!({"tokens": 300}));
    assert!(Tokenizer::O200k.count(&small).0 <= 300, "{small}");
    let refused = world.refused("map", json!({"focus": ["no_such_thing"]}));
    assert!(refused.starts_with("map: nothing is called `no_such_thing`"), "{refused}");
}

#[test]
fn what_a_map_showed_does_not_count_as_read() {
    let world = world();
    world.call("map", json!({"focus": ["src/server.rs"]}));
    world.call("graph", json!({"symbol": "send"}));
    let read = world.call("read_file", json!({"path": "src/server.rs"}));
    assert!(read.contains("4→pub fn send(attempt: u32) -> u64 {"), "{read}");
}
