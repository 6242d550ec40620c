//! What an earlier run of a session said and did, as blocks.

use foveal_transcript::{Block as Part, Entry, Role};

use super::block::Block;
use super::blocks::Talk;
use super::tool::{ToolBlock, ToolState};

impl Talk {
    /// Takes the messages of an earlier run. How long things took is not known of them.
    pub(crate) fn take_past(&mut self, entries: &[Entry]) {
        for entry in entries {
            match entry.role {
                Role::System => {}
                Role::User => self.push(Block::User(entry.text())),
                Role::Assistant | Role::Tool => {
                    self.begin_answer();
                    entry.blocks.iter().for_each(|part| self.take_part(part));
                }
            }
        }
        self.leave_open(&ToolState::BrokeOff);
        self.begin_answer();
    }

    fn take_part(&mut self, part: &Part) {
        match part {
            Part::Text(text) => self.say(text),
            Part::Reasoning(text) if text.is_empty() => {}
            Part::Reasoning(text) => {
                let (text, began_ms, took_ms) = (text.clone(), 0, Some(0));
                self.push(Block::Thinking { text, began_ms, took_ms });
            }
            Part::Call(call) => {
                let mut tool = ToolBlock::new(call.id.clone(), call.name.clone(), 0);
                tool.run(call.arguments.clone(), 0);
                self.push(Block::Tool(Box::new(tool)));
            }
            Part::Result(result) => {
                self.with_tool(&result.call, |tool| {
                    tool.answer(&result.content, result.is_error, false, None);
                });
            }
            Part::Opaque { .. } => {}
        }
    }
}
