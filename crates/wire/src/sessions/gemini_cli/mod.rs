//! Gemini CLI's sessions: JSONL in newer versions, where a message is written again with each
//! thing that comes to it, and one document in older ones.
//!
//! A `$set` of all messages is how a compaction is written, and `$rewindTo` how the conversation
//! goes back.

mod messages;
mod reader;

pub(crate) use self::reader::{GeminiCli, is_format};
