//! The bound on expected losses where nothing is cached.
//!
//! Without a cache every request may drop for free the results that earlier ones left, and a
//! threshold on each single result adds up. So the expected uses of all reduced results are bounded
//! too, as a share of the expected uses of all results: a session that keeps using much of what it
//! read also keeps more of it.

use super::candidate::RewriteCandidate;
use super::inputs::RewriteInputs;
use super::reduction::use_probability;
use crate::overrides::OverrideState;
use crate::reduction_level::ReductionLevel;
use foveal_transcript::EntryIndex;

/// Removes the candidates (in window order) that would exceed the bound together with earlier
/// reductions. Those with the least use per token are kept in the list first.
pub(super) fn limit_loss(ask: &RewriteInputs<'_>, candidates: &mut Vec<&RewriteCandidate>) {
    if candidates.is_empty() {
        return;
    }
    let (mut gone, all) = expected_uses(ask);
    let most = ask.settings.loss_max * all;
    candidates.sort_by(|one, other| {
        one.uses.total_cmp(&other.uses).then(one.position.cmp(&other.position))
    });
    candidates.retain(|candidate| {
        let more = result_use(ask, candidate.index).unwrap_or(0.0);
        let is_within = gone + more <= most;
        gone += if is_within { more } else { 0.0 };
        is_within
    });
    candidates.sort_by_key(|candidate| candidate.position);
}

/// Returns the expected uses of reduced results, and of all results. Results that the user dropped
/// do not count.
fn expected_uses(ask: &RewriteInputs<'_>) -> (f64, f64) {
    let (mut gone, mut all) = (0.0, 0.0);
    for index in &ask.entries.reducible {
        let item = ask.entries.state(*index);
        let stands =
            ask.window.find(*index).is_some() && item.override_state != OverrideState::Dropped;
        let Some(uses) = result_use(ask, *index).filter(|_| stands) else { continue };
        all += uses;
        gone += if item.level == ReductionLevel::Arrival { 0.0 } else { uses };
    }
    (gone, all)
}

/// Returns the probability that a result will be used; `None` for other entries.
fn result_use(ask: &RewriteInputs<'_>, index: EntryIndex) -> Option<f64> {
    let life = ask.entries.state(index).age.as_ref()?;
    Some(use_probability(ask, index, ask.record.facts(index), life))
}
