//! Claude Code's session JSONL.
//!
//! A response is spread over lines of one `message.id`, results of parallel calls come
//! between them, and side-chains of sub-agents are interleaved with the main conversation.
//! `parentUuid` links every line to the one before it in its conversation.

mod envelope;
mod live_branch;
mod reader;
mod recording;
mod requests;
mod track;

pub use self::live_branch::{LiveBranch, live_branch};
pub use self::reader::OPEN_SESSIONS_MAX;
pub(crate) use self::reader::{ClaudeCode, is_format};
