//! Duplicate calls: what is one, and what is remembered.

mod laws;
mod similarity;
mod tracker;

use foveal_calls::{CallTracker, Declared, Miss, Query};
use foveal_effects::path;
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

/// A tracker whose results and dependencies are words.
type Words = CallTracker<String, String>;

/// Paths without regard to case, seen from `/w`.
fn path_key(text: &str) -> String {
    path::resolve(text, Some("/w")).to_lowercase()
}

fn ask(tracker: &Words, tool: &str, arguments: Value) -> Query {
    tracker.query(tool, Declared::Other, arguments, &path_key)
}

fn read(tracker: &Words, path: &str) -> Query {
    ask(tracker, "read_file", json!({ "path": path }))
}

fn at(seconds: i64) -> Timestamp {
    Timestamp(1_000_000 + seconds * 1000)
}

/// Carries a call out.
fn done(tracker: &mut Words, session: &str, asked: &Query, result: &str, seconds: i64) {
    tracker.record(session, asked.clone(), result.to_owned(), "fresh".to_owned(), at(seconds));
}

/// What the session answers: the recorded result, or why there is none.
fn looked_up(tracker: &mut Words, session: &str, asked: &Query, seconds: i64) -> String {
    match tracker.look_up(session, asked, at(seconds), |_| true) {
        Ok(hit) => hit.record.result.clone(),
        Err(miss) => format!("{miss:?}"),
    }
}

/// The same, with the answer taken.
fn taken(tracker: &mut Words, session: &str, asked: &Query, seconds: i64) -> String {
    let answer = looked_up(tracker, session, asked, seconds);
    if !is_miss(&answer) {
        tracker.confirm(session, asked, 10);
    }
    answer
}

fn is_miss(answer: &str) -> bool {
    [Miss::New, Miss::TooOld, Miss::AskedAgain, Miss::Never, Miss::Off]
        .iter()
        .any(|miss| format!("{miss:?}") == answer)
}
