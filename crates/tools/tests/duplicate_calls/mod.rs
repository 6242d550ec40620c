//! Tests of the detection of duplicate calls.

mod laws;
mod similarity;
mod tracker;

use foveal_tool_effects::path;
use foveal_tools::duplicate_calls::{CallQuery, CallTracker, LookupMiss};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

/// A tracker with words as results and dependencies.
type Words = CallTracker<String, String>;

/// Case-insensitive paths, resolved against `/w`.
fn path_key(text: &str) -> String {
    path::resolve(text, Some("/w")).to_lowercase()
}

fn ask(tracker: &Words, tool: &str, arguments: Value) -> CallQuery {
    tracker.new_query(tool, arguments, &path_key)
}

fn read(tracker: &Words, path: &str) -> CallQuery {
    ask(tracker, "read_file", json!({ "path": path }))
}

fn at(seconds: i64) -> Timestamp {
    Timestamp(1_000_000 + seconds * 1000)
}

/// Carries out a call.
fn done(tracker: &mut Words, session: &str, asked: &CallQuery, result: &str, seconds: i64) {
    tracker.record(session, asked.clone(), result.to_owned(), "fresh".to_owned(), at(seconds));
}

/// Returns the answer of the session: the recorded result, or the miss.
fn looked_up(tracker: &mut Words, session: &str, asked: &CallQuery, seconds: i64) -> String {
    match tracker.look_up(session, asked, at(seconds), |_| true) {
        Ok(hit) => hit.record.result.clone(),
        Err(miss) => format!("{miss:?}"),
    }
}

/// Looks up a call, and confirms the answer.
fn taken(tracker: &mut Words, session: &str, asked: &CallQuery, seconds: i64) -> String {
    let answer = looked_up(tracker, session, asked, seconds);
    if !is_miss(&answer) {
        tracker.confirm_hit(session, asked, 10);
    }
    answer
}

fn is_miss(answer: &str) -> bool {
    [
        LookupMiss::New,
        LookupMiss::TooOld,
        LookupMiss::AskedAgain,
        LookupMiss::Never,
        LookupMiss::Off,
    ]
    .iter()
    .any(|miss| format!("{miss:?}") == answer)
}
