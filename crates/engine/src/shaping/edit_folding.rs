//! Rule `edits`: texts of the model's own successful edits are summarised. The note on the first
//! edit of a file in a run describes all edits of the run; the notes on the others refer to it.

use std::collections::HashMap;
use std::ops::Range;

use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::Effect;
use foveal_transcript::Handle;
use foveal_transcript::{EntryIndex, TranscriptEntry};

use crate::call_texts::{keeps_range, locate_call_texts};
use crate::conversation_record::ConversationRecord;
use crate::entry_facts::{EditSide, EntryFacts, LineHash, edited_file, file_name};
use crate::message_shape::{MessageShape, ShapeKind, ShapePiece};
use crate::note::{Counts, Note, NoteKind};
use crate::reduction_level::ReductionLevel;
use crate::timeline::{ChangeNote, combine_edits, edits_heading, summarize_effect};
use crate::token_cache::TokenCache;

const RULE: &str = "edits";

/// Largest number of changes of a run that are described; further ones are only counted, since
/// comparing texts takes time.
const SUMMARIES_MAX: usize = 50;

/// The inputs of the decision on one response.
pub struct EditFoldingInputs<'a> {
    /// The conversation and its facts.
    pub record: &'a ConversationRecord,
    /// The response's entry.
    pub index: EntryIndex,
    /// The level to which a rewrite reduced the response: the replaced texts, or all texts of
    /// edits.
    pub level: ReductionLevel,
    /// The runs of edits that earlier notes in the prompt describe.
    pub runs: &'a EditRuns,
    /// The entries of the prompt from this one on.
    pub window: &'a [EntryIndex],
    /// For each file, the last response of the prompt whose edits are to be folded.
    pub last: &'a LastFoldedResponses,
}

/// For each file, the last response of a prompt whose edits are to be folded.
pub type LastFoldedResponses = HashMap<LineHash, EntryIndex>;

/// Records a response whose edits are to be folded; responses must be given in order.
pub fn record_folded_response(
    last: &mut LastFoldedResponses,
    facts: &EntryFacts,
    index: EntryIndex,
) {
    for call in folded_calls(facts) {
        if let Some(file) = edited_file(&facts.calls[usize::from(call)].effect) {
            last.insert(LineHash::from_text(file), index);
        }
    }
}

/// The runs of edits that notes in the prompt describe, by file.
#[derive(Debug, Clone, Default)]
pub struct EditRuns {
    files: HashMap<LineHash, Vec<EditRun>>,
}

/// The edits of one file from one response to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EditRun {
    /// The response whose note describes them.
    lead: EntryIndex,
    last: EntryIndex,
}

impl EditRuns {
    /// Returns the response whose note describes an edit of `file` in the response at `index`.
    fn find_lead(&self, file: &str, index: EntryIndex) -> Option<EntryIndex> {
        let runs = self.files.get(&LineHash::from_text(file))?;
        let told = |run: &&EditRun| run.lead < index && index <= run.last;
        runs.iter().rev().find(told).map(|run| run.lead)
    }

    /// Records the edits of the response at `ask.index` as described.
    pub fn record_edits(&mut self, ask: &EditFoldingInputs<'_>) {
        let facts = ask.record.facts(ask.index);
        for call in folded_calls(facts) {
            let Some(file) = edited_file(&facts.calls[usize::from(call)].effect) else { continue };
            if self.find_lead(file, ask.index).is_none() {
                let run = EditRun { lead: ask.index, last: last_response_of_run(ask, file) };
                let runs = self.files.entry(LineHash::from_text(file)).or_default();
                runs.retain(|known| known.lead != run.lead);
                runs.push(run);
            }
        }
    }

    /// Removes the runs whose lead is not kept.
    pub fn retain(&mut self, keep: impl Fn(EntryIndex) -> bool) {
        self.files.retain(|_, runs| {
            runs.retain(|run| keep(run.lead));
            !runs.is_empty()
        });
    }

    /// Returns the first response whose note describes edits that are not in `window`.
    pub fn first_stale_lead(&self, window: &[EntryIndex]) -> Option<EntryIndex> {
        let gone = |index: &EntryIndex| window.binary_search(index).is_err();
        let stale = self.files.values().flatten().filter(|run| gone(&run.last));
        stale.map(|run| run.lead).filter(|lead| !gone(lead)).min()
    }
}

/// Shapes one response and counts the tokens of its projected text; `None` if it stays as it is.
pub fn shape_response(
    ask: &EditFoldingInputs<'_>,
    cache: &mut TokenCache,
) -> Option<(MessageShape, Tokens)> {
    let facts = ask.record.facts(ask.index);
    if ask.level == ReductionLevel::Arrival || facts.edits.is_empty() {
        return None;
    }
    let entry = ask.record.entry(ask.index);
    let original = entry.prompt_text();
    // Where the list of changes is longer than the edit, its heading may be shorter.
    [EditListing::Changes, EditListing::Count].into_iter().find_map(|listing| {
        let shape = EditFolder::new(ask, facts, &original, listing).into_shape(entry)?;
        let tokens = cache.count(ask.record.tokenizer(), &shape.render(&original));
        (tokens < facts.tokens).then_some((shape, tokens))
    })
}

/// The detail of a note on a run of edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditListing {
    /// A description of each change.
    Changes,
    /// The number of changes.
    Count,
}

/// Returns the places in [`EntryFacts::arguments`] that `shape` leaves visible.
pub fn visible_argument_lines(
    entry: &TranscriptEntry,
    facts: &EntryFacts,
    shape: &MessageShape,
) -> Vec<u32> {
    let kept: Vec<(u16, u16)> = locate_call_texts(entry)
        .into_iter()
        .filter(|text| keeps_range(shape, &text.range))
        .map(|text| (text.call, text.text))
        .collect();
    let lines = (0u32..).zip(&facts.arguments);
    let shown = lines.filter(|(_, line)| kept.binary_search(&(line.call, line.text)).is_ok());
    shown.map(|(at, _)| at).collect()
}

/// Returns the calls of a response with a text to fold, in order.
fn folded_calls(facts: &EntryFacts) -> Vec<u16> {
    let texts = facts.edits.texts.iter().map(|text| text.call);
    let mut calls: Vec<u16> = texts.filter(|call| facts.edits.has_succeeded(*call)).collect();
    calls.dedup();
    calls
}

/// Returns the edits of `file` that a response's calls carried out, command lines among them.
fn edits_of_file<'a>(facts: &'a EntryFacts, file: &'a str) -> impl Iterator<Item = &'a Effect> {
    let done = facts.edits.succeeded.iter().map(|call| &facts.calls[usize::from(*call)].effect);
    done.filter(move |effect| effect.writes.iter().any(|write| write.path == file))
}

/// Returns the last response of the run that begins with `ask.index`.
fn last_response_of_run(ask: &EditFoldingInputs<'_>, file: &str) -> EntryIndex {
    ask.last.get(&LineHash::from_text(file)).copied().unwrap_or(ask.index)
}

/// Builds the shape of one response.
struct EditFolder<'a> {
    ask: &'a EditFoldingInputs<'a>,
    facts: &'a EntryFacts,
    handle: Handle,
    length: u32,
    pieces: Vec<ShapePiece>,
    /// Files whose edits the notes of this response describe.
    leads: Vec<&'a str>,
    listing: EditListing,
    end: u32,
}

impl<'a> EditFolder<'a> {
    fn new(
        ask: &'a EditFoldingInputs<'a>,
        facts: &'a EntryFacts,
        original: &str,
        listing: EditListing,
    ) -> Self {
        Self {
            ask,
            facts,
            handle: Handle::from_content(original.as_bytes()),
            length: original.len() as u32,
            pieces: Vec::new(),
            leads: Vec::new(),
            listing,
            end: 0,
        }
    }

    fn into_shape(mut self, entry: &TranscriptEntry) -> Option<MessageShape> {
        let mut noted = None;
        for text in locate_call_texts(entry) {
            let Some(edit) = self.facts.edits.texts.iter().find(|edit| {
                (edit.call, edit.text) == (text.call, text.text)
                    && self.facts.edits.has_succeeded(edit.call)
            }) else {
                continue;
            };
            let lines = text.value.lines().count() as u32;
            let counts = Counts { lines, ..Counts::default() };
            let note = match (self.ask.level, edit.side) {
                (ReductionLevel::Note, _) if noted == Some(edit.call) => {
                    Note { counts, ..Note::new(NoteKind::EditText) }
                }
                (ReductionLevel::Note, _) => self.note_for_call(usize::from(edit.call)),
                (_, EditSide::Old) => {
                    Note { counts, handle: Some(self.handle), ..Note::new(NoteKind::ReplacedText) }
                }
                (_, EditSide::New) => continue,
            };
            noted = Some(edit.call);
            self.replace_text(&text.range, note);
        }
        if self.pieces.is_empty() {
            return None;
        }
        self.pieces.push(ShapePiece::Keep(self.end..self.length));
        Some(MessageShape {
            kind: ShapeKind::Folded,
            rule: RULE.to_owned(),
            pieces: self.pieces,
            handle: self.handle,
        })
    }

    fn replace_text(&mut self, range: &Range<u32>, note: Note) {
        self.pieces.push(ShapePiece::Keep(self.end..range.start));
        self.pieces.push(ShapePiece::Note(range.end, note.into()));
        self.end = range.end;
    }

    /// Returns the note in place of the first text of a call: a description of the run, or a
    /// reference to it.
    fn note_for_call(&mut self, call: usize) -> Note {
        let facts = self.facts;
        let file = edited_file(&facts.calls[call].effect).unwrap_or_default();
        let name = file_name(file);
        let handle = Some(self.handle);
        let lead = self.ask.runs.find_lead(file, self.ask.index);
        if lead.is_some() || self.leads.contains(&file) {
            let refers_to = lead.into_iter().collect();
            let file = Some(name.into());
            return Note { file, handle, refers_to, ..Note::new(NoteKind::ToldAbove) };
        }
        self.leads.push(file);
        let notes = self.change_notes(file, name);
        let told = match self.listing {
            EditListing::Changes => combine_edits(name, &notes),
            EditListing::Count => edits_heading(name, &notes),
        };
        Note { handle, ..told.unwrap_or_else(|| Note::new(NoteKind::Behind)) }
    }

    /// Returns a note for each edit of `file` from this response to the last of its run.
    fn change_notes(&self, file: &str, name: &str) -> Vec<ChangeNote> {
        let last = last_response_of_run(self.ask, file);
        let mut notes = Vec::new();
        for index in self.ask.window.iter().take_while(|index| **index <= last) {
            let facts = self.ask.record.facts(*index);
            for effect in edits_of_file(facts, file) {
                let said = self.listing == EditListing::Changes && notes.len() < SUMMARIES_MAX;
                let what = if said { summarize_effect(effect, file) } else { String::new() };
                notes.push(ChangeNote { turn: facts.turn, path: name.to_owned(), summary: what });
            }
        }
        notes
    }
}
