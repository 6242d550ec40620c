//! Requests by which a client has its conversation summarised, to continue with the summary alone.

use foveal_protocols::request_body::{BodyError, BreakpointTarget, RequestBody};
use foveal_transcript::{ContentBlock, MessageRole, TranscriptEntry};

/// The beginnings of such requests by client, in lower case. They were observed in the requests of
/// these clients and in their public sources.
const SUMMARY_PROMPT_STARTS: &[&str] = &[
    // Claude Code.
    "your task is to create a detailed summary of the conversation so far",
    "your task is to create a detailed summary of the recent portion of the conversation",
    // Codex.
    "you are performing a context checkpoint compaction",
    // opencode.
    "provide a detailed prompt for continuing our conversation above",
    "provide a detailed but concise summary of our conversation above",
    // Gemini CLI and Qwen Code.
    "first, reason in your scratchpad. then, generate the <state_snapshot>",
    // Cline.
    "the current conversation is rapidly running out of context",
    // pi.
    "the messages above are a conversation to summarize",
];

/// Removes from `body` the messages in front of the provider's own compaction, which the provider
/// does not read: no note may point there, and their bytes stay unchanged. Returns whether there
/// were any. The first `known` messages are known to contain no compaction.
pub(crate) fn drop_compacted_messages(
    body: &mut RequestBody,
    bytes: &[u8],
    known: usize,
) -> Result<bool, BodyError> {
    let finder = memchr::memmem::Finder::new(COMPACTION_MARKER);
    let (Some(first), Some(last)) = (body.messages.get(known), body.messages.last()) else {
        return Ok(false);
    };
    // Few prompts contain the word, and few messages of those.
    if finder.find(&bytes[first.start..last.end]).is_none() {
        return Ok(false);
    }
    let has_word = |at: &usize| finder.find(&bytes[body.messages[*at].clone()]).is_some();
    let candidates: Vec<usize> = (known..body.messages.len()).rev().filter(has_word).collect();
    for message in candidates {
        if body.decode_message(bytes, message)?.is_compaction {
            body.messages.drain(..message);
            body.breakpoints.retain_mut(|mark| match &mut mark.target {
                BreakpointTarget::Message(at) if *at < message => false,
                BreakpointTarget::Message(at) => {
                    *at -= message;
                    true
                }
                _ => true,
            });
            return Ok(true);
        }
    }
    Ok(false)
}

/// A word that the types of all compaction blocks contain.
const COMPACTION_MARKER: &[u8] = b"compaction";

/// The number of bytes of a message that are searched for the beginning of a summary request.
const SUMMARY_PROMPT_BYTES_MAX: usize = 2_000;

/// The type of the item by which Codex asks the provider to compact the conversation. It ends the
/// request.
const COMPACTION_TRIGGER: &str = "compaction_trigger";

/// Returns whether the last message asks for a summary of the conversation, by text that is not the
/// model's or by an item of its own.
pub(crate) fn asks_for_summary<'a>(
    last: impl Iterator<Item = &'a TranscriptEntry> + Clone,
) -> bool {
    let is_trigger = |block: &ContentBlock| matches!(block, ContentBlock::Opaque { kind, .. } if kind == COMPACTION_TRIGGER);
    if last.clone().flat_map(|entry| &entry.blocks).any(is_trigger) {
        return true;
    }
    let asking =
        last.filter(|entry| matches!(entry.role, MessageRole::User | MessageRole::System)).last();
    asking.is_some_and(|entry| {
        let text = entry.text();
        let mut end = text.len().min(SUMMARY_PROMPT_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let start = text[..end].to_lowercase();
        SUMMARY_PROMPT_STARTS.iter().any(|beginning| start.contains(beginning))
    })
}
