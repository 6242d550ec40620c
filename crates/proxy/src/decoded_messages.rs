//! Decoded messages, and the texts in them that may be replaced.

use std::collections::HashMap;
use std::ops::Range;

use foveal_engine::message_shape::{Decision, MessageShape, ShapePiece};
use foveal_engine::note::Note;
use foveal_protocols::request_body::{self, BodyError, EncodedString, RequestBody, TextSlot};
use foveal_transcript::{ContentHash, EntryIndex, MessageRole, TranscriptEntry};

use crate::body_replacements::BodyReplacements;
use crate::handle_style::HandleStyle;
use crate::recorder::PlannedStep;

/// The entries of a message, and the positions of its texts.
pub(crate) struct DecodedMessage {
    /// Whether it shares the entry of the message before it.
    pub(crate) continues_response: bool,
    pub(crate) entries: Vec<TranscriptEntry>,
    pub(crate) slots: Vec<TextSlot>,
}

/// Decodes messages. The items of one response form one entry at the first of them, because
/// repeated calls are detected by the number of responses. `requests` holds the message counts of
/// earlier requests: an entry never spans two of them.
///
/// # Errors
/// If a message cannot be decoded.
pub(crate) fn decode_messages(
    body: &RequestBody,
    bytes: &[u8],
    messages: Range<usize>,
    requests: &[usize],
) -> Result<Vec<DecodedMessage>, BodyError> {
    let mut all: Vec<DecodedMessage> = Vec::with_capacity(messages.len());
    let mut response: Option<usize> = None;
    for at in messages {
        let request_body::BodyMessage { mut entries, slots, continues_response: continues, .. } =
            body.decode_message(bytes, at)?;
        let is_one = matches!(&entries[..], [entry] if entry.role == MessageRole::Assistant);
        let begins = requests.binary_search(&at).is_ok();
        let first = response.filter(|_| continues && is_one && !begins);
        if let Some(first) = first.and_then(|first| all[first].entries.last_mut()) {
            first.blocks.extend(entries.drain(..).flat_map(|entry| entry.blocks));
            all.push(DecodedMessage { continues_response: true, entries, slots });
        } else {
            response = is_one.then_some(all.len());
            all.push(DecodedMessage { continues_response: false, entries, slots });
        }
    }
    Ok(all)
}

/// Returns the entries of all messages, in order.
pub(crate) fn entries(said: &[DecodedMessage]) -> Vec<&TranscriptEntry> {
    said.iter().flat_map(|said| &said.entries).collect()
}

/// The number of bytes that a replacement must save if notes are longer than the engine assumed.
const NOTE_MARGIN_BYTES: usize = 64;

/// A text of a result, and its position.
#[derive(Debug, Clone)]
pub(crate) struct ReplaceableText {
    pub(crate) slot: TextSlot,
    /// The text that replaces it, if any.
    pub(crate) replacement: Option<EncodedString>,
}

/// Returns the replacement texts after these steps, with their positions in the body. They are the
/// fallback while the engine is still being restored.
pub(crate) fn replacements_of_steps(
    body: &RequestBody,
    said: &[DecodedMessage],
    planned: &[PlannedStep],
    way: HandleStyle,
) -> BodyReplacements {
    let changed = planned.iter().flat_map(|planned| &planned.step.changed);
    let last: HashMap<EntryIndex, &Decision> =
        changed.map(|(at, decision)| (*at, decision)).collect();
    let mut replaced: Vec<(Range<usize>, EncodedString)> = Vec::new();
    let mut first = 0;
    for (said, range) in said.iter().zip(&body.messages) {
        let mut places = said.replaceable_texts();
        for (entry, it) in said.entries.iter().enumerate() {
            if let Some(decision) = last.get(&EntryIndex((first + entry) as u32)) {
                let content = it.tool_result().map_or("", |result| &result.content);
                apply_decision(&mut places, entry, content, way, decision);
            }
        }
        first += said.entries.len();
        replaced.extend(places.iter().filter_map(|place| {
            let string = &place.slot.string;
            Some((range.start + string.start..range.start + string.end, place.replacement.clone()?))
        }));
    }
    replaced.into_iter().collect()
}

/// Replaces the texts of one entry as a decision says. If the replacements take more bytes in the
/// request than the originals, because a shorter note may need more escapes, nothing is replaced.
pub(crate) fn apply_decision(
    places: &mut [ReplaceableText],
    entry: usize,
    content: &str,
    way: HandleStyle,
    decision: &Decision,
) {
    let texts = decision.shape().map(|shape| replacement_texts(shape, content, way, entry, places));
    let goes = |texts: &Vec<Option<String>>| {
        let length: usize = texts.iter().flatten().map(String::len).sum();
        matches!(way, HandleStyle::Expand | HandleStyle::Command)
            || length + NOTE_MARGIN_BYTES <= content.len()
    };
    let mut texts = texts.filter(goes).into_iter().flatten();
    for place in places.iter_mut().filter(|place| place.belongs_to_entry(entry)) {
        place.replacement =
            texts.next().flatten().map(|text| EncodedString::new(&text, place.slot.encoding));
    }
    if is_longer_encoded(places, entry, content) {
        for place in places.iter_mut().filter(|place| place.belongs_to_entry(entry)) {
            place.replacement = None;
        }
    }
}

/// Returns whether the replacements of a result take more bytes in the request than the originals.
fn is_longer_encoded(places: &[ReplaceableText], entry: usize, content: &str) -> bool {
    let (mut taken, mut originals) = (0, Vec::new());
    for place in places.iter().filter(|place| place.belongs_to_entry(entry)) {
        if let Some(text) = &place.replacement {
            taken += text.len();
            originals.push((&content[place.slot.content.clone()], place.slot.encoding));
        }
    }
    // An encoded text is never shorter than the text itself, and the originals are rarely encoded
    // to compare them.
    let least: usize = originals.iter().map(|(original, _)| original.len()).sum();
    taken > least
        && taken
            > originals
                .iter()
                .map(|(text, spelling)| EncodedString::new(text, *spelling).len())
                .sum()
}

impl DecodedMessage {
    /// Returns the texts of the message, none of them replaced.
    pub(crate) fn replaceable_texts(&self) -> Vec<ReplaceableText> {
        self.slots
            .iter()
            .map(|slot| ReplaceableText { slot: slot.clone(), replacement: None })
            .collect()
    }
}

impl ReplaceableText {
    /// Returns whether it is a text of this entry of its message.
    pub(crate) fn belongs_to_entry(&self, entry: usize) -> bool {
        self.slot.entry == entry
    }
}

/// Returns the text that a shape gives each part of a result.
fn replacement_texts(
    shape: &MessageShape,
    content: &str,
    way: HandleStyle,
    entry: usize,
    places: &[ReplaceableText],
) -> Vec<Option<String>> {
    let whole = (way == HandleStyle::Hash).then(|| ContentHash::from_content(content.as_bytes()));
    let spell = |note: &Note| match &whole {
        Some(whole) => note.display_with_hash(whole).to_string(),
        None => way.render_note(note),
    };
    let own = places.iter().filter(|place| place.belongs_to_entry(entry));
    let parts: Vec<Range<usize>> = own.map(|place| place.slot.content.clone()).collect();
    let mut notes = Vec::with_capacity(shape.pieces.len());
    for piece in &shape.pieces {
        notes.push(match piece {
            ShapePiece::Keep(_) => String::new(),
            ShapePiece::Break | ShapePiece::Note(..) => {
                shape.piece_text_with(piece, content, &spell).into_owned()
            }
        });
    }
    let mut end = 0;
    let pieces: Vec<request_body::ContentPiece<'_>> = shape
        .pieces
        .iter()
        .zip(&notes)
        .map(|(piece, text)| match piece {
            ShapePiece::Keep(range) => {
                end = range.end as usize;
                request_body::ContentPiece::Keep(range.start as usize..end)
            }
            ShapePiece::Break => request_body::ContentPiece::Text(end, text),
            ShapePiece::Note(to, _) => {
                end = *to as usize;
                request_body::ContentPiece::Text(end, text)
            }
        })
        .collect();
    request_body::distribute_pieces(content, &parts, &pieces)
}
