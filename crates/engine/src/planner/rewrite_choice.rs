//! Rewrites: the rare, batched changes of results that were already sent.
//!
//! A result is *dead weight* once it has been idle for a while. Dead weight is dropped
//! - for free, when the cache is cold or the client rewrote its history;
//! - when the budget's high mark is passed;
//! - when carrying it has cost a given multiple of a rewrite (ski rental: the total is at most (1 +
//!   multiple) times the optimum in hindsight).
//!
//! Some results are reduced earlier, as long as little stands behind them: see
//! [`early_reduction`].

mod candidate;
mod early_reduction;
pub(super) mod inputs;
mod loss;
mod reduction;

use self::candidate::{CandidateScope, RewriteCandidate, find_candidates};
use self::early_reduction::ReductionCandidate;
use self::inputs::RewriteInputs;
use crate::plan_step::RewriteReason;
use crate::policies::content_reset::ResetMarks;
use crate::reduction_level::ReductionLevel;
use crate::settings::RewriteSettings;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// The outcome of a choice: the results to reduce now.
#[derive(Debug, Clone, Default)]
pub(super) struct RewriteChoice {
    /// Results with their new levels.
    pub(super) levels: Vec<(EntryIndex, ReductionLevel)>,
    /// The reason why the rewrite happens now.
    pub(super) reason: Option<RewriteReason>,
    /// Results that are dead weight now, in window order; all others are not.
    pub(super) dead_weight: Vec<EntryIndex>,
}

/// Chooses the results to reduce before the next request, if any.
pub(super) fn choose_rewrite(ask: &RewriteInputs<'_>) -> RewriteChoice {
    let candidates = find_candidates(ask, CandidateScope::Old);
    let dead: Vec<_> =
        candidates.iter().filter(|candidate| is_dead_weight(ask, candidate)).collect();
    let seen = early_reduction::find_candidates(ask);
    let choice = |chosen: &[&RewriteCandidate], reason, from| {
        let levels = with_early_reductions(chosen, &seen, from);
        let reason = (!levels.is_empty()).then_some(reason);
        let dead = dead.iter().map(|candidate| candidate.index).collect();
        RewriteChoice { levels, reason, dead_weight: dead }
    };
    let tokens = prompt_tokens(ask);
    if ask.request.compacts {
        let chosen = least_used(&candidates, requested_saving(tokens, ask.settings));
        if !chosen.is_empty() {
            let reason = ask.request.free_reason.unwrap_or(RewriteReason::Compacted);
            return choice(&chosen, reason, first_position(&chosen));
        }
    }
    let further = candidates_for_window(ask, &candidates, tokens);
    if let Some(further) = &further {
        let reason = ask.request.free_reason.unwrap_or(RewriteReason::HighMark);
        let chosen = least_used(further, (tokens - window_target_tokens(ask.settings)).0);
        return choice(&chosen, reason, first_position(&chosen));
    }
    if tokens > ask.settings.high && is_worthwhile(ask, &candidates) {
        let reason = ask.request.free_reason.unwrap_or(RewriteReason::HighMark);
        let chosen = choose_for_size(ask, &candidates, tokens);
        return choice(&chosen, reason, first_position(&chosen));
    }
    let mut free: Vec<_> =
        dead.iter().copied().filter(|candidate| is_free_to_rewrite(ask, candidate)).collect();
    if ask.config.prices.cache_lifetime_ms.is_none() {
        loss::limit_loss(ask, &mut free);
    }
    if let Some(reason) = ask.request.free_reason {
        // Results before a cut can wait for the next request.
        return choice(&free, reason, ask.request.free_from());
    }
    if let Some(from) = ski_rental_start(ask, &dead, 1.0) {
        let behind = dead.partition_point(|candidate| candidate.position < from);
        return choice(&dead[behind..], RewriteReason::SkiRental, from);
    }
    let first = seen.len() - early_reduction::profitable_count(ask, &seen);
    let from = seen.get(first).map_or(usize::MAX, |first| first.position);
    choice(&[], RewriteReason::LookedOnce, from)
}

/// Predicts the reductions of a rewrite with the next request, if one is near, so that callers can
/// prepare it. New entries may still change it. The prediction excludes rewrites that a pause or an
/// override causes, and early reductions of single results.
pub(super) fn predict_rewrite(ask: &RewriteInputs<'_>) -> Vec<(EntryIndex, ReductionLevel)> {
    if ask.request.free_reason.is_some() {
        // The rewrite is free whenever that request is sent, for instance because nothing is
        // cached.
        return choose_rewrite(ask).levels;
    }
    let candidates = find_candidates(ask, CandidateScope::Old);
    let (tokens, high) = (prompt_tokens(ask), ask.settings.high);
    let is_near = tokens.0 + high.0 / NEAR_PART > high.0;
    let (chosen, from) = if is_near && is_worthwhile(ask, &candidates) {
        let chosen = choose_for_size(ask, &candidates, tokens.max(high));
        let from = first_position(&chosen);
        (chosen, from)
    } else {
        let mut dead: Vec<_> =
            candidates.iter().filter(|candidate| is_dead_weight(ask, candidate)).collect();
        let Some(from) = ski_rental_start(ask, &dead, NEAR_RENT) else { return Vec::new() };
        dead.retain(|candidate| candidate.position >= from);
        (dead, from)
    };
    with_early_reductions(&chosen, &early_reduction::find_candidates(ask), from)
}

/// Returns further candidates if the prompt exceeds the model's window and would do so without
/// `old`, too; `None` if `old` suffices.
fn candidates_for_window(
    ask: &RewriteInputs<'_>,
    old: &[RewriteCandidate],
    tokens: Tokens,
) -> Option<Vec<RewriteCandidate>> {
    let tokens_max = ask.config.tokens_max().filter(|most| tokens > *most)?;
    let fits = |candidates: &[RewriteCandidate]| {
        let saving = candidates.iter().map(|candidate| candidate.saving).sum::<u64>();
        // Savings are estimates, and this rewrite must be sufficient: count half.
        tokens.0.saturating_sub(saving / 2) <= tokens_max.0
    };
    if fits(old) && is_worthwhile(ask, old) {
        return None;
    }
    let seen = find_candidates(ask, CandidateScope::Seen);
    Some(if fits(&seen) { seen } else { find_candidates(ask, CandidateScope::All) })
}

/// Returns the target size of a prompt that exceeded the window. It is above the low mark, since
/// the reduced results may be in use.
fn window_target_tokens(settings: &RewriteSettings) -> Tokens {
    Tokens(settings.low.0.midpoint(settings.high.0))
}

/// A rewrite is near if the prompt is within this part of the high mark below it.
const NEAR_PART: u64 = 16;

/// A rewrite is near if it would pay with this multiple of the carrying cost so far.
const NEAR_RENT: f64 = 1.25;

fn prompt_tokens(ask: &RewriteInputs<'_>) -> Tokens {
    Tokens(ask.window.system.prelude.0 + ask.window.tokens.total().0)
}

/// Returns whether a rewrite for size saves enough. If little is left to save, acting on the mark
/// would break the cache at every request.
fn is_worthwhile(ask: &RewriteInputs<'_>, candidates: &[RewriteCandidate]) -> bool {
    let possible = candidates.iter().map(|candidate| candidate.saving).sum::<u64>();
    possible >= (ask.settings.high - ask.settings.low).0 / WORTHWHILE_PART
}

/// Chooses the reductions that bring a prompt of `tokens` below the low mark. Critical reads stay
/// if the others bring it far enough below the high mark.
fn choose_for_size<'c>(
    ask: &RewriteInputs<'_>,
    candidates: &'c [RewriteCandidate],
    tokens: Tokens,
) -> Vec<&'c RewriteCandidate> {
    let marks = ResetMarks { high: ask.settings.high, low: ask.settings.low };
    let others = || candidates.iter().filter(|candidate| !candidate.is_critical);
    let possible = others().map(|candidate| candidate.saving).sum::<u64>();
    let goal = (tokens - marks.low).0;
    // Savings are estimates, and the others must be sufficient: count half.
    match tokens.0.saturating_sub(possible / 2) <= marks.critical_mark().0 {
        true => least_used(others(), goal),
        false => least_used(candidates, goal),
    }
}

fn is_free_to_rewrite(ask: &RewriteInputs<'_>, candidate: &RewriteCandidate) -> bool {
    ask.request.free_reason.is_some() && candidate.position >= ask.request.free_from()
}

fn is_dead_weight(ask: &RewriteInputs<'_>, candidate: &RewriteCandidate) -> bool {
    let factor = match (is_free_to_rewrite(ask, candidate), ask.config.prices.cache_lifetime_ms) {
        (true, Some(_)) => ask.settings.free_factor,
        (true, None) => ask.settings.uncached_factor,
        (false, _) => 1.0,
    };
    !candidate.was_reduced && candidate.uses < ask.settings.uses_min * factor
}

/// Returns the tokens to save if the user asks for a shorter prompt: the prompt size is treated as
/// the high mark, and the low mark is scaled with it.
fn requested_saving(tokens: Tokens, settings: &RewriteSettings) -> u64 {
    let (high, low) = (settings.high.0.max(1) as f64, settings.low.0 as f64);
    (tokens.0 as f64 * (1.0 - low / high)) as u64
}

/// Returns the new levels of `chosen`, and of the early-reduction candidates from window position
/// `from` on: nothing behind it is cached any longer.
fn with_early_reductions(
    chosen: &[&RewriteCandidate],
    seen: &[ReductionCandidate],
    from: usize,
) -> Vec<(EntryIndex, ReductionLevel)> {
    let mut levels: Vec<_> = chosen.iter().map(|one| (one.index, one.level)).collect();
    let more = seen.iter().filter(|one| one.position >= from);
    let more = more.filter(|one| chosen.iter().all(|chosen| chosen.index != one.index));
    levels.extend(more.map(|one| (one.index, ReductionLevel::Reduced)));
    levels.sort_by_key(|(index, _)| *index);
    levels
}

fn first_position(chosen: &[&RewriteCandidate]) -> usize {
    chosen.first().map_or(usize::MAX, |first| first.position)
}

/// Smallest part of the distance from the high to the low mark that a rewrite for size must save.
const WORTHWHILE_PART: u64 = 4;

/// Returns the candidates with the least expected use that together save `goal` tokens, or all
/// candidates, in window order.
fn least_used<'c>(
    candidates: impl IntoIterator<Item = &'c RewriteCandidate>,
    goal: u64,
) -> Vec<&'c RewriteCandidate> {
    if goal == 0 {
        return Vec::new();
    }
    let mut ranked: Vec<_> = candidates.into_iter().collect();
    ranked.sort_by(|one, other| {
        one.uses.total_cmp(&other.uses).then(one.position.cmp(&other.position))
    });
    let mut saved = 0;
    let enough = ranked.iter().position(|candidate| {
        saved += candidate.saving;
        saved >= goal
    });
    ranked.truncate(enough.map_or(ranked.len(), |last| last + 1));
    ranked.sort_by_key(|candidate| candidate.position);
    ranked
}

/// Returns the position with the largest surplus of a rewrite from there on, if any is positive.
/// The carrying cost is multiplied by `factor`.
fn ski_rental_start(
    ask: &RewriteInputs<'_>,
    dead: &[&RewriteCandidate],
    factor: f64,
) -> Option<usize> {
    let premium = ask.config.prices.write_premium();
    let mut saved = 0u64;
    let mut rent = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for candidate in dead.iter().rev() {
        saved += candidate.saving;
        let tail = ask.window.tokens.suffix_tokens(candidate.position).0.saturating_sub(saved);
        rent += candidate.carrying_cost * factor;
        let surplus = rent - ask.settings.rental * premium * tail as f64;
        if surplus > 0.0 && best.is_none_or(|(most, _)| surplus > most) {
            best = Some((surplus, candidate.position));
        }
    }
    best.map(|(_, position)| position)
}
