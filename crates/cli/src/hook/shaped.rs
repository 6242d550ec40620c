//! One new result, shaped by what the prompt shows.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use foveal_context::new_result::NewResult;
use foveal_context::record::Record;
use foveal_context::room::Room;
use foveal_context::settings::Settings;
use foveal_context::shape::{Decision, Piece, Shape, ShapeKind};
use foveal_context::shaping::gutter::Numbers;
use foveal_context::tokens::Tokenizer;
use foveal_context::visible::Visible;
use foveal_transcript::{
    Block, Call, Conversation, Entry, EntryIndex, Handle, Mark, Role, Source, ToolResult,
};
use serde_json::Value;

use super::event::Answered;
use super::output::{self, Form, Output};
use super::past::{Last, Past};

/// Share of a result that must be left out; for less nothing is changed.
const SAVING_MIN: f64 = 0.2;

/// Longest note beside a read. Claude Code would put one of more than 10,000 signs into a file.
const NOTE_BYTES_MAX: usize = 4_000;

/// What is sent in place of a result.
pub(super) struct Shaped {
    /// In the tool's own form.
    pub(super) output: Value,
    /// The text that the model is sent.
    pub(super) sent: String,
    /// The whole, to be kept.
    pub(super) whole: String,
    /// What is said beside it.
    note: Option<String>,
}

impl Shaped {
    /// What the model is told beside the result; the first time, what notes in it mean.
    pub(super) fn told(&self, is_first: bool) -> Option<String> {
        let handle = Handle::of(self.whole.as_bytes());
        let first = is_first && self.note.is_none();
        let first = first.then(|| {
            format!(
                "foveal shortened this result: notes in brackets stand for what is left out. \
                 `foveal expand {handle}` prints the whole, and so does the same call made again \
                 at once."
            )
        });
        self.note.clone().or(first)
    }
}

/// The result shaped; `None` if it stays as it is.
pub(super) fn shape(
    conversation: Conversation,
    past: &Past<'_>,
    answered: &Answered,
    result: &Output,
) -> Option<Shaped> {
    if past.last_like(answered).is_some_and(|last| is_near(&conversation, last)) {
        past.given_whole();
        return None;
    }
    let newest = new_entries(&conversation, answered, &result.text)?;
    let mut record = Record::of(conversation, Tokenizer::Bytes);
    let mut visible = Visible::as_recorded(&record);
    if let Some(call) = newest.call {
        let call = record.push(call);
        visible.show(&record, call, &Decision::Keep);
    }
    let entry = record.push(newest.result);
    let settings = settings(result.form);
    let room = Room::UNBOUNDED;
    let new =
        NewResult { record: &record, visible: &visible, settings: &settings, views: None, room };
    let Decision::Replace(shape) = &new.decide() else { return None };
    let (response, whole) = (&answered.response, result.text.clone());
    let shaped = match result.form {
        Form::Bash | Form::Grep => {
            let sent = shape.render(&whole);
            let output = match result.form {
                Form::Grep => output::grep(response, &sent),
                _ => output::bash(response, &sent),
            };
            Shaped { output, sent, whole, note: None }
        }
        Form::Read { first } => {
            let kept = shape.lines_kept(&record.facts(entry).printed);
            let lines = run_of(&kept);
            let above = Above { record: &record, visible: &visible };
            if !above.shows_all_but(entry, &lines) {
                return None;
            }
            read(answered, shape, lines, first, whole)?
        }
    };
    let sent = shaped.sent.len() + shaped.note.as_ref().map_or(0, String::len);
    let is_worth_it = sent as f64 <= result.text.len() as f64 * (1.0 - SAVING_MIN);
    is_worth_it.then_some(shaped)
}

/// Whether a call was made in the last response but one, or is not recorded yet.
fn is_near(conversation: &Conversation, last: &Last) -> bool {
    let made = |entry: &Entry| entry.calls().any(|call| call.id == last.call);
    let later = conversation.entries().iter().rev().take_while(|entry| !made(entry));
    later.filter(|entry| entry.role == Role::Assistant).count() <= 1
        || !conversation.entries().iter().any(made)
}

/// What may be done to a result. Nothing that was sent is ever taken back. Lines of a file are
/// only left out where they stand above: Claude Code numbers what it is given, so that notes
/// among them would have numbers too.
fn settings(form: Form) -> Settings {
    match form {
        // What is said beside a read speaks of that file alone.
        Form::Read { .. } => {
            Settings { numbers: Numbers::All, ..Settings::lossless() }.within_files()
        }
        Form::Bash | Form::Grep => {
            Settings { numbers: Numbers::All, rewrite: None, curate: None, ..Settings::balanced() }
        }
    }
}

/// What a result adds to the conversation.
struct NewEntries {
    /// Its call, where that is not recorded yet.
    call: Option<Entry>,
    result: Entry,
}

/// What the result adds; `None` if it is in the prompt already.
fn new_entries(conversation: &Conversation, answered: &Answered, text: &str) -> Option<NewEntries> {
    let mut results = conversation.entries().iter().filter_map(Entry::result);
    if results.any(|result| result.call == answered.call) {
        return None;
    }
    let mut calls = conversation.entries().iter().flat_map(Entry::calls);
    let is_recorded = calls.any(|call| call.id == answered.call);
    let step = conversation.entries().last().map_or(0, |entry| entry.source.step) + 1;
    let entry = |role, result, block| Entry {
        source: Source { step, result },
        role,
        time: None,
        mark: Mark::None,
        model: None,
        usage: None,
        blocks: vec![block],
    };
    let call = || {
        let (id, name) = (answered.call.clone(), answered.tool.clone());
        let call = Call { id, name, arguments: answered.input.clone() };
        entry(Role::Assistant, None, Block::Call(call))
    };
    let result =
        ToolResult { call: answered.call.clone(), content: text.to_owned(), is_error: false };
    Some(NewEntries {
        call: (!is_recorded).then(call),
        result: entry(Role::Tool, Some(0), Block::Result(result)),
    })
}

/// One run of lines, counted from 0: from the first to the last of those that stand nowhere
/// else, or the first alone.
fn run_of(kept: &[u32]) -> Range<usize> {
    match (kept.first(), kept.last()) {
        (Some(from), Some(to)) => *from as usize..*to as usize + 1,
        _ => 0..1,
    }
}

/// What the model can see of earlier results.
struct Above<'a> {
    record: &'a Record,
    visible: &'a Visible,
}

impl Above<'_> {
    /// Whether all lines of a result but some can be seen there. The engine has said so; but it
    /// may also have shortened a line, which here nothing would tell of.
    fn shows_all_but(&self, entry: EntryIndex, lines: &Range<usize>) -> bool {
        let mut seen = HashSet::new();
        for index in self.visible.ledger().entries() {
            if let Some(result) = self.record.entry(index).result() {
                let printed = self.record.facts(index).printed.lines.iter();
                seen.extend(printed.map(|line| line.text_in(&result.content).trim()));
            }
        }
        let Some(result) = self.record.entry(entry).result() else { return false };
        let printed = self.record.facts(entry).printed.lines.iter().enumerate();
        let hidden = printed.filter(|(at, _)| !lines.contains(at));
        let mut texts = hidden.map(|(_, line)| line.text_in(&result.content).trim());
        texts.all(|text| text.is_empty() || seen.contains(text))
    }
}

/// Of a read only `lines` stay. What is left out around them is told beside the result.
fn read(
    answered: &Answered,
    shape: &Arc<Shape>,
    lines: Range<usize>,
    first: u32,
    whole: String,
) -> Option<Shaped> {
    if !matches!(shape.kind, ShapeKind::Pointer | ShapeKind::Delta) {
        return None;
    }
    let output = output::read(&answered.response, first, lines.clone())?;
    let content = output["file"]["content"].as_str()?;
    let from = first.checked_add(u32::try_from(lines.start).ok()?)?;
    let sent = output::numbered(content, from)?;
    let to = from.checked_add(u32::try_from(lines.len()).ok()?)? - 1;
    let all = whole.split('\n').count();
    let last = first.checked_add(u32::try_from(all).ok()?)? - 1;
    let path = answered.input["file_path"].as_str().unwrap_or("the file");
    let shown = if from == to { format!("line {from}") } else { format!("lines {from}-{to}") };
    let note = format!(
        "foveal: {shown} of {path}; the rest of {first}-{last} is unchanged and stands above: {}. \
         The file is whole; the same call again at once shows all.",
        notes_around(shape, &whole).join(" ")
    );
    if note.len() > NOTE_BYTES_MAX {
        return None;
    }
    Some(Shaped { output, sent, whole, note: Some(note) })
}

/// The notes before what is kept and after it; those in between are of lines that are shown.
fn notes_around(shape: &Shape, whole: &str) -> Vec<String> {
    let is_text = |piece: &Piece| match piece {
        Piece::Keep(range) => {
            let kept = whole.get(range.start as usize..range.end as usize);
            kept.is_some_and(|kept| !kept.trim().is_empty())
        }
        Piece::Break | Piece::Note(..) => false,
    };
    let first = shape.pieces.iter().position(is_text).unwrap_or(0);
    let last = shape.pieces.iter().rposition(is_text).unwrap_or(0);
    let pieces = shape.pieces.iter().enumerate();
    pieces
        .filter(|(at, _)| *at <= first || last <= *at)
        .filter_map(|(_, piece)| match piece {
            Piece::Note(_, note) => Some(note.to_string()),
            Piece::Break | Piece::Keep(_) => None,
        })
        .collect()
}
