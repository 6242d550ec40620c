//! Reads Claude Code's session JSONL.
//!
//! A response spans several lines of one `message.id`, results of parallel calls come between them,
//! and side-chains of sub-agents are interleaved with the main conversation. `parentUuid` links
//! each line to the line before it in its conversation.

mod line_envelope;
mod live_branch;
mod reader;
mod recorded_requests;
mod session_conversation;
mod session_lines;

pub use self::live_branch::{LiveBranch, find_live_branch};
pub use self::reader::OPEN_SESSIONS_MAX;
pub(crate) use self::reader::{ClaudeCodeReader, is_format};
