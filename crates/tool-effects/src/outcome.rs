//! The outcome of a call, as its result states it.

use crate::effect::{Effect, EffectKind};
use foveal_transcript::ToolResult;

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The call was carried out.
    Done,
    /// The call may have been carried out in part.
    Unclear,
    /// The call changed nothing.
    Refused,
}

/// Phrases with which edit tools report that they changed nothing although the client flags no
/// error.
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

/// Beginnings of results that report a failure.
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

/// Returns the first non-empty line, in lower case. Later lines may quote the file, and may say
/// anything.
fn first_text_line(result: &ToolResult) -> String {
    let lines = result.content.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty()).map(str::to_lowercase);
    match (lines.next(), lines.next()) {
        // The heading stands on a line of its own.
        (Some(first), Some(second)) if first == "error:" => format!("{first} {second}"),
        (first, _) => first.unwrap_or_default(),
    }
}

/// Returns the outcome of a call by its result.
pub fn call_outcome(effect: &Effect, result: &ToolResult) -> CallOutcome {
    match effect.kind {
        EffectKind::Edit | EffectKind::Write => {
            edit_outcome(effect, result, &first_text_line(result))
        }
        EffectKind::Read | EffectKind::Search | EffectKind::List if result.is_error => {
            CallOutcome::Refused
        }
        _ if result.is_error => CallOutcome::Unclear,
        _ => CallOutcome::Done,
    }
}

fn edit_outcome(effect: &Effect, result: &ToolResult, head: &str) -> CallOutcome {
    let refused = effect.command.is_none()
        && (FAILURES.iter().any(|words| head.starts_with(words))
            || REFUSALS.iter().any(|words| head.contains(words)));
    match (result.is_error || refused, effect.command.is_some()) {
        (false, _) => CallOutcome::Done,
        (true, false) => CallOutcome::Refused,
        // One command of several may have failed after another had written.
        (true, true) => CallOutcome::Unclear,
    }
}

#[cfg(test)]
mod tests;
