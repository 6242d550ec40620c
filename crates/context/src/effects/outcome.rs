//! Whether a call was carried out, as its result tells.

use super::{Effect, EffectKind};
use crate::transcript::ToolResult;

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
const REFUSALS: [&str; 12] = [
    "not found",
    "no such file",
    "no replacement was performed",
    "did not appear verbatim",
    "no match",
    "multiple occurrences",
    "multiple matches",
    "does not exist",
    "has not been read yet",
    "no changes to",
    "proposed edit has introduced new syntax error",
    "permission denied",
];

/// What a call's result says of it.
pub fn outcome(effect: &Effect, result: &ToolResult) -> Outcome {
    match effect.kind {
        EffectKind::Edit | EffectKind::Write => {
            // Further down the result may quote the file, which may say anything.
            let first = result.content.trim_start().lines().next().unwrap_or_default();
            let first = first.to_lowercase();
            let refused =
                effect.command.is_none() && REFUSALS.iter().any(|words| first.contains(words));
            match (result.is_error || refused, effect.command.is_some()) {
                (false, _) => Outcome::Done,
                (true, false) => Outcome::Refused,
                // One command of several may have failed after another had written.
                (true, true) => Outcome::Unclear,
            }
        }
        EffectKind::Read | EffectKind::Search | EffectKind::List if result.is_error => {
            Outcome::Refused
        }
        _ if result.is_error => Outcome::Unclear,
        _ => Outcome::Done,
    }
}
