//! What messages say, and where in them the texts stand that may be replaced.

use std::collections::HashMap;
use std::ops::Range;

use foveal_context::note::Note;
use foveal_context::shape::{Decision, Piece, Shape};
use foveal_transcript::{ContentHash, Entry, EntryIndex, Role};
use foveal_wire::body::{self, Body, BodyError, Slot, Spelled};

use crate::recorder::Planned;
use crate::replaced::Replaced;
use crate::way::Way;

/// What a message says.
pub(crate) struct Said {
    /// Whether that is told with the message before it.
    pub(crate) goes_on: bool,
    pub(crate) entries: Vec<Entry>,
    pub(crate) slots: Vec<Slot>,
}

/// What messages say. Items of one response are one entry, that of the first of them: how many
/// responses there were is what asking twice is told by. What came with one of the requests that
/// end behind the messages `requests` is not told with what came earlier.
pub(crate) fn said(
    (body, bytes): (&Body, &[u8]),
    messages: Range<usize>,
    requests: &[usize],
) -> Result<Vec<Said>, BodyError> {
    let mut all: Vec<Said> = Vec::with_capacity(messages.len());
    let mut response: Option<usize> = None;
    for at in messages {
        let body::Message { mut entries, slots, continues, .. } = body.message(bytes, at)?;
        let is_one = matches!(&entries[..], [entry] if entry.role == Role::Assistant);
        let begins = requests.binary_search(&at).is_ok();
        let first = response.filter(|_| continues && is_one && !begins);
        if let Some(first) = first.and_then(|first| all[first].entries.last_mut()) {
            first.blocks.extend(entries.drain(..).flat_map(|entry| entry.blocks));
            all.push(Said { goes_on: true, entries, slots });
        } else {
            response = is_one.then_some(all.len());
            all.push(Said { goes_on: false, entries, slots });
        }
    }
    Ok(all)
}

/// The entries of messages, the first first.
pub(crate) fn entries(said: &[Said]) -> Vec<&Entry> {
    said.iter().flat_map(|said| &said.entries).collect()
}

/// What a result has to be shorter by where notes are longer than the engine counted.
const LONGER_BYTES: usize = 64;

/// A text of a result.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) slot: Slot,
    /// What stands in its place, if anything does.
    pub(crate) text: Option<Spelled>,
}

/// The texts in place of others in a body whose conversation was decided about so far: what goes
/// while the engine is still to be brought to where it stood.
pub(crate) fn replaced_by(body: &Body, said: &[Said], planned: &[Planned], way: Way) -> Replaced {
    let changed = planned.iter().flat_map(|planned| &planned.step.changed);
    let last: HashMap<EntryIndex, &Decision> =
        changed.map(|(at, decision)| (*at, decision)).collect();
    let mut replaced: Vec<(Range<usize>, Spelled)> = Vec::new();
    let mut first = 0;
    for (said, range) in said.iter().zip(&body.messages) {
        let mut places = said.places();
        for (entry, it) in said.entries.iter().enumerate() {
            if let Some(decision) = last.get(&EntryIndex((first + entry) as u32)) {
                let content = it.result().map_or("", |result| &result.content);
                put(&mut places, entry, (content, way), decision);
            }
        }
        first += said.entries.len();
        replaced.extend(places.iter().filter_map(|place| {
            let string = &place.slot.string;
            Some((range.start + string.start..range.start + string.end, place.text.clone()?))
        }));
    }
    replaced.into_iter().collect()
}

/// Puts the texts that a decision about one entry means in its places. Where together they would
/// take more bytes in the request than what they stand for, what came stays: a note of fewer bytes
/// may have more to escape.
pub(crate) fn put(
    places: &mut [Place],
    entry: usize,
    (content, way): (&str, Way),
    decision: &Decision,
) {
    let texts = decision.shape().map(|shape| texts(shape, (content, way), entry, places));
    let goes = |texts: &Vec<Option<String>>| {
        let length: usize = texts.iter().flatten().map(String::len).sum();
        matches!(way, Way::Expand | Way::Command) || length + LONGER_BYTES <= content.len()
    };
    let mut texts = texts.filter(goes).into_iter().flatten();
    for place in places.iter_mut().filter(|place| place.is_of_result(entry)) {
        place.text = texts.next().flatten().map(|text| Spelled::new(&text, place.slot.spelling));
    }
    if takes_more(places, entry, content) {
        for place in places.iter_mut().filter(|place| place.is_of_result(entry)) {
            place.text = None;
        }
    }
}

/// Whether the texts in place of a result take more bytes in the request than what they stand for.
fn takes_more(places: &[Place], entry: usize, content: &str) -> bool {
    let (mut taken, mut originals) = (0, Vec::new());
    for place in places.iter().filter(|place| place.is_of_result(entry)) {
        if let Some(text) = &place.text {
            taken += text.len();
            originals.push((&content[place.slot.content.clone()], place.slot.spelling));
        }
    }
    // No text is shorter with its escapes, which are rarely worth a look.
    let least: usize = originals.iter().map(|(original, _)| original.len()).sum();
    taken > least
        && taken
            > originals.iter().map(|(text, spelling)| Spelled::new(text, *spelling).len()).sum()
}

impl Said {
    /// The places of its texts, which stand as they came.
    pub(crate) fn places(&self) -> Vec<Place> {
        self.slots.iter().map(|slot| Place { slot: slot.clone(), text: None }).collect()
    }
}

impl Place {
    /// Whether it is a text of the result that is this entry of its message.
    pub(crate) fn is_of_result(&self, entry: usize) -> bool {
        self.slot.entry == entry
    }
}

/// What a shape means for the parts that the client sent a result in.
fn texts(
    shape: &Shape,
    (content, way): (&str, Way),
    entry: usize,
    places: &[Place],
) -> Vec<Option<String>> {
    let whole = (way == Way::Hash).then(|| ContentHash::of(content.as_bytes()));
    let spell = |note: &Note| match &whole {
        Some(whole) => note.by_hash(whole).to_string(),
        None => way.spell(note),
    };
    let own = places.iter().filter(|place| place.is_of_result(entry));
    let parts: Vec<Range<usize>> = own.map(|place| place.slot.content.clone()).collect();
    let mut notes = Vec::with_capacity(shape.pieces.len());
    for piece in &shape.pieces {
        notes.push(match piece {
            Piece::Keep(_) => String::new(),
            Piece::Break | Piece::Note(..) => shape.text_by(piece, content, &spell).into_owned(),
        });
    }
    let mut end = 0;
    let pieces: Vec<body::Piece<'_>> = shape
        .pieces
        .iter()
        .zip(&notes)
        .map(|(piece, text)| match piece {
            Piece::Keep(range) => {
                end = range.end as usize;
                body::Piece::Keep(range.start as usize..end)
            }
            Piece::Break => body::Piece::Text(end, text),
            Piece::Note(to, _) => {
                end = *to as usize;
                body::Piece::Text(end, text)
            }
        })
        .collect();
    body::divide(content, &parts, &pieces)
}
