//! The transcript as it is displayed: messages, reasoning, tool calls and notices, block by block.

mod block;
mod block_lines;
mod block_list;
mod call_subject;
mod earlier_messages;
mod event_updates;
mod sub_agent_activity;
mod tool_block;

pub(crate) use self::block::ChatBlock;
pub use self::block::NoticeLevel;
pub(crate) use self::block_lines::latest_reasoning_lines;
pub(crate) use self::block_list::{THINKING_BYTES_MAX, TranscriptView};
pub(crate) use self::call_subject::{is_edit_tool, paths_of_call};
