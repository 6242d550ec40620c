//! The time to look up a call among fifty recorded ones.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use foveal_tool_effects::path;
use foveal_tools::duplicate_calls::{CallSettings, CallTracker};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

type Tracker = CallTracker<u64, ()>;

fn key(text: &str) -> String {
    path::resolve(text, Some("/home/user/project"))
}

/// Returns the arguments of call number `at` of a tool.
fn arguments(tool: &str, at: usize) -> Value {
    match tool {
        "read_lines" => {
            json!({ "path": format!("crates/engine/src/file_{at}.rs"), "start": 10, "end": 90 })
        }
        "read_file" => json!({ "path": format!("crates/engine/src/file_{at}.rs") }),
        "grep" => json!({
            "pattern": format!("fn look_up_{at}"),
            "path": "crates/engine",
            "glob": "*.rs",
            "context": at,
        }),
        _ => json!({
            "query": format!("names of {at}"),
            "kind": "function",
            "limit": 20,
            "page": at,
            "public": true,
        }),
    }
}

fn look_up(criterion: &mut Criterion) {
    let now = Timestamp(0);
    for tool in ["read_file", "read_lines", "grep", "unknown"] {
        let mut tracker = Tracker::new(CallSettings::default());
        // All of one tool: the slowest case.
        for at in 1..=50 {
            let asked = tracker.new_query(tool, arguments(tool, at), &key);
            tracker.record("session", asked, 0, (), now);
        }
        for (what, at) in [("first of 50", 1), ("none of 50", 99)] {
            let name = format!("{tool}: ask and look up, {what}");
            criterion.bench_function(&name, |bencher| {
                bencher.iter_batched(
                    || arguments(tool, at),
                    |arguments| {
                        let asked = tracker.new_query(tool, arguments, &key);
                        let hit = tracker.look_up("session", &asked, now, |_| true);
                        black_box(hit.is_ok());
                        asked
                    },
                    criterion::BatchSize::SmallInput,
                );
            });
            let asked = tracker.new_query(tool, arguments(tool, at), &key);
            criterion.bench_function(&format!("{tool}: look up, {what}"), |bencher| {
                bencher
                    .iter(|| black_box(tracker.look_up("session", &asked, now, |_| true).is_ok()));
            });
        }
    }
}

criterion_group!(benches, look_up);
criterion_main!(benches);
