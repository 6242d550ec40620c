//! Reads Gemini CLI's sessions: JSONL in newer versions, where a message is written again with each
//! addition, and one document in older ones.
//!
//! `$set` with all messages records a compaction, and `$rewindTo` a rewind.

mod reader;
mod tracked_messages;

pub(crate) use self::reader::{GeminiCliReader, is_format};
