//! One new result, shaped by what the prompt shows.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use foveal_calls::CallSettings;
use foveal_context::new_result::NewResult;
use foveal_context::record::Record;
use foveal_context::room::Room;
use foveal_context::settings::Settings;
use foveal_context::shape::{Decision, Piece, Shape, ShapeKind};
use foveal_context::shaping::gutter::Numbers;
use foveal_context::tokens::Tokenizer;
use foveal_context::visible::Visible;
use foveal_effects::EffectKind;
use foveal_transcript::{
    Block, Call, Conversation, Entry, EntryIndex, Handle, Mark, Role, Source, ToolResult,
};
use serde_json::Value;

use super::event::Answered;
use super::expand::Expand;
use super::host::Host;
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
    /// Whether the prompt holds an earlier result that was shaped, with what notes mean.
    pub(super) follows_shaped: bool,
}

impl Shaped {
    /// What the model is told beside the result; the first time, what notes in it mean.
    pub(super) fn told(&self, is_first: bool, host: Host, expand: &Expand) -> Option<String> {
        let first = is_first && self.note.is_none();
        let first = first.then(|| {
            let command = expand.of(Handle::of(self.whole.as_bytes()));
            // A longer output would be cut again, of whichever command it is.
            let way = match self.whole.len() <= host.output_bytes_max() {
                true => format!(
                    "In a shell, `{command}` prints the whole, and so does the same call made \
                     again at once."
                ),
                false => format!(
                    "The whole is longer than the output of one command may be: in a shell, \
                     `{command} > FILE` writes it to a file, of which you can read parts."
                ),
            };
            format!(
                "foveal shortened this result: notes in brackets stand for what is left out. {way}"
            )
        });
        self.note.clone().or(first)
    }
}

/// The result shaped; `None` if it stays as it is.
pub(super) fn shape(
    conversation: Conversation,
    past: &Past<'_>,
    (answered, host): (&Answered, Host),
    result: &Output,
    expand: &Expand,
    calls: &CallSettings,
) -> Option<Shaped> {
    if past.last_like(answered).is_some_and(|last| is_near(&conversation, last, &answered.call)) {
        past.given_whole();
        return None;
    }
    let newest = new_entries(&conversation, answered, &result.text)?;
    let mut results = conversation.entries().iter().filter_map(Entry::result);
    let follows_shaped = results.any(|result| past.of(&result.call).is_some());
    let mut record = Record::of(conversation, Tokenizer::Bytes);
    let mut visible = Visible::as_recorded(&record);
    if let Some(call) = newest.call {
        let call = record.push(call);
        visible.show(&record, call, &Decision::Keep);
    }
    let entry = record.push(newest.result);
    let looks = matches!(record.facts(entry).kind(), EffectKind::Read | EffectKind::Search);
    if !host.keeps_exit_codes() && !looks {
        return None;
    }
    let settings = Settings {
        pointers: calls.detect,
        tools_without_pointers: calls.tools_undetected(),
        ..settings(result.form)
    };
    let new = NewResult {
        record: &record,
        visible: &visible,
        settings: &settings,
        views: None,
        room: Room::UNBOUNDED,
        end_bytes: 0,
    };
    let Decision::Replace(shape) = &new.decide() else { return None };
    let (response, whole) = (&answered.response, result.text.clone());
    let shaped = match result.form {
        Form::Bash | Form::Grep => {
            let sent = rendered(shape, &whole, expand);
            let output = match (host, result.form) {
                (Host::ClaudeCode, Form::Grep) => output::grep(response, &sent),
                (Host::ClaudeCode, _) => output::bash(response, &sent),
                // They are given a text.
                _ => Value::Null,
            };
            Shaped { output, sent, whole, note: None, follows_shaped }
        }
        Form::Read { first } => {
            let kept = shape.lines_kept(&record.facts(entry).printed);
            let lines = run_of(&kept, &record, entry)?;
            let above = Above { record: &record, visible: &visible };
            if !above.shows_all_but(entry, &lines) {
                return None;
            }
            let read = read(answered, shape, lines, (first, expand), whole)?;
            Shaped { follows_shaped, ..read }
        }
    };
    let sent = shaped.sent.len() + shaped.note.as_ref().map_or(0, String::len);
    let is_worth_it = sent as f64 <= result.text.len() as f64 * (1.0 - SAVING_MIN)
        && shaped.sent.len() <= host.replacement_bytes_max();
    is_worth_it.then_some(shaped)
}

/// Whether the last call was made in the response before that of this one, or is not recorded yet.
fn is_near(conversation: &Conversation, last: &Last, now: &str) -> bool {
    let entries = conversation.entries();
    let is_of = |entry: &Entry, id: &str| entry.calls().any(|call| call.id == id);
    let Some(at) = entries.iter().rposition(|entry| is_of(entry, &last.call)) else { return true };
    let later = entries[at + 1..].iter().filter(|entry| entry.role == Role::Assistant).count();
    let is_recorded = entries.iter().any(|entry| is_of(entry, now));
    later + usize::from(!is_recorded) <= 1
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

/// The text that stands in the place of `whole`. The first note with a handle says how to get
/// back what is left out; all of a result have the same handle.
fn rendered(shape: &Shape, whole: &str, expand: &Expand) -> String {
    let has_handle = |piece: &Piece| matches!(piece, Piece::Note(_, note) if note.handle.is_some());
    let first = shape.pieces.iter().position(has_handle);
    let text = |(at, piece): (usize, &Piece)| match piece {
        Piece::Note(_, note) if Some(at) == first => note.by_command(&expand.command).to_string(),
        other => shape.text_of(other, whole).into_owned(),
    };
    shape.pieces.iter().enumerate().map(text).collect()
}

/// One run of lines, counted from 0: from the first to the last with a text of those that stand
/// nowhere else, or one line with a text. Of nothing but empty lines Claude Code would say that
/// the file is shorter than it is.
fn run_of(kept: &[u32], record: &Record, entry: EntryIndex) -> Option<Range<usize>> {
    let content = &record.entry(entry).result()?.content;
    let printed = &record.facts(entry).printed.lines;
    let has_text =
        |at: &usize| printed.get(*at).is_some_and(|line| !line.text_in(content).trim().is_empty());
    let kept = || kept.iter().map(|at| *at as usize).filter(&has_text);
    match (kept().next(), kept().next_back()) {
        (Some(from), Some(to)) => Some(from..to + 1),
        _ => (0..printed.len()).find(has_text).map(|at| at..at + 1),
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
    (first, expand): (u32, &Expand),
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
         The file is whole; in a shell, `{}` prints all of it.",
        notes_around(shape, &bytes_of(&whole, &lines)).join(" "),
        expand.of(Handle::of(whole.as_bytes())),
    );
    if note.len() > NOTE_BYTES_MAX {
        return None;
    }
    Some(Shaped { output, sent, whole, note: Some(note), follows_shaped: true })
}

/// The notes before the bytes that are shown and after them; those in between are of lines that
/// are shown.
fn notes_around(shape: &Shape, shown: &Range<usize>) -> Vec<String> {
    let is_shown = |piece: &Piece| match piece {
        Piece::Keep(kept) => (kept.start as usize) < shown.end && shown.start < kept.end as usize,
        Piece::Break | Piece::Note(..) => false,
    };
    let first = shape.pieces.iter().position(is_shown).unwrap_or(shape.pieces.len());
    let last = shape.pieces.iter().rposition(is_shown).unwrap_or(0);
    let pieces = shape.pieces.iter().enumerate();
    pieces
        .filter(|(at, _)| *at <= first || last <= *at)
        .filter_map(|(_, piece)| match piece {
            Piece::Note(_, note) => Some(note.to_string()),
            Piece::Break | Piece::Keep(_) => None,
        })
        .collect()
}

/// The bytes of some lines, counted from 0.
fn bytes_of(text: &str, lines: &Range<usize>) -> Range<usize> {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(lines.start).unwrap_or(text.len());
    let end = starts.nth(lines.len().saturating_sub(1)).unwrap_or(text.len());
    start..end
}
