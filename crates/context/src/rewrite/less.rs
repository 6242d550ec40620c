//! What results and edits become next, what that saves, and how likely they are to be used.

use super::ask::{Ask, NOTE_TOKENS};
use crate::facts::{Facts, Side};
use crate::level::{Level, Life};
use crate::score;
use crate::settings::{OldReads, RewriteSettings};
use crate::step::Item;
use foveal_effects::EffectKind;
use foveal_transcript::EntryIndex;

/// Uses that are expected of a thousand tokens of a result.
pub(crate) fn uses_of_thousand(
    ask: &Ask<'_>,
    index: EntryIndex,
    facts: &Facts,
    life: &Life,
) -> f64 {
    expected_use(ask, index, facts, life) * 1000.0 / ask.item(index).tokens.0 as f64
}

/// How likely a result is to be used, 0 to 1.
pub(super) fn expected_use(ask: &Ask<'_>, index: EntryIndex, facts: &Facts, life: &Life) -> f64 {
    let other = ask.score.and_then(|score| score.probability(index, ask.requests));
    other.unwrap_or_else(|| {
        let features = score::features(facts, life, ask.interest, ask.requests);
        score::probability(&features, &ask.settings.weights)
    })
}

/// The next level of a result and the tokens that it saves.
pub(crate) fn less_of_result(
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

/// The next level of a result that goes only where the prompt fits no window with it.
pub(super) fn less_of_other(item: &Item) -> Option<(Level, u64)> {
    (item.level == Level::Arrival).then(|| (Level::Note, item.tokens.0.saturating_sub(NOTE_TOKENS)))
}

/// The next level of a response with edits, the tokens that it saves and its expected uses:
/// what edits took out of a file goes before what they put there.
pub(super) fn less_of_edit(
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
