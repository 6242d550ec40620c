//! Rewrites: the rare, batched changes of results that were already sent.
//!
//! A result is *dead weight* once it has been idle for a while. Dead weight is dropped when
//! that is free (the cache is cold, the client rewrote), when the budget's high mark is
//! passed, or when what it cost to carry it has reached a multiple of what a rewrite costs: ski
//! rental, which is never worse than one more than that multiple of the best choice in hindsight.
//! Some results go sooner, as long as little stands behind them: see [`crate::look_once`].

pub mod ask;
mod candidate;
pub(crate) mod less;
mod loss;

use self::ask::Ask;
use self::candidate::{Candidate, Reach, candidates};
use crate::level::Level;
use crate::look_once::{self, Seen};
use crate::settings::RewriteSettings;
use crate::step::RewriteReason;
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// What to rewrite.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Results and their new levels.
    pub levels: Vec<(EntryIndex, Level)>,
    /// Why now.
    pub reason: Option<RewriteReason>,
    /// Results that are dead weight now, in window order; all others are not.
    pub dead: Vec<EntryIndex>,
}

/// Which results to reduce before the next request, if any.
pub fn choose(ask: &Ask<'_>) -> Choice {
    let candidates = candidates(ask, Reach::Old);
    let dead: Vec<_> = candidates.iter().filter(|candidate| is_dead(ask, candidate)).collect();
    let seen = look_once::seen(ask);
    let choice = |chosen: &[&Candidate], reason, from| {
        let levels = with_seen(chosen, &seen, from);
        let reason = (!levels.is_empty()).then_some(reason);
        let dead = dead.iter().map(|candidate| candidate.index).collect();
        Choice { levels, reason, dead }
    };
    let tokens = tokens(ask);
    if ask.compacts {
        let chosen = least_used(&candidates, goal_of_person(tokens, ask.settings));
        if !chosen.is_empty() {
            let reason = ask.reason.unwrap_or(RewriteReason::Compacted);
            return choice(&chosen, reason, first_position(&chosen));
        }
    }
    let further = candidates_for_window(ask, &candidates, tokens);
    if let Some(further) = &further {
        let reason = ask.reason.unwrap_or(RewriteReason::HighMark);
        let chosen = least_used(further, (tokens - goal_for_window(ask.settings)).0);
        return choice(&chosen, reason, first_position(&chosen));
    }
    if tokens > ask.settings.high && is_worthwhile(ask, &candidates) {
        let reason = ask.reason.unwrap_or(RewriteReason::HighMark);
        let chosen = for_size(ask, &candidates, tokens);
        return choice(&chosen, reason, first_position(&chosen));
    }
    let mut free: Vec<_> =
        dead.iter().copied().filter(|candidate| is_free(ask, candidate)).collect();
    if ask.prices.cache_lifetime_ms.is_none() {
        loss::keep_within(ask, &mut free);
    }
    if let Some(reason) = ask.reason {
        // What stands before a cut can wait for the next request.
        return choice(&free, reason, ask.free_from);
    }
    if let Some(from) = rental_start(ask, &dead, 1.0) {
        let behind = dead.partition_point(|candidate| candidate.position < from);
        return choice(&dead[behind..], RewriteReason::SkiRental, from);
    }
    let first = seen.len() - look_once::worthwhile(ask, &seen);
    let from = seen.get(first).map_or(usize::MAX, |first| first.position);
    choice(&[], RewriteReason::LookedOnce, from)
}

/// Which results a rewrite would reduce with the next request, where one is near: for who has time
/// until then. What comes with that request may change it. Not foreseen are those that come of a pause
/// or of what the person wants, nor those of single results that were looked at once.
pub fn foresee(ask: &Ask<'_>) -> Vec<(EntryIndex, Level)> {
    if ask.reason.is_some() {
        // It is free whenever that request comes, as where nothing is cached.
        return choose(ask).levels;
    }
    let candidates = candidates(ask, Reach::Old);
    let (tokens, high) = (tokens(ask), ask.settings.high);
    let is_near = tokens.0 + high.0 / NEAR_PART > high.0;
    let (chosen, from) = if is_near && is_worthwhile(ask, &candidates) {
        let chosen = for_size(ask, &candidates, tokens.max(high));
        let from = first_position(&chosen);
        (chosen, from)
    } else {
        let mut dead: Vec<_> =
            candidates.iter().filter(|candidate| is_dead(ask, candidate)).collect();
        let Some(from) = rental_start(ask, &dead, NEAR_RENT) else { return Vec::new() };
        dead.retain(|candidate| candidate.position >= from);
        (dead, from)
    };
    with_seen(&chosen, &look_once::seen(ask), from)
}

/// What may go where the prompt is longer than the model takes, and would be without `old`, too.
/// `None` where that is enough.
fn candidates_for_window(
    ask: &Ask<'_>,
    old: &[Candidate],
    tokens: Tokens,
) -> Option<Vec<Candidate>> {
    let tokens_max = ask.tokens_max.filter(|most| tokens > *most)?;
    let fits = |candidates: &[Candidate]| {
        let saving = candidates.iter().map(|candidate| candidate.saving).sum::<u64>();
        // What a rewrite saves is an estimate, and this one must do.
        tokens.0.saturating_sub(saving / 2) <= tokens_max.0
    };
    if fits(old) && is_worthwhile(ask, old) {
        return None;
    }
    let seen = candidates(ask, Reach::Seen);
    Some(if fits(&seen) { seen } else { candidates(ask, Reach::All) })
}

/// Tokens of a prompt that was longer than the model takes: what is reduced of it may be in use, so
/// that it is not made as short as at the high mark.
fn goal_for_window(settings: &RewriteSettings) -> Tokens {
    Tokens(settings.low.0.midpoint(settings.high.0))
}

/// A rewrite is near where less than this part of the high mark is missing to it.
const NEAR_PART: u64 = 16;

/// It is near where it would pay if carrying what is not needed had cost so many times as much.
const NEAR_RENT: f64 = 1.25;

/// Tokens of the prompt.
fn tokens(ask: &Ask<'_>) -> Tokens {
    Tokens(ask.prelude.0 + ask.window_tokens.all().0)
}

/// Whether a rewrite for size takes enough: where little is left to take, acting on the mark would
/// break the cache at every request.
fn is_worthwhile(ask: &Ask<'_>, candidates: &[Candidate]) -> bool {
    let possible = candidates.iter().map(|candidate| candidate.saving).sum::<u64>();
    possible >= (ask.settings.high - ask.settings.low).0 / WORTHWHILE_PART
}

/// What goes of a prompt of so many tokens that is too long.
fn for_size<'c>(ask: &Ask<'_>, candidates: &'c [Candidate], tokens: Tokens) -> Vec<&'c Candidate> {
    least_used(candidates, (tokens - ask.settings.low).0)
}

/// Whether reducing it costs nothing.
fn is_free(ask: &Ask<'_>, candidate: &Candidate) -> bool {
    ask.reason.is_some() && candidate.position >= ask.free_from
}

fn is_dead(ask: &Ask<'_>, candidate: &Candidate) -> bool {
    let factor = match (is_free(ask, candidate), ask.prices.cache_lifetime_ms) {
        (true, Some(_)) => ask.settings.free_factor,
        (true, None) => ask.settings.uncached_factor,
        (false, _) => 1.0,
    };
    !candidate.again && candidate.uses < ask.settings.uses_min * factor
}

/// Tokens to save where the person wants a shorter prompt: as if it had just passed the high mark,
/// and the low mark stood as far below it as it does.
fn goal_of_person(tokens: Tokens, settings: &RewriteSettings) -> u64 {
    let (high, low) = (settings.high.0.max(1) as f64, settings.low.0 as f64);
    (tokens.0 as f64 * (1.0 - low / high)) as u64
}

/// The new levels of what is chosen, and of the results from window position `from` on that have
/// been seen: nothing behind it is cached any longer.
fn with_seen(chosen: &[&Candidate], seen: &[Seen], from: usize) -> Vec<(EntryIndex, Level)> {
    let mut levels: Vec<_> = chosen.iter().map(|one| (one.index, one.level)).collect();
    let more = seen.iter().filter(|one| one.position >= from);
    let more = more.filter(|one| chosen.iter().all(|chosen| chosen.index != one.index));
    levels.extend(more.map(|one| (one.index, Level::Reduced)));
    levels.sort_by_key(|(index, _)| *index);
    levels
}

fn first_position(chosen: &[&Candidate]) -> usize {
    chosen.first().map_or(usize::MAX, |first| first.position)
}

/// Part of the way from the high to the low mark that a rewrite for size must lead at least.
const WORTHWHILE_PART: u64 = 4;

/// The candidates of least expected use that together save `goal` tokens, or all of them, in
/// window order.
fn least_used(candidates: &[Candidate], goal: u64) -> Vec<&Candidate> {
    if goal == 0 {
        return Vec::new();
    }
    let mut ranked: Vec<_> = candidates.iter().collect();
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

/// The position from which rewriting has paid for itself by the most, if any has, or would have if
/// carrying had cost `factor` times as much.
fn rental_start(ask: &Ask<'_>, dead: &[&Candidate], factor: f64) -> Option<usize> {
    let premium = ask.prices.premium();
    let mut saved = 0u64;
    let mut rent = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for candidate in dead.iter().rev() {
        saved += candidate.saving;
        let tail = ask.window_tokens.behind(candidate.position).0.saturating_sub(saved);
        rent += candidate.rent * factor;
        let surplus = rent - ask.settings.rental * premium * tail as f64;
        if surplus > 0.0 && best.is_none_or(|(most, _)| surplus > most) {
            best = Some((surplus, candidate.position));
        }
    }
    best.map(|(_, position)| position)
}
