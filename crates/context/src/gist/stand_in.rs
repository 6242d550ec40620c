//! A telling of old turns, and what stands in place of their words.

use std::fmt::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::turns::{words, words_tokens};
use crate::note::{Note, NoteKind};
use crate::record::Record;
use crate::shape::{Piece, Shape, ShapeKind};
use foveal_transcript::{Entry, EntryIndex, Handle};

/// The rule's name in shapes.
const RULE: &str = "gist";

/// Turns told in words, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gist {
    /// The responses whose words it stands for, ascending.
    pub entries: Vec<EntryIndex>,
    /// The words that stand in their place, in one or more lines.
    pub text: String,
}

impl Gist {
    /// What gives back the words of all its responses.
    pub fn handle(&self, record: &Record) -> Handle {
        Handle::of(said(record, self).as_bytes())
    }

    /// Whether it is about responses of this record that can be told.
    pub(crate) fn fits(&self, record: &Record) -> bool {
        let is_ascending = self.entries.is_sorted_by(|one, other| one < other);
        let can_be_told = |index: &EntryIndex| {
            index.at() < record.len() && words_tokens(record, *index).is_some()
        };
        !self.entries.is_empty() && is_ascending && self.entries.iter().all(can_be_told)
    }
}

/// What the note gives back: the words of all responses of `gist`, and what each called.
pub fn said(record: &Record, gist: &Gist) -> String {
    let mut text = String::new();
    for index in &gist.entries {
        let entry = record.entry(*index);
        let turn = record.facts(*index).turn;
        let words = words(entry).unwrap_or_default();
        writeln!(text, "[turn {turn}]\n{words}").expect("writing to a string");
        for call in entry.calls() {
            writeln!(text, "[calls {} {}]", call.name, call.arguments)
                .expect("writing to a string");
        }
    }
    text
}

/// What stands in place of each response of `gist`: the telling at the first, a few words at the
/// others. Calls stay as they are.
pub fn stand_ins(record: &Record, gist: &Gist) -> Vec<(EntryIndex, Shape)> {
    let Some(first) = gist.entries.first() else { return Vec::new() };
    let turns = u32::try_from(gist.entries.len()).unwrap_or(u32::MAX);
    let handle = Some(gist.handle(record));
    let telling = NoteKind::Gist { turns, words: gist.text.as_str().into() };
    let telling = Arc::new(Note { handle, ..Note::new(telling) });
    let told = Note { handle, refers_to: vec![*first], ..Note::new(NoteKind::InGist) };
    let told = Arc::new(told);
    let stand_in = |index: &EntryIndex| {
        let note = if index == first { &telling } else { &told };
        (*index, stand_in(record.entry(*index), note))
    };
    gist.entries.iter().map(stand_in).collect()
}

/// The same shape for a response whose words were kept in other bytes since; `None` if it is none
/// that stands for words.
pub fn fitted(shape: &Shape, entry: &Entry) -> Option<Shape> {
    let note = shape.notes().next().filter(|_| shape.kind == ShapeKind::Told)?;
    Some(stand_in(entry, &Arc::new(note.clone())))
}

/// A note in place of the words of a response.
fn stand_in(entry: &Entry, note: &Arc<Note>) -> Shape {
    let all = entry.prompt_text();
    let [words, end] = [entry.text().len(), all.len()].map(|at| at as u32);
    let mut pieces = vec![Piece::Note(words, Arc::clone(note))];
    if end > words {
        pieces.push(Piece::Keep(words..end));
    }
    let handle = Handle::of(all.as_bytes());
    Shape { kind: ShapeKind::Told, rule: RULE.to_owned(), pieces, handle }
}
