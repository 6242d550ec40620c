//! Rule `edits`: texts of the model's own edits that were carried out are told in a few
//! words. The first edit of a file in a run says what all of them did; the others say that
//! it does.

use std::collections::HashMap;
use std::ops::Range;

use crate::call_texts::{keeps, placed};
use crate::facts::{Facts, LineHash, Side, file_name, file_of};
use crate::level::Level;
use crate::note::{Counts, Note, NoteKind};
use crate::record::Record;
use crate::shape::{Piece, Shape, ShapeKind};
use crate::timeline::{ChangeNote, edits_heading, fold_edits, summary};
use crate::tokens::{TokenCache, Tokens};
use foveal_effects::Effect;
use foveal_transcript::Handle;
use foveal_transcript::{Entry, EntryIndex};

const RULE: &str = "edits";

/// Of longer runs the changes behind are counted only: comparing texts takes time.
const SUMMARIES_MAX: usize = 50;

/// Everything the decision on one response depends on.
pub struct Ask<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// The response's entry.
    pub index: EntryIndex,
    /// How far a rewrite reduced it: what edits took out, or all they say.
    pub level: Level,
    /// What is told in the prompt before it.
    pub runs: &'a Runs,
    /// The entries of the prompt from this one on.
    pub window: &'a [EntryIndex],
    /// The last response of the prompt in which edits of each file are to be told.
    pub last: &'a LastTold,
}

/// By file, the last response of a prompt in which its edits are to be told.
pub type LastTold = HashMap<LineHash, EntryIndex>;

/// Takes a response whose edits are to be told; responses come in order.
pub fn insert_last(last: &mut LastTold, facts: &Facts, index: EntryIndex) {
    for call in told_calls(facts) {
        if let Some(file) = file_of(&facts.calls[usize::from(call)].effect) {
            last.insert(LineHash::of(file), index);
        }
    }
}

/// The runs of edits that notes in the prompt tell of, by file.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    files: HashMap<LineHash, Vec<Run>>,
}

/// The edits of one file from one response to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// The response whose note tells of them.
    lead: EntryIndex,
    last: EntryIndex,
}

impl Runs {
    /// The response whose note tells of an edit of `file` in the response at `index`.
    fn lead_of(&self, file: &str, index: EntryIndex) -> Option<EntryIndex> {
        let runs = self.files.get(&LineHash::of(file))?;
        let told = |run: &&Run| run.lead < index && index <= run.last;
        runs.iter().rev().find(told).map(|run| run.lead)
    }

    /// Takes the edits of the response at `ask.index` as told.
    pub fn tell(&mut self, ask: &Ask<'_>) {
        let facts = ask.record.facts(ask.index);
        for call in told_calls(facts) {
            let Some(file) = file_of(&facts.calls[usize::from(call)].effect) else { continue };
            if self.lead_of(file, ask.index).is_none() {
                let run = Run { lead: ask.index, last: last_of(ask, file) };
                let runs = self.files.entry(LineHash::of(file)).or_default();
                runs.retain(|known| known.lead != run.lead);
                runs.push(run);
            }
        }
    }

    /// Forgets the runs whose lead is not kept.
    pub fn retain(&mut self, keep: impl Fn(EntryIndex) -> bool) {
        self.files.retain(|_, runs| {
            runs.retain(|run| keep(run.lead));
            !runs.is_empty()
        });
    }

    /// The first response whose note tells of edits that are not in `window`.
    pub fn first_stale(&self, window: &[EntryIndex]) -> Option<EntryIndex> {
        let gone = |index: &EntryIndex| window.binary_search(index).is_err();
        let stale = self.files.values().flatten().filter(|run| gone(&run.last));
        stale.map(|run| run.lead).filter(|lead| !gone(lead)).min()
    }
}

/// Shapes one response and counts the tokens of what is sent; `None` if it stays as it is.
pub fn shape(ask: &Ask<'_>, cache: &mut TokenCache) -> Option<(Shape, Tokens)> {
    let facts = ask.record.facts(ask.index);
    if ask.level == Level::Arrival || facts.edits.is_empty() {
        return None;
    }
    let entry = ask.record.entry(ask.index);
    let original = entry.prompt_text();
    // Where a list of changes takes more room than the edit, its heading may not.
    [Listing::Changes, Listing::Count].into_iter().find_map(|listing| {
        let shape = Folding::new(ask, facts, &original, listing).shape(entry)?;
        let tokens = cache.count(ask.record.tokenizer(), &shape.render(&original));
        (tokens < facts.tokens).then_some((shape, tokens))
    })
}

/// How much a note on a run says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listing {
    /// What was changed.
    Changes,
    /// How often.
    Count,
}

/// The places in [`Facts::arguments`] that `shape` leaves visible.
pub fn lines_kept(entry: &Entry, facts: &Facts, shape: &Shape) -> Vec<u32> {
    let kept: Vec<(u16, u16)> = placed(entry)
        .into_iter()
        .filter(|text| keeps(shape, &text.range))
        .map(|text| (text.call, text.text))
        .collect();
    let lines = (0u32..).zip(&facts.arguments);
    let shown = lines.filter(|(_, line)| kept.binary_search(&(line.call, line.text)).is_ok());
    shown.map(|(at, _)| at).collect()
}

/// The calls of a response with a text that is told, in order.
fn told_calls(facts: &Facts) -> Vec<u16> {
    let texts = facts.edits.texts.iter().map(|text| text.call);
    let mut calls: Vec<u16> = texts.filter(|call| facts.edits.is_done(*call)).collect();
    calls.dedup();
    calls
}

/// The edits of `file` that a response's calls carried out, command lines among them.
fn edits_of<'a>(facts: &'a Facts, file: &'a str) -> impl Iterator<Item = &'a Effect> {
    let done = facts.edits.done.iter().map(|call| &facts.calls[usize::from(*call)].effect);
    done.filter(move |effect| effect.writes.iter().any(|write| write.path == file))
}

/// The last response of the run that begins with `ask.index`.
fn last_of(ask: &Ask<'_>, file: &str) -> EntryIndex {
    ask.last.get(&LineHash::of(file)).copied().unwrap_or(ask.index)
}

/// One response while its texts are replaced.
struct Folding<'a> {
    ask: &'a Ask<'a>,
    facts: &'a Facts,
    handle: Handle,
    length: u32,
    pieces: Vec<Piece>,
    /// Files whose edits this response tells of.
    leads: Vec<&'a str>,
    listing: Listing,
    end: u32,
}

impl<'a> Folding<'a> {
    fn new(ask: &'a Ask<'a>, facts: &'a Facts, original: &str, listing: Listing) -> Self {
        Self {
            ask,
            facts,
            handle: Handle::of(original.as_bytes()),
            length: original.len() as u32,
            pieces: Vec::new(),
            leads: Vec::new(),
            listing,
            end: 0,
        }
    }

    fn shape(mut self, entry: &Entry) -> Option<Shape> {
        let mut noted = None;
        for text in placed(entry) {
            let Some(edit) = self.facts.edits.texts.iter().find(|edit| {
                (edit.call, edit.text) == (text.call, text.text)
                    && self.facts.edits.is_done(edit.call)
            }) else {
                continue;
            };
            let lines = text.value.lines().count() as u32;
            let counts = Counts { lines, ..Counts::default() };
            let note = match (self.ask.level, edit.side) {
                (Level::Note, _) if noted == Some(edit.call) => {
                    Note { counts, ..Note::new(NoteKind::EditText) }
                }
                (Level::Note, _) => self.told(usize::from(edit.call)),
                (_, Side::Old) => {
                    Note { counts, handle: Some(self.handle), ..Note::new(NoteKind::ReplacedText) }
                }
                (_, Side::New) => continue,
            };
            noted = Some(edit.call);
            self.replace(&text.range, note);
        }
        if self.pieces.is_empty() {
            return None;
        }
        self.pieces.push(Piece::Keep(self.end..self.length));
        Some(Shape {
            kind: ShapeKind::Folded,
            rule: RULE.to_owned(),
            pieces: self.pieces,
            handle: self.handle,
        })
    }

    fn replace(&mut self, range: &Range<u32>, note: Note) {
        self.pieces.push(Piece::Keep(self.end..range.start));
        self.pieces.push(Piece::Note(range.end, note.into()));
        self.end = range.end;
    }

    /// What stands in place of the first text of a call: what the run did, or where that is
    /// told.
    fn told(&mut self, call: usize) -> Note {
        let facts = self.facts;
        let file = file_of(&facts.calls[call].effect).unwrap_or_default();
        let name = file_name(file);
        let handle = Some(self.handle);
        let lead = self.ask.runs.lead_of(file, self.ask.index);
        if lead.is_some() || self.leads.contains(&file) {
            let refers_to = lead.into_iter().collect();
            let file = Some(name.into());
            return Note { file, handle, refers_to, ..Note::new(NoteKind::ToldAbove) };
        }
        self.leads.push(file);
        let notes = self.changes(file, name);
        let told = match self.listing {
            Listing::Changes => fold_edits(name, &notes),
            Listing::Count => edits_heading(name, &notes),
        };
        Note { handle, ..told.unwrap_or_else(|| Note::new(NoteKind::Behind)) }
    }

    /// A note for each edit of `file` from this response to the last of its run.
    fn changes(&self, file: &str, name: &str) -> Vec<ChangeNote> {
        let last = last_of(self.ask, file);
        let mut notes = Vec::new();
        for index in self.ask.window.iter().take_while(|index| **index <= last) {
            let facts = self.ask.record.facts(*index);
            for effect in edits_of(facts, file) {
                let said = self.listing == Listing::Changes && notes.len() < SUMMARIES_MAX;
                let what = if said { summary(effect, file) } else { String::new() };
                notes.push(ChangeNote { turn: facts.turn, path: name.to_owned(), what });
            }
        }
        notes
    }
}
