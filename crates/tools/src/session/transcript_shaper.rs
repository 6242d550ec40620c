//! The shaper of a session that serves a client by itself. It keeps calls and answers as a
//! transcript, and the engine shapes each answer once, on arrival.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::Decision;
use foveal_engine::new_result::NewResultShaper;
use foveal_engine::output_budget::OutputBudget;
use foveal_engine::settings::Settings;
use foveal_engine::views::{ProgressListener, ViewSource};
use foveal_engine::visible_prompt::VisiblePrompt;
use foveal_pricing::tokens::Tokenizer;
use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, Handle, MessageRole, RecordingPosition,
    Timestamp, ToolCall, ToolResult, TranscriptEntry,
};

use crate::read_view::ReadView;
use crate::read_views::ReadViewSelector;

use super::deliveries::{CallVisibility, SessionCallId, SettledCallIds};
use super::line_range_set::LineRangeSet;
use super::shaper::{AnswerShaper, LineCounts, RestoredCall, ShapedAnswer, ShapingInput};

/// Bytes of calls and answers after which a session starts anew. No prompt holds as much.
const BYTES_MAX: usize = 8 << 20;

/// Bytes counted for each call beside its texts, for the memory of its analysis.
const CALL_OVERHEAD_BYTES: usize = 1 << 10;

/// Shapes each answer against the transcript of the session.
#[derive(Debug)]
pub struct TranscriptShaper {
    record: ConversationRecord,
    /// The content that was given to any call and may have been delivered.
    visible: VisiblePrompt,
    /// Messages of calls that are not settled, in order.
    pending: Vec<PendingMessage>,
    settings: Settings,
    /// Selects lines of reads that are not shown whole.
    curator: Arc<dyn ViewSource>,
    directory: String,
    bytes: usize,
    step: u32,
}

/// A message of a call that is not settled.
#[derive(Debug, Clone, Copy)]
struct PendingMessage {
    entry: EntryIndex,
    call: SessionCallId,
    awaits_delivery: bool,
}

impl TranscriptShaper {
    /// Creates a shaper with an empty transcript; relative paths start at `directory`.
    pub fn new(settings: Settings, curator: Arc<dyn ViewSource>, directory: String) -> Self {
        let (record, visible) = (new_record(&directory), VisiblePrompt::default());
        let pending = Vec::new();
        Self { record, visible, pending, settings, curator, directory, bytes: 0, step: 0 }
    }

    /// Sets the folder in which the next call's relative paths start. The commands in the
    /// transcript do not tell it: they may have been kept from leaving the roots.
    fn set_working_directory(&mut self, directory: &Path) {
        self.record.set_directory(&directory.to_string_lossy());
    }

    /// Appends a call and its answer.
    fn push_call(&mut self, call: ShapingInput<'_>, content: String) -> EntryIndex {
        if let Some(directory) = call.directory {
            self.set_working_directory(directory);
        }
        let (question, arguments) = (call.question.unwrap_or_default(), call.arguments);
        self.bytes +=
            CALL_OVERHEAD_BYTES + content.len() + question.len() + arguments.to_string().len();
        self.step += 1;
        let (now, is_error) = (call.time, call.is_error);
        if let Some(question) = call.question {
            self.push_visible(MessageRole::User, ContentBlock::Text(question.to_owned()), now);
        }
        let id = self.step.to_string();
        let (name, arguments) = (call.tool.to_owned(), call.arguments.clone());
        let call = ToolCall { id: id.clone(), name, arguments };
        self.push_visible(MessageRole::Assistant, ContentBlock::Call(call), now);
        let result = ToolResult { call: id, content, is_error };
        self.push_message(MessageRole::Tool, ContentBlock::Result(result), now)
    }

    /// Returns the prompt as the model saw it when it made the call.
    fn visible_to_call(&self, view: &CallVisibility) -> Cow<'_, VisiblePrompt> {
        let hidden = self.pending.iter().filter(|given| !view.is_answer_visible(given.call));
        let hidden: Vec<EntryIndex> = hidden.map(|given| given.entry).collect();
        match hidden.is_empty() {
            true => Cow::Borrowed(&self.visible),
            false => Cow::Owned(self.visible.without_messages(&self.record, &hidden)),
        }
    }

    fn make_answer(&self, entry: EntryIndex, decision: &Decision) -> ShapedAnswer {
        let result = self.record.entry(entry).tool_result().expect("it was pushed as a result");
        let facts = self.record.facts(entry);
        let printed = &facts.printed;
        let number = |at: u32| printed.lines[at as usize].number.map(|number| number.0);
        let count = printed.lines.len() as u32;
        let kept: Vec<u32> = match decision {
            Decision::Keep => (0..count).filter_map(number).collect(),
            Decision::Replace(shape) => {
                shape.kept_lines(printed).into_iter().filter_map(number).collect()
            }
        };
        let left_out = match decision {
            Decision::Keep => LineRangeSet::default(),
            Decision::Replace(shape) => LineRangeSet::from_ranges(
                shape.omitted_line_numbers(printed).map(|number| (number, number)),
            ),
        };
        let all = (0..count).filter_map(number).count() as u32;
        ShapedAnswer {
            handle: facts.handle().expect("a result has a handle"),
            bytes: result.content.len() as u64,
            text: match decision {
                Decision::Keep => result.content.clone(),
                Decision::Replace(shape) => shape.render(&result.content),
            },
            shape: match decision {
                Decision::Keep => None,
                Decision::Replace(shape) => Some(Arc::clone(shape)),
            },
            lines: LineCounts { all, shown: kept.len() as u32 },
            shown: LineRangeSet::from_ranges(kept.into_iter().map(|line| (line, line))),
            left_out,
            is_final: true,
            place: Some(entry),
            chosen_by: None,
        }
    }

    /// Appends a message that is sent whole.
    fn push_visible(&mut self, role: MessageRole, block: ContentBlock, now: Timestamp) {
        let entry = self.push_message(role, block, now);
        self.visible.push_message(&self.record, entry, &Decision::Keep);
    }

    /// Removes undelivered messages, ascending, from the prompt.
    fn remove_undelivered(&mut self, lost: &[EntryIndex]) {
        if !lost.is_empty() {
            self.visible = self.visible.without_messages(&self.record, lost);
        }
    }

    fn push_message(
        &mut self,
        role: MessageRole,
        block: ContentBlock,
        now: Timestamp,
    ) -> EntryIndex {
        let entry = TranscriptEntry {
            source: RecordingPosition {
                step: self.step,
                result: (role == MessageRole::Tool).then_some(0),
            },
            role,
            time: Some(now),
            mark: EntryMark::None,
            model: None,
            usage: None,
            blocks: vec![block],
        };
        self.record.push(entry)
    }
}

impl AnswerShaper for TranscriptShaper {
    fn shape(&mut self, call: ShapingInput<'_>, content: String, view: ReadView) -> ShapedAnswer {
        // The first read of a short file returns it whole, whatever lines it shares with other
        // files.
        let settings = match (call.may_point, view.is_short(&content)) {
            (false, _) => Some(self.settings.clone().without_pointers()),
            (true, true) => Some(self.settings.clone().with_pointers_within_files()),
            (true, false) => None,
        };
        let (room, end_bytes, given_to) =
            (call.output_budget, call.trailing_note_bytes, call.visibility);
        let watch = call.watch;
        let first = self.record.len() as u32;
        let entry = self.push_call(call, content);
        let (call, awaits_delivery) = (given_to.call_id(), given_to.awaits_delivery());
        let own = (first..=entry.0).map(EntryIndex);
        self.pending.extend(own.map(|entry| PendingMessage { entry, call, awaits_delivery }));
        // The views of this read: the mode of the read applies to this answer alone.
        let views = ReadViewSelector::new(Arc::clone(&self.curator), view, room, watch);
        let visible = self.visible_to_call(given_to);
        let result = NewResultShaper {
            record: &self.record,
            visible: &visible,
            settings: settings.as_ref().unwrap_or(&self.settings),
            view_source: Some(&views),
            budget: room,
            trailing_note_bytes: end_bytes,
        };
        let decision = result.decide();
        drop(visible);
        self.visible.push_message(&self.record, entry, &decision);
        ShapedAnswer {
            chosen_by: views.into_choosing_model(),
            ..self.make_answer(entry, &decision)
        }
    }

    fn restore(&mut self, calls: Vec<RestoredCall>) -> bool {
        self.clear_visibility();
        let mut lost = Vec::new();
        for earlier in calls {
            let RestoredCall { tool, arguments, question, content, is_error, time, .. } = earlier;
            let call = ShapingInput {
                tool: &tool,
                arguments: &arguments,
                question: question.as_deref(),
                is_error,
                directory: earlier.directory.as_deref(),
                time,
                output_budget: OutputBudget::UNBOUNDED,
                trailing_note_bytes: 0,
                visibility: CallVisibility::EMPTY,
                may_point: true,
                watch: ProgressListener::IGNORED,
            };
            let first = self.record.len() as u32;
            let entry = self.push_call(call, content);
            // Notes refer to answers by their places.
            if earlier.place != entry {
                self.clear_visibility();
                return false;
            }
            self.visible.push_message(&self.record, entry, &earlier.decision);
            if !earlier.is_delivered {
                lost.extend((first..=entry.0).map(EntryIndex));
            }
        }
        self.remove_undelivered(&lost);
        true
    }

    fn clear_visibility(&mut self) {
        (self.record, self.visible) = (new_record(&self.directory), VisiblePrompt::default());
        self.pending.clear();
        self.bytes = 0;
    }

    fn apply_settled(&mut self, settled: &SettledCallIds) -> Vec<EntryIndex> {
        let (mut places, mut lost) = (Vec::new(), Vec::new());
        self.pending.retain(|given| {
            let is_delivered = settled.delivered.contains(&given.call);
            if is_delivered && given.awaits_delivery {
                places.push(given.entry);
            }
            let is_lost = settled.lost.contains(&given.call);
            if is_lost {
                lost.push(given.entry);
            }
            !is_delivered && !is_lost
        });
        self.remove_undelivered(&lost);
        places.retain(|entry| self.record.entry(*entry).tool_result().is_some());
        places
    }

    fn would_overflow(&self, bytes: usize) -> bool {
        self.bytes > 0 && self.bytes + bytes > BYTES_MAX
    }

    fn find_whole_content(&self, handle: Handle) -> Option<&str> {
        let mut entries = (0..self.record.len() as u32).rev().map(EntryIndex);
        let entry = entries.find(|entry| self.record.facts(*entry).handle() == Some(handle))?;
        Some(&self.record.entries().get(entry.as_usize())?.tool_result()?.content)
    }
}

/// Creates an empty record of a conversation that begins in `directory`.
fn new_record(directory: &str) -> ConversationRecord {
    let mut conversation = Conversation::default();
    conversation.directory = Some(directory.to_owned());
    ConversationRecord::from_conversation(conversation, Tokenizer::Bytes)
}

#[cfg(test)]
mod tests;
