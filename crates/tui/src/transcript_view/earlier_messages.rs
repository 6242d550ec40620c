//! The messages of an earlier run as blocks.

use foveal_transcript::{ContentBlock, MessageRole, TranscriptEntry};

use super::block::{ChatBlock, Thinker};
use super::block_list::TranscriptView;
use super::tool_block::{ToolBlock, ToolState};

impl TranscriptView {
    /// Adds the messages of an earlier run. Their durations are unknown.
    pub(crate) fn push_earlier_messages(&mut self, entries: &[TranscriptEntry]) {
        for entry in entries {
            match entry.role {
                MessageRole::System => {}
                MessageRole::User => self.push_block(ChatBlock::User(entry.text())),
                MessageRole::Assistant | MessageRole::Tool => {
                    self.begin_answer();
                    entry.blocks.iter().for_each(|part| self.push_message_block(part));
                }
            }
        }
        self.close_open_calls(&ToolState::Interrupted);
        self.begin_answer();
    }

    fn push_message_block(&mut self, part: &ContentBlock) {
        match part {
            ContentBlock::Text(text) => self.append_reply(text),
            ContentBlock::Reasoning(text) if text.is_empty() => {}
            ContentBlock::Reasoning(text) => {
                let (thinker, text) = (Thinker::Main, text.clone());
                let (began_ms, took_ms) = (0, Some(0));
                self.push_block(ChatBlock::Thinking { thinker, text, began_ms, took_ms });
            }
            ContentBlock::Call(call) => {
                let mut tool = ToolBlock::new(call.id.clone(), call.name.clone(), 0);
                tool.start_running(call.arguments.clone(), 0);
                self.push_block(ChatBlock::Tool(Box::new(tool)));
            }
            ContentBlock::Result(result) => {
                self.update_open_call(&result.call, |tool| {
                    tool.record_answer(&result.content, result.is_error, false, None);
                });
            }
            ContentBlock::Opaque { .. } => {}
        }
    }
}
