//! The next reduction of a result: its level, its saving and its expected uses.

use super::inputs::{NOTE_TOKENS, RewriteInputs};
use crate::entry_facts::EntryFacts;
use crate::plan_step::EntryState;
use crate::reduction_level::{ReductionLevel, ResultAge};
use crate::reuse_score;
use crate::settings::OldReadSettings;
use foveal_tool_effects::EffectKind;
use foveal_transcript::EntryIndex;

/// Returns the expected uses per thousand tokens of a result.
pub(crate) fn uses_per_thousand(
    ask: &RewriteInputs<'_>,
    index: EntryIndex,
    facts: &EntryFacts,
    life: &ResultAge,
) -> f64 {
    use_probability(ask, index, facts, life) * 1000.0 / ask.entries.state(index).tokens.0 as f64
}

/// Returns the probability that a result will be used again, from 0 to 1.
pub(super) fn use_probability(
    ask: &RewriteInputs<'_>,
    index: EntryIndex,
    facts: &EntryFacts,
    life: &ResultAge,
) -> f64 {
    let request = ask.history.request_count();
    let predictor = ask.config.reuse_predictor.as_ref();
    let other = predictor.and_then(|score| score.probability(index, request));
    other.unwrap_or_else(|| {
        let features = reuse_score::reuse_features(facts, life, &ask.entries.interest, request);
        reuse_score::reuse_probability(&features, &ask.settings.weights)
    })
}

/// Returns the next level of a result and the tokens that it saves.
pub(crate) fn next_reduction(
    old_reads: Option<&OldReadSettings>,
    facts: &EntryFacts,
    item: &EntryState,
) -> Option<(ReductionLevel, u64)> {
    let of_read = || match old_reads {
        Some(old) if facts.printed.lines.len() >= old.lines_min as usize => {
            old.wanted.estimate_tokens(item.tokens)
        }
        Some(_) | None => item.tokens.0 / 4,
    };
    let (level, left) = match (facts.kind(), item.level) {
        // Reports of other agents, answers and plans: a model does not look them up again.
        (EffectKind::Other, _) | (_, ReductionLevel::Note) => return None,
        (EffectKind::Read, ReductionLevel::Arrival) => (ReductionLevel::Reduced, of_read()),
        (_, ReductionLevel::Arrival | ReductionLevel::Reduced) => {
            (ReductionLevel::Note, NOTE_TOKENS)
        }
    };
    Some((level, item.tokens.0.saturating_sub(left)))
}

/// Returns the reduction to a note of a result that is reduced only if the prompt exceeds the
/// window.
pub(super) fn next_note_reduction(item: &EntryState) -> Option<(ReductionLevel, u64)> {
    (item.level == ReductionLevel::Arrival)
        .then(|| (ReductionLevel::Note, item.tokens.0.saturating_sub(NOTE_TOKENS)))
}
