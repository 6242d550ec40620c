//! Shapes one new result by the visible part of the prompt.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::{Decision, MessageShape, ShapeKind, ShapePiece};
use foveal_engine::new_result::NewResultShaper;
use foveal_engine::output_budget::OutputBudget;
use foveal_engine::settings::Settings;
use foveal_engine::shaping::gutter::GutterNumbers;
use foveal_engine::visible_prompt::VisiblePrompt;
use foveal_pricing::tokens::Tokenizer;
use foveal_tool_effects::EffectKind;
use foveal_tools::duplicate_calls::CallSettings;
use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, Handle, MessageRole, RecordingPosition,
    ToolCall, ToolResult, TranscriptEntry,
};
use serde_json::Value;

use super::agent_hook::AgentHook;
use super::event::AnsweredCall;
use super::expand_command::ExpandCommand;
use super::history::{HookHistory, LastShapedCall};
use super::tool_output::{self, OutputKind, ShapeableOutput};

/// The smallest share of a result that a replacement must save.
const SAVING_MIN: f64 = 0.2;

/// The longest note beside a read, in bytes. Claude Code would move a note of more than 10,000
/// characters to a file.
const NOTE_BYTES_MAX: usize = 4_000;

/// A shaped result, which replaces the original.
pub(super) struct ResultReplacement {
    /// The response in the tool's own form.
    pub(super) response: Value,
    /// The text that the model reads.
    pub(super) sent_text: String,
    /// The original text, which the store keeps.
    pub(super) original: String,
    /// A note that stands beside the result.
    side_note: Option<String>,
    /// Whether the prompt holds an earlier shaped result, with the explanation of notes.
    pub(super) follows_shaped: bool,
}

impl ResultReplacement {
    /// Returns the text beside the result: its note, or for the first shaped result the explanation
    /// of notes.
    pub(super) fn additional_context(
        &self,
        is_first: bool,
        host: &'static AgentHook,
        expand: &ExpandCommand,
    ) -> Option<String> {
        let first = is_first && self.side_note.is_none();
        let first = first.then(|| {
            let command = expand.with_handle(Handle::from_content(self.original.as_bytes()));
            // The agent would cut a longer output again, whichever command prints it.
            let way = match self.original.len() <= host.output_bytes_max {
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
        self.side_note.clone().or(first)
    }
}

/// Shapes a new result. Returns `None` if it stays unchanged.
pub(super) fn shape_new_result(
    conversation: Conversation,
    past: &HookHistory<'_>,
    answered: &AnsweredCall,
    host: &'static AgentHook,
    result: &ShapeableOutput,
    expand: &ExpandCommand,
    calls: &CallSettings,
) -> Option<ResultReplacement> {
    if past
        .repeated_call(answered)
        .is_some_and(|last| is_repeated_at_once(&conversation, last, &answered.call))
    {
        past.record_full_result();
        return None;
    }
    let newest = new_entries(&conversation, answered, &result.text)?;
    let mut results = conversation.entries().iter().filter_map(TranscriptEntry::tool_result);
    let follows_shaped = results.any(|result| past.sent_text(&result.call).is_some());
    let mut record = ConversationRecord::from_conversation(conversation, Tokenizer::Bytes);
    let mut visible = VisiblePrompt::from_record(&record);
    if let Some(call) = newest.call {
        let call = record.push(call);
        visible.push_message(&record, call, &Decision::Keep);
    }
    let entry = record.push(newest.result);
    let looks = matches!(record.facts(entry).kind(), EffectKind::Read | EffectKind::Search);
    if !host.keeps_exit_codes && !looks {
        return None;
    }
    let settings = Settings {
        pointers: calls.detect,
        tools_without_pointers: calls.undetected_tools(),
        ..engine_settings(result.kind)
    };
    let new = NewResultShaper {
        record: &record,
        visible: &visible,
        settings: &settings,
        view_source: None,
        budget: OutputBudget::UNBOUNDED,
        trailing_note_bytes: 0,
    };
    let Decision::Replace(shape) = &new.decide() else { return None };
    let (response, whole) = (&answered.response, result.text.clone());
    let shaped = match result.kind {
        OutputKind::Bash | OutputKind::Grep => {
            let sent = render_shape(shape, &whole, expand);
            let output = match (host.is_claude_code(), result.kind) {
                (true, OutputKind::Grep) => tool_output::replace_grep_hits(response, &sent),
                (true, _) => tool_output::replace_bash_output(response, &sent),
                // These agents take a text.
                (false, _) => Value::Null,
            };
            ResultReplacement {
                response: output,
                sent_text: sent,
                original: whole,
                side_note: None,
                follows_shaped,
            }
        }
        OutputKind::Read { first } => {
            let kept = shape.kept_lines(&record.facts(entry).printed);
            let lines = visible_line_range(&kept, &record, entry)?;
            let above = EarlierResults { record: &record, visible: &visible };
            if !above.shows_all_but(entry, &lines) {
                return None;
            }
            let read = shape_read(answered, shape, lines, first, expand, whole)?;
            ResultReplacement { follows_shaped, ..read }
        }
    };
    let sent = shaped.sent_text.len() + shaped.side_note.as_ref().map_or(0, String::len);
    let is_worth_it = sent as f64 <= result.text.len() as f64 * (1.0 - SAVING_MIN)
        && shaped.sent_text.len() <= host.replacement_bytes_max;
    is_worth_it.then_some(shaped)
}

/// Returns whether the model made the call `last` in its response before that of the call `now`, or
/// whether `last` is not recorded yet.
fn is_repeated_at_once(conversation: &Conversation, last: &LastShapedCall, now: &str) -> bool {
    let entries = conversation.entries();
    let is_of = |entry: &TranscriptEntry, id: &str| entry.tool_calls().any(|call| call.id == id);
    let Some(at) = entries.iter().rposition(|entry| is_of(entry, &last.call)) else { return true };
    let later =
        entries[at + 1..].iter().filter(|entry| entry.role == MessageRole::Assistant).count();
    let is_recorded = entries.iter().any(|entry| is_of(entry, now));
    later + usize::from(!is_recorded) <= 1
}

/// Returns the engine's settings for an output. Results that were sent are never rewritten. Lines
/// of a file are omitted only where they stand above: Claude Code numbers the lines that it is
/// given, and would number notes among them.
fn engine_settings(form: OutputKind) -> Settings {
    match form {
        // The note beside a read is about this file alone.
        OutputKind::Read { .. } => Settings { numbers: GutterNumbers::All, ..Settings::lossless() }
            .with_pointers_within_files(),
        OutputKind::Bash | OutputKind::Grep => Settings {
            numbers: GutterNumbers::All,
            rewrite: None,
            curate: None,
            ..Settings::balanced()
        },
    }
}

/// The entries that a new result adds to the conversation.
struct NewEntries {
    /// Its call, unless the conversation has it already.
    call: Option<TranscriptEntry>,
    result: TranscriptEntry,
}

/// Returns the new entries of a result; `None` if the prompt has the result already.
fn new_entries(
    conversation: &Conversation,
    answered: &AnsweredCall,
    text: &str,
) -> Option<NewEntries> {
    let mut results = conversation.entries().iter().filter_map(TranscriptEntry::tool_result);
    if results.any(|result| result.call == answered.call) {
        return None;
    }
    let mut calls = conversation.entries().iter().flat_map(TranscriptEntry::tool_calls);
    let is_recorded = calls.any(|call| call.id == answered.call);
    let step = conversation.entries().last().map_or(0, |entry| entry.source.step) + 1;
    let entry = |role, result, block| TranscriptEntry {
        source: RecordingPosition { step, result },
        role,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks: vec![block],
    };
    let call = || {
        let (id, name) = (answered.call.clone(), answered.tool.clone());
        let call = ToolCall { id, name, arguments: answered.input.clone() };
        entry(MessageRole::Assistant, None, ContentBlock::Call(call))
    };
    let result =
        ToolResult { call: answered.call.clone(), content: text.to_owned(), is_error: false };
    Some(NewEntries {
        call: (!is_recorded).then(call),
        result: entry(MessageRole::Tool, Some(0), ContentBlock::Result(result)),
    })
}

/// Renders the text of a shape. The first note with a handle names the command that restores the
/// omitted content; all notes of a result have the same handle.
fn render_shape(shape: &MessageShape, whole: &str, expand: &ExpandCommand) -> String {
    let has_handle =
        |piece: &ShapePiece| matches!(piece, ShapePiece::Note(_, note) if note.handle.is_some());
    let first = shape.pieces.iter().position(has_handle);
    let text = |(at, piece): (usize, &ShapePiece)| match piece {
        ShapePiece::Note(_, note) if Some(at) == first => {
            note.display_with_command(&expand.command).to_string()
        }
        other => shape.piece_text(other, whole).into_owned(),
    };
    shape.pieces.iter().enumerate().map(text).collect()
}

/// Returns one range of lines, counted from 0: from the first to the last kept line with text, or
/// else a single line with text. Given only empty lines, Claude Code would say that the file is
/// shorter than it is.
fn visible_line_range(
    kept: &[u32],
    record: &ConversationRecord,
    entry: EntryIndex,
) -> Option<Range<usize>> {
    let content = &record.entry(entry).tool_result()?.content;
    let printed = &record.facts(entry).printed.lines;
    let has_text = |at: &usize| {
        printed.get(*at).is_some_and(|line| !line.file_text(content).trim().is_empty())
    };
    let kept = || kept.iter().map(|at| *at as usize).filter(&has_text);
    match (kept().next(), kept().next_back()) {
        (Some(from), Some(to)) => Some(from..to + 1),
        _ => (0..printed.len()).find(has_text).map(|at| at..at + 1),
    }
}

/// The results that the model can see above the new one.
struct EarlierResults<'a> {
    record: &'a ConversationRecord,
    visible: &'a VisiblePrompt,
}

impl EarlierResults<'_> {
    /// Returns whether earlier results show all lines of a result except `lines`. The engine has
    /// checked this; but it may also have shortened a line, and no note here would say so.
    fn shows_all_but(&self, entry: EntryIndex, lines: &Range<usize>) -> bool {
        let mut seen = HashSet::new();
        for index in self.visible.ledger().entries() {
            if let Some(result) = self.record.entry(index).tool_result() {
                let printed = self.record.facts(index).printed.lines.iter();
                seen.extend(printed.map(|line| line.file_text(&result.content).trim()));
            }
        }
        let Some(result) = self.record.entry(entry).tool_result() else { return false };
        let printed = self.record.facts(entry).printed.lines.iter().enumerate();
        let hidden = printed.filter(|(at, _)| !lines.contains(at));
        let mut texts = hidden.map(|(_, line)| line.file_text(&result.content).trim());
        texts.all(|text| text.is_empty() || seen.contains(text))
    }
}

/// Reduces a read to `lines`. A note beside the result describes the omitted lines.
fn shape_read(
    answered: &AnsweredCall,
    shape: &Arc<MessageShape>,
    lines: Range<usize>,
    first: u32,
    expand: &ExpandCommand,
    whole: String,
) -> Option<ResultReplacement> {
    if !matches!(shape.kind, ShapeKind::Pointer | ShapeKind::Delta) {
        return None;
    }
    let output = tool_output::retain_read_lines(&answered.response, first, lines.clone())?;
    let content = output["file"]["content"].as_str()?;
    let from = first.checked_add(u32::try_from(lines.start).ok()?)?;
    let sent = tool_output::number_lines(content, from)?;
    let to = from.checked_add(u32::try_from(lines.len()).ok()?)? - 1;
    let all = whole.split('\n').count();
    let last = first.checked_add(u32::try_from(all).ok()?)? - 1;
    let path = answered.input["file_path"].as_str().unwrap_or("the file");
    let shown = if from == to { format!("line {from}") } else { format!("lines {from}-{to}") };
    let note = format!(
        "foveal: {shown} of {path}; the rest of {first}-{last} is unchanged and stands above: {}. \
         The file is whole; in a shell, `{}` prints all of it.",
        notes_around(shape, &line_byte_range(&whole, &lines)).join(" "),
        expand.with_handle(Handle::from_content(whole.as_bytes())),
    );
    if note.len() > NOTE_BYTES_MAX {
        return None;
    }
    Some(ResultReplacement {
        response: output,
        sent_text: sent,
        original: whole,
        side_note: Some(note),
        follows_shaped: true,
    })
}

/// Returns the notes before and after the shown bytes. Notes in between are about lines that are
/// shown.
fn notes_around(shape: &MessageShape, shown: &Range<usize>) -> Vec<String> {
    let is_shown = |piece: &ShapePiece| match piece {
        ShapePiece::Keep(kept) => {
            (kept.start as usize) < shown.end && shown.start < kept.end as usize
        }
        ShapePiece::Break | ShapePiece::Note(..) => false,
    };
    let first = shape.pieces.iter().position(is_shown).unwrap_or(shape.pieces.len());
    let last = shape.pieces.iter().rposition(is_shown).unwrap_or(0);
    let pieces = shape.pieces.iter().enumerate();
    pieces
        .filter(|(at, _)| *at <= first || last <= *at)
        .filter_map(|(_, piece)| match piece {
            ShapePiece::Note(_, note) => Some(note.to_string()),
            ShapePiece::Break | ShapePiece::Keep(_) => None,
        })
        .collect()
}

/// Returns the byte range of `lines`, which are counted from 0.
fn line_byte_range(text: &str, lines: &Range<usize>) -> Range<usize> {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(lines.start).unwrap_or(text.len());
    let end = starts.nth(lines.len().saturating_sub(1)).unwrap_or(text.len());
    start..end
}
