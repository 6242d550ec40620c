//! Which turns may be told: plain words and calls that change no file.

use crate::facts::Facts;
use crate::record::Record;
use crate::tokens::Tokens;
use foveal_effects::EffectKind;
use foveal_transcript::{Block, Entry, EntryIndex, Role};

/// Tokens of the words of a response; `None` where they may not be told: it is none, it edits, or it
/// is not plain words and calls.
pub(super) fn words_tokens(record: &Record, index: EntryIndex) -> Option<Tokens> {
    let (entry, facts) = (record.entry(index), record.facts(index));
    let words = words(entry).filter(|_| !edits(facts))?;
    Some(record.tokenizer().count(words))
}

/// The one text of a response.
pub(super) fn words(entry: &Entry) -> Option<&str> {
    let (_, words) = entry.only_text().filter(|(_, words)| !words.trim().is_empty())?;
    let is_plain = !entry.blocks.iter().any(|block| matches!(block, Block::Opaque { .. }));
    (entry.role == Role::Assistant && is_plain).then_some(words)
}

/// Whether a response changes files.
fn edits(facts: &Facts) -> bool {
    facts.calls.iter().any(|call| {
        let effect = &call.effect;
        matches!(effect.kind, EffectKind::Edit | EffectKind::Write) || !effect.writes.is_empty()
    })
}
