//! Candidates for a rewrite, with the tokens that each would save and its expected uses.

use super::inputs::RewriteInputs;
use super::reduction::{next_note_reduction, next_reduction, uses_per_thousand};
use crate::entry_facts::EntryFacts;
use crate::overrides::OverrideState;
use crate::plan_step::EntryState;
use crate::reduction_level::{ReductionLevel, ResultAge};
use crate::settings::RewriteSettings;
use foveal_tool_effects::EffectKind;
use foveal_transcript::EntryIndex;

/// A result that could be reduced further.
pub(super) struct RewriteCandidate {
    pub(super) index: EntryIndex,
    /// Position in the window.
    pub(super) position: usize,
    pub(super) level: ReductionLevel,
    /// Whether the result was reduced before; only a rewrite at the high mark reduces it further.
    pub(super) was_reduced: bool,
    /// Estimated tokens that the reduction saves.
    pub(super) saving: u64,
    /// Expected uses per thousand of its tokens.
    pub(super) uses: f64,
    /// Whether it is the latest read of a file that this session edited.
    pub(super) is_critical: bool,
    /// Cost of carrying `saving` since it became dead weight, in input tokens.
    pub(super) carrying_cost: f64,
}

/// The results that a rewrite may reduce, by how often the model has seen them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateScope {
    /// Results that arrived some requests ago.
    Old,
    /// Results that the model has seen.
    Seen,
    /// All results, including those that arrive with this request.
    All,
}

impl CandidateScope {
    /// Returns how many requests must have shown a result before it may be reduced.
    fn requests_min(self, settings: &RewriteSettings) -> u32 {
        match self {
            Self::Old => settings.recent_requests,
            Self::Seen => 1,
            Self::All => 0,
        }
    }
}

/// Returns every result in scope that may be reduced further.
pub(super) fn find_candidates(
    ask: &RewriteInputs<'_>,
    reach: CandidateScope,
) -> Vec<RewriteCandidate> {
    let requests = ask.history.request_count();
    let read_ratio = ask.config.prices.read_ratio();
    let mut found = Vec::new();
    for index in &ask.entries.reducible {
        let item = ask.entries.state(*index);
        let Some(life) = &item.age else { continue };
        let since = match item.override_state {
            OverrideState::Pinned | OverrideState::Dropped => continue,
            // The user had it sent again.
            OverrideState::Whole => life.last_use,
            OverrideState::Free => life.arrived,
        };
        let recent = requests - since < reach.requests_min(ask.settings);
        let has_less = item.tokens >= ask.settings.tokens_min && item.level != ReductionLevel::Note;
        if !has_less || recent || ask.has_override(*index) {
            continue;
        }
        let Some(position) = ask.window.find(*index) else { continue };
        if position < ask.request.rewritable_from {
            continue;
        }
        let facts = ask.record.facts(*index);
        // The model's own words stay.
        if facts.has_long_edit {
            continue;
        }
        let is_new = requests == life.arrived;
        let reduced = next_reduction_in_scope(ask, facts, item, reach, is_new);
        let Some((level, saving)) = reduced else { continue };
        let dead_for = life.dead_since.map_or(0, |since| requests - since);
        found.push(RewriteCandidate {
            index: *index,
            position,
            level,
            was_reduced: item.level != ReductionLevel::Arrival,
            saving,
            uses: uses_per_thousand(ask, *index, facts, life),
            is_critical: is_critical_read(ask, facts, life),
            carrying_cost: f64::from(dead_for) * saving as f64 * read_ratio,
        });
    }
    found
}

/// Returns whether a result is the latest read of a file that this session edited.
fn is_critical_read(ask: &RewriteInputs<'_>, facts: &EntryFacts, life: &ResultAge) -> bool {
    let file = ask.entries.interest.interest_in_files(facts);
    facts.kind() == EffectKind::Read
        && file.edited.is_some()
        && file.read.is_none_or(|at| at <= life.arrived)
}

/// Returns the next level of a result in scope, and the tokens that it saves.
fn next_reduction_in_scope(
    ask: &RewriteInputs<'_>,
    facts: &EntryFacts,
    item: &EntryState,
    reach: CandidateScope,
    is_new: bool,
) -> Option<(ReductionLevel, u64)> {
    let less = next_reduction(ask.config.old_reads(), facts, item);
    match (reach, less) {
        (CandidateScope::Old, less) => less,
        // The model must see something of each result.
        (_, less) if is_new => less
            .or_else(|| next_note_reduction(item))
            .map(|(_, saving)| (ReductionLevel::Reduced, saving)),
        // An outline may be as long as the file.
        (_, Some((ReductionLevel::Reduced, _))) if ask.config.old_reads().is_none() => {
            next_note_reduction(item)
        }
        (_, less) => less.or_else(|| next_note_reduction(item)),
    }
}
