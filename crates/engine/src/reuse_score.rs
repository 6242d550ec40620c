//! The reuse score: the probability that a tool result or the text of an edit is needed again. It
//! decides which results a rewrite reduces first.
//!
//! A logistic regression over the facts about the result, its file and its age. The weights were
//! fitted on half of the recorded sessions by `foveal-dev-bench fit-score`, which prints them with
//! their quality on the other half. The decisive figure is the expected use per token: a
//! long result is more likely to be needed, but not in proportion to its length.

use crate::entry_facts::EntryFacts;
use crate::file_interest::FileInterestTable;
use crate::reduction_level::ResultAge;
use foveal_tool_effects::EffectKind;
use foveal_transcript::EntryIndex;

/// Number of features.
pub const FEATURE_COUNT: usize = 13;

/// Names of the features, in order, for reports.
pub const FEATURE_NAMES: [&str; FEATURE_COUNT] = [
    "bias", "read", "whole", "search", "run", "edit", "idle", "asked", "edited", "tokens", "named",
    "reread", "error",
];

/// Fitted weights of the features.
pub const FEATURE_WEIGHTS: [f64; FEATURE_COUNT] =
    [-6.70, -0.18, 0.39, -0.63, -1.32, -1.91, -1.0, 0.55, -0.5, 0.81, 0.10, -0.24, -1.63];

/// Returns the features of a result before a request: a constant; whether it shows a file, all of
/// it; hits; a run; an edit's echo; ln(1 + requests since its last use); whether a user's text
/// named its file; whether that file was edited by or after the call; ln(1 + tokens); whether the
/// file was named or read since; whether the result is an error.
pub fn reuse_features(
    facts: &EntryFacts,
    life: &ResultAge,
    interest: &FileInterestTable,
    request: u32,
) -> [f64; FEATURE_COUNT] {
    let file = interest.interest_in_files(facts);
    let kind = if facts.has_long_edit { EffectKind::Edit } else { facts.kind() };
    let flag = |yes: bool| f64::from(u8::from(yes));
    [
        1.0,
        flag(kind == EffectKind::Read),
        flag(kind == EffectKind::Read && facts.reads_whole_file),
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

/// Returns the probability that a result will be needed again.
pub fn reuse_probability(features: &[f64; FEATURE_COUNT], weights: &[f64; FEATURE_COUNT]) -> f64 {
    let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// A predictor of reuse in place of the regression, for comparison.
pub trait ReusePredictor: std::fmt::Debug + Send + Sync {
    /// Returns the probability that the answer to request `request` or a later one will need a
    /// result; `None` falls back to the regression.
    fn probability(&self, result: EntryIndex, request: u32) -> Option<f64>;
}
