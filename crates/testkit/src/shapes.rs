//! Conversations of odd shapes, and a table of how long something takes with each, beside a plain
//! one of the same size.

use std::fmt::Write;
use std::time::Duration;

use foveal_transcript::{Conversation, Mark, Role};
use serde_json::json;

use crate::fixture::Builder;

/// The engine's own profiles.
pub const PROFILES: &[&str] = &["lossless", "balanced", "max"];

/// The name of a shape, and about so many bytes of it.
pub type Shape<T> = (&'static str, fn(usize) -> T);

/// What stands above the columns: a profile each, and how many times longer the longest takes than
/// that of the plain shape.
pub fn head(bytes: usize) -> String {
    let mut head = format!("{bytes} bytes each, seconds\n\n{:<44}", "");
    for profile in PROFILES {
        let _ = write!(head, "{profile:>10}");
    }
    head + &format!("{:>10}\n", "factor")
}

/// Tells `print` a row for each shape, the plain one first, as soon as it is measured: of the
/// others only those whose names have `wanted` in them. `time` says how long a profile takes.
pub fn rows<T>(
    shapes: &[Shape<T>],
    wanted: &str,
    bytes: usize,
    mut time: impl FnMut(&T, &str) -> Duration,
    mut print: impl FnMut(&str),
) {
    let mut plain = None;
    for (at, (name, shape)) in shapes.iter().enumerate() {
        if at > 0 && !name.contains(wanted) {
            continue;
        }
        let made = shape(bytes);
        let times: Vec<f64> =
            PROFILES.iter().map(|profile| time(&made, profile).as_secs_f64()).collect();
        let mut row = format!("{name:<44}");
        for time in &times {
            let _ = write!(row, "{time:>10.2}");
        }
        let longest = times.iter().copied().fold(0.0, f64::max);
        print(&format!("{row}{:>10.1}", longest / *plain.get_or_insert(longest)));
    }
}

/// A conversation in which a command prints `output` so many times.
pub fn results(count: usize, output: &str) -> Conversation {
    let mut script = Builder::default();
    script.message(Role::User, Mark::None, "run it");
    for at in 0..count {
        script.message(Role::Assistant, Mark::None, "");
        script.call("Bash", json!({"command": format!("./it {at}")}));
        script.result(output, false);
    }
    script.message(Role::Assistant, Mark::None, "done");
    script.finish()
}

/// A conversation of so many short messages each of both sides.
pub fn messages(pairs: usize) -> Conversation {
    let mut script = Builder::default();
    for _ in 0..pairs {
        script.message(Role::User, Mark::None, "go on");
        script.message(Role::Assistant, Mark::None, "I go on");
    }
    script.finish()
}

/// About so many bytes of lines that all differ.
pub fn plain(bytes: usize) -> String {
    (0..bytes / 36).map(|at| format!("line {at} says that {} was made\n", at * 7 % 1013)).collect()
}
