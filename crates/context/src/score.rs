//! How likely a tool result, or the text of an edit, is to be needed again: the score that decides what goes first.
//!
//! A logistic regression over what is known about the result, its file and its age. The
//! weights were fitted on half of the recorded sessions by the replay crate's example
//! `fit_score`, which prints them with their quality on the other half. What counts is the
//! expected use per token: a long result is likelier to be needed, but not in proportion.

use crate::facts::Facts;
use crate::interest::Interest;
use crate::level::Life;
use foveal_effects::EffectKind;
use foveal_transcript::EntryIndex;

/// Number of features.
pub const FEATURES: usize = 13;

/// Names of the features, in order, for reports.
pub const NAMES: [&str; FEATURES] = [
    "bias", "read", "whole", "search", "run", "edit", "idle", "asked", "edited", "tokens", "named",
    "reread", "error",
];

/// Weights of the features.
pub const WEIGHTS: [f64; FEATURES] =
    [-6.70, -0.18, 0.39, -0.63, -1.32, -1.91, -1.0, 0.55, -0.5, 0.81, 0.10, -0.24, -1.63];

/// What the score knows about a result before a request: a constant; whether it shows a
/// file, all of it; hits; a run; an edit's echo; ln(1 + requests since it was last used);
/// whether a user's text named its file; whether that was edited by or after the call;
/// ln(1 + tokens); whether the file was named or read since; whether the result is an error.
pub fn features(facts: &Facts, life: &Life, interest: &Interest, request: u32) -> [f64; FEATURES] {
    let file = interest.in_files_of(facts);
    let kind = if facts.edits.is_empty() { facts.kind() } else { EffectKind::Edit };
    let flag = |yes: bool| f64::from(u8::from(yes));
    [
        1.0,
        flag(kind == EffectKind::Read),
        flag(kind == EffectKind::Read && facts.reads_whole),
        flag(matches!(kind, EffectKind::Search | EffectKind::List)),
        flag(kind == EffectKind::Run),
        flag(matches!(kind, EffectKind::Edit | EffectKind::Write)),
        f64::from(request.saturating_sub(life.last_use)).ln_1p(),
        flag(file.asked.is_some()),
        flag(file.edited.is_some_and(|at| at >= life.arrived)),
        (facts.tokens.0 as f64).ln_1p(),
        flag(file.named.is_some_and(|at| at > life.arrived)),
        flag(file.read.is_some_and(|at| at > life.arrived)),
        flag(facts.is_error),
    ]
}

/// The probability that a result will be needed again.
pub fn probability(features: &[f64; FEATURES], weights: &[f64; FEATURES]) -> f64 {
    let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Another judge of results than the regression, for comparing with it.
pub trait Score: std::fmt::Debug + Send + Sync {
    /// The probability that a result will be needed again by the answer to request `request` or a
    /// later one; `None`: what the regression says.
    fn probability(&self, result: EntryIndex, request: u32) -> Option<f64>;
}
