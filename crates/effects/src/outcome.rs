//! Whether a call was carried out, as its result tells.

use crate::effect::{Effect, EffectKind};
use foveal_transcript::ToolResult;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was carried out.
    Done,
    /// Some of it may have happened.
    Unclear,
    /// Nothing happened.
    Refused,
}

/// What edit tools say when they change nothing although the client flags no error.
const REFUSALS: [&str; 22] = [
    "not found",
    "no such file",
    "no replacement was performed",
    "did not appear verbatim",
    "no match",
    "multiple occurrences",
    "multiple matches",
    "matches of",
    "not unique",
    "but found",
    "does not exist",
    "has not been read yet",
    "no changes",
    "no edits",
    "proposed edit has introduced new syntax error",
    "permission denied",
    "doesn't want to",
    "denied",
    "rejected",
    "cancelled",
    "invalid",
    "not allowed",
];

/// How results begin that tell of a failure.
const FAILURES: [&str; 9] = [
    "error",
    "failed",
    "failure",
    "could not",
    "couldn't",
    "cannot",
    "can't",
    "unable",
    "<tool_use_error>",
];

/// What edit tools say when they are done; SWE-agent prints the file's window.
const SUCCESSES: [&str; 16] = [
    "success",
    "updated",
    "edited",
    "created",
    "written",
    "wrote",
    "replaced",
    "applied",
    "saved",
    "inserted",
    "overwritten",
    "modified",
    "done",
    "ok",
    "[file:",
    "added",
];

/// The first line that says something, in small letters. Further down a result may quote the
/// file, which may say anything.
fn head(result: &ToolResult) -> String {
    let lines = result.content.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty()).map(str::to_lowercase);
    match (lines.next(), lines.next()) {
        // A heading of its own.
        (Some(first), Some(second)) if first == "error:" => format!("{first} {second}"),
        (first, _) => first.unwrap_or_default(),
    }
}

/// Whether an edit tool's result says in so many words that the edit was made. What is not
/// understood is no confirmation.
pub fn is_confirmed(effect: &Effect, result: &ToolResult) -> bool {
    let head = head(result);
    of_edit(effect, result, &head) == Outcome::Done
        && SUCCESSES.iter().any(|words| head.contains(words))
}

/// What a call's result says of it.
pub fn outcome(effect: &Effect, result: &ToolResult) -> Outcome {
    match effect.kind {
        EffectKind::Edit | EffectKind::Write => of_edit(effect, result, &head(result)),
        EffectKind::Read | EffectKind::Search | EffectKind::List if result.is_error => {
            Outcome::Refused
        }
        _ if result.is_error => Outcome::Unclear,
        _ => Outcome::Done,
    }
}

fn of_edit(effect: &Effect, result: &ToolResult, head: &str) -> Outcome {
    let refused = effect.command.is_none()
        && (FAILURES.iter().any(|words| head.starts_with(words))
            || REFUSALS.iter().any(|words| head.contains(words)));
    match (result.is_error || refused, effect.command.is_some()) {
        (false, _) => Outcome::Done,
        (true, false) => Outcome::Refused,
        // One command of several may have failed after another had written.
        (true, true) => Outcome::Unclear,
    }
}

#[cfg(test)]
mod tests;
