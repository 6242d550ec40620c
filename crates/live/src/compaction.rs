//! Requests by which a client has its conversation summed up, to go on with the summary alone.

use foveal_transcript::{Entry, Role};

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

/// How far into a message it is looked for.
const BYTES_MAX: usize = 2_000;

/// Whether the last message that is not the model's asks for a summary of the conversation.
pub(crate) fn asks_for_summary<'a>(last: impl Iterator<Item = &'a Entry>) -> bool {
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
