//! Requests by which a client has its conversation summed up, to go on with the summary alone.

use foveal_transcript::{Block, Entry, Role};
use foveal_wire::body::{Body, BodyError, MarkPlace};

/// How such requests begin, by client, in lower case. Facts of the clients, seen in what they send
/// and in their public sources.
const BEGINNINGS: &[&str] = &[
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

/// Leaves out of a body the messages that the provider does not read, because it compacted the
/// conversation itself behind them: nothing may point there, and their bytes stay as they are.
/// Whether there were any. The first `known` messages are known to hold no compaction.
pub(crate) fn leave_out_what_is_compacted(
    body: &mut Body,
    bytes: &[u8],
    known: usize,
) -> Result<bool, BodyError> {
    let finder = memchr::memmem::Finder::new(WORD);
    let (Some(first), Some(last)) = (body.messages.get(known), body.messages.last()) else {
        return Ok(false);
    };
    // The word stands in few prompts, and in those in few messages.
    if finder.find(&bytes[first.start..last.end]).is_none() {
        return Ok(false);
    }
    let has_word = |at: &usize| finder.find(&bytes[body.messages[*at].clone()]).is_some();
    let candidates: Vec<usize> = (known..body.messages.len()).rev().filter(has_word).collect();
    for message in candidates {
        if body.message(bytes, message)?.compacts {
            body.messages.drain(..message);
            body.marks.retain_mut(|mark| match &mut mark.place {
                MarkPlace::Message(at) if *at < message => false,
                MarkPlace::Message(at) => {
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

/// What the types of such blocks have in them.
const WORD: &[u8] = b"compaction";

/// How far into a message it is looked for.
const BYTES_MAX: usize = 2_000;

/// The item that ends a request by which Codex has the provider compact the conversation.
const TRIGGER: &str = "compaction_trigger";

/// Whether the last message asks for a summary of the conversation: in words that are not the
/// model's, or by an item of its own.
pub(crate) fn asks_for_summary<'a>(last: impl Iterator<Item = &'a Entry> + Clone) -> bool {
    let is_trigger = |block: &Block| matches!(block, Block::Opaque { kind, .. } if kind == TRIGGER);
    if last.clone().flat_map(|entry| &entry.blocks).any(is_trigger) {
        return true;
    }
    let asking = last.filter(|entry| matches!(entry.role, Role::User | Role::System)).last();
    asking.is_some_and(|entry| {
        let text = entry.text();
        let mut end = text.len().min(BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let start = text[..end].to_lowercase();
        BEGINNINGS.iter().any(|beginning| start.contains(beginning))
    })
}
