//! Rewrites: the rare, batched changes of results that were already sent.
//!
//! A result is *dead weight* once it has been idle for a while. Dead weight is dropped when
//! that is free (the cache is cold, the client rewrote), when the budget's high mark is
//! passed, or when what it cost to carry it has reached a multiple of what a rewrite costs: ski
//! rental, which is never worse than one more than that multiple of the best choice in hindsight.

use serde::{Deserialize, Serialize};

use crate::facts::{Facts, Side};
use crate::note::{Counts, Note, NoteKind};
use crate::planner::{Item, Planner};
use crate::record::Record;
use crate::score;
use crate::settings::RewriteSettings;
use crate::shape::ShapeKind;
use crate::shaping::draft::{Draft, Gap};
use crate::shaping::{outline, view};
use crate::views::{OldReads, View};
use foveal_effects::EffectKind;
use foveal_transcript::EntryIndex;

/// How far a result has been reduced.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Level {
    /// As it was shaped when it came.
    #[default]
    Arrival,
    /// What matters of it.
    Reduced,
    /// A note with its handle.
    Note,
}

impl Level {
    /// The levels that show more, nearest first.
    pub(crate) fn below(self) -> &'static [Level] {
        match self {
            Level::Arrival => &[],
            Level::Reduced => &[Level::Arrival],
            Level::Note => &[Level::Reduced, Level::Arrival],
        }
    }
}

/// Why a rewrite is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RewriteReason {
    /// The provider's cache has expired, so all is written anew anyway.
    CacheCold,
    /// The client compacted or went back.
    ClientRewrote,
    /// The budget's high mark is passed.
    HighMark,
    /// Carrying what is not needed has cost as much as rewriting will.
    SkiRental,
    /// The profile decides anew for every request, whatever that costs.
    Recomputed,
}

impl RewriteReason {
    /// The words used in reports and messages.
    pub fn words(self) -> &'static str {
        match self {
            RewriteReason::CacheCold => "the cache had expired",
            RewriteReason::ClientRewrote => "the client compacted or went back",
            RewriteReason::HighMark => "the prompt was too long",
            RewriteReason::SkiRental => "carrying them had cost more than a rewrite",
            RewriteReason::Recomputed => "the profile decides anew for every request",
        }
    }
}

/// What a choice depends on, beside the planner's state.
pub struct Ask<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// The settings.
    pub settings: &'a RewriteSettings,
    /// A moment at which rewriting is free.
    pub reason: Option<RewriteReason>,
    /// The first window position from which it is free; what stands before is still cached.
    pub free_from: usize,
}

/// What to rewrite.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Results and their new levels.
    pub levels: Vec<(EntryIndex, Level)>,
    /// Why now.
    pub reason: Option<RewriteReason>,
}

/// A result that could be reduced further.
struct Candidate {
    index: EntryIndex,
    /// Place in the window.
    position: usize,
    level: Level,
    /// Whether it is a result that was reduced before; only the high mark takes it further.
    again: bool,
    /// Tokens it would lose, estimated.
    saving: u64,
    /// Uses expected of a thousand of its tokens.
    uses: f64,
    /// What carrying the saving has cost since it became dead weight, in input tokens.
    rent: f64,
}

/// Which results to reduce before the next request, if any.
pub fn choose(planner: &mut Planner, ask: &Ask<'_>) -> Choice {
    let candidates = candidates(planner, ask);
    let is_free =
        |candidate: &Candidate| ask.reason.is_some() && candidate.position >= ask.free_from;
    let is_dead = |candidate: &&Candidate| {
        let factor = if is_free(candidate) { ask.settings.free_factor } else { 1.0 };
        !candidate.again && candidate.uses < ask.settings.uses_min * factor
    };
    let dead: Vec<_> = candidates.iter().filter(is_dead).collect();
    planner.mark_dead(dead.iter().map(|candidate| candidate.index));
    let take = |chosen: &[&Candidate], reason| Choice {
        levels: chosen.iter().map(|candidate| (candidate.index, candidate.level)).collect(),
        reason: (!chosen.is_empty()).then_some(reason),
    };
    let tokens = planner.tokens();
    let possible: u64 = candidates.iter().map(|candidate| candidate.saving).sum();
    // Where little is left to take, acting on the mark would break the cache at every request.
    let worthwhile = (ask.settings.high - ask.settings.low).0 / WORTHWHILE_PART;
    if tokens > ask.settings.high && possible >= worthwhile {
        let goal = (tokens - ask.settings.low).0;
        return take(&least_used(&candidates, goal), ask.reason.unwrap_or(RewriteReason::HighMark));
    }
    let free: Vec<_> = dead.iter().copied().filter(|candidate| is_free(candidate)).collect();
    if let Some(reason) = ask.reason {
        // What stands before a cut can wait for the next request.
        return take(&free, reason);
    }
    match rental_start(planner, ask, &dead) {
        Some(from) => {
            let behind = dead.partition_point(|candidate| candidate.position < from);
            take(&dead[behind..], RewriteReason::SkiRental)
        }
        None => Choice::default(),
    }
}

/// Part of the way from the high to the low mark that a rewrite for size must lead at least.
const WORTHWHILE_PART: u64 = 4;

/// The candidates of least expected use that together save `goal` tokens, or all of them, in
/// window order.
fn least_used(candidates: &[Candidate], goal: u64) -> Vec<&Candidate> {
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

/// The position from which rewriting has paid for itself by the most, if any has.
fn rental_start(planner: &Planner, ask: &Ask<'_>, dead: &[&Candidate]) -> Option<usize> {
    let prices = planner.prices();
    let premium = prices.write_ratio() - prices.read_ratio();
    let window = planner.window();
    let mut tail = 0u64;
    let mut rent = 0.0;
    let mut best: Option<(f64, usize)> = None;
    let mut next = window.len();
    for candidate in dead.iter().rev() {
        for index in &window[candidate.position..next] {
            tail += planner.item(*index).tokens.0;
        }
        next = candidate.position;
        tail = tail.saturating_sub(candidate.saving);
        rent += candidate.rent;
        let surplus = rent - ask.settings.rental * premium * tail as f64;
        if surplus > 0.0 && best.is_none_or(|(most, _)| surplus > most) {
            best = Some((surplus, candidate.position));
        }
    }
    best.map(|(_, position)| position)
}

/// Every result that may be reduced further, with what that saves and risks.
fn candidates(planner: &Planner, ask: &Ask<'_>) -> Vec<Candidate> {
    let read_ratio = planner.prices().read_ratio();
    let mut found = Vec::new();
    for (position, index) in planner.window().iter().enumerate() {
        let (Some(life), item) = (planner.life(*index), planner.item(*index)) else { continue };
        let recent = planner.requests() - life.arrived < ask.settings.recent_requests;
        if item.tokens < ask.settings.tokens_min || recent {
            continue;
        }
        let facts = ask.record.facts(*index);
        let uses = || {
            let features = score::features(facts, life, planner.interest(), planner.requests());
            let probability = score::probability(&features, &ask.settings.weights);
            probability * 1000.0 / item.tokens.0 as f64
        };
        let is_edit = !facts.edits.is_empty();
        let reduced = if is_edit {
            less_of_edit(ask.settings, facts, item.level, uses)
        } else {
            less_of_result(planner.old_reads(), facts, item)
                .map(|(level, saving)| (level, saving, uses()))
        };
        let Some((level, saving, uses)) = reduced else { continue };
        let dead_for = life.dead_since.map_or(0, |since| planner.requests() - since);
        found.push(Candidate {
            index: *index,
            position,
            level,
            again: item.level != Level::Arrival && !is_edit,
            saving,
            uses,
            rent: f64::from(dead_for) * saving as f64 * read_ratio,
        });
    }
    found
}

/// The next level of a result and the tokens that it saves.
fn less_of_result(
    old_reads: Option<&OldReads>,
    facts: &Facts,
    item: &Item,
) -> Option<(Level, u64)> {
    let of_read = || match old_reads {
        Some(old) if facts.printed.lines.len() >= old.lines_min as usize => {
            old.wanted.tokens_left(item.tokens)
        }
        Some(_) | None => item.tokens.0 / 4,
    };
    let (level, left) = match (facts.kind(), item.level) {
        // Reports of other agents, answers, plans: what was asked for once is not looked up.
        (EffectKind::Other, _) | (_, Level::Note) => return None,
        (EffectKind::Read, Level::Arrival) => (Level::Reduced, of_read()),
        (_, Level::Arrival | Level::Reduced) => (Level::Note, NOTE_TOKENS),
    };
    Some((level, item.tokens.0.saturating_sub(left)))
}

/// The next level of a response with edits, the tokens that it saves and its expected uses:
/// what edits took out of a file goes before what they put there.
fn less_of_edit(
    settings: &RewriteSettings,
    facts: &Facts,
    level: Level,
    uses: impl FnOnce() -> f64,
) -> Option<(Level, u64, f64)> {
    let factors = settings.edits.as_ref()?;
    let (old, new) = (facts.edits.tokens(Side::Old).0, facts.edits.tokens(Side::New).0);
    // No level saves more than all of it; the score takes time.
    if level == Level::Note || old + new < settings.tokens_min.0 + NOTE_TOKENS {
        return None;
    }
    let uses = uses();
    let of_new = uses * factors.new_factor;
    let (level, size, uses) = match level {
        Level::Reduced | Level::Note => (Level::Note, new, of_new),
        Level::Arrival if of_new < settings.uses_min || old <= NOTE_TOKENS => {
            (Level::Note, old + new, of_new)
        }
        Level::Arrival => (Level::Reduced, old, uses * factors.old_factor),
    };
    let saving = size.saturating_sub(NOTE_TOKENS);
    (saving >= settings.tokens_min.0).then_some((level, saving, uses))
}

/// Tokens of a note with a handle, about.
const NOTE_TOKENS: u64 = 20;

/// When a result came and was last used, in requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Life {
    /// The request it was first sent with.
    pub arrived: u32,
    /// The last request before which something showed that it still matters.
    pub last_use: u32,
    /// The request since which it has been dead weight without a break.
    pub dead_since: Option<u32>,
}

/// Takes from a draft what its level no longer shows. What the view of a first read left out
/// does not come back; only who chooses what stands for an old read may show it again.
pub fn reduce(draft: &mut Draft<'_>, level: Level, first: Option<&View>) {
    let handle = draft.handle();
    match level {
        Level::Arrival => {}
        Level::Reduced => {
            let mut keep = outline::lines(draft);
            if let Some(first) = first {
                let shown = view::lines_kept(draft, first);
                keep.iter_mut().zip(shown).for_each(|(keep, shown)| *keep &= shown);
            }
            let names = view::Names::default();
            view::leave_out_ranges(draft, &keep, &names, ("outline", ShapeKind::Outline));
        }
        Level::Note => {
            let (lines, bytes) = (draft.len() as u32, draft.content.len() as u32);
            let counts = Counts { lines, bytes, ..Counts::default() };
            let note = Note { counts, handle: Some(handle), ..Note::new(NoteKind::Cleared) };
            draft.leave_out("cleared", 0..draft.len(), Gap::new(ShapeKind::Note, note));
        }
    }
}
