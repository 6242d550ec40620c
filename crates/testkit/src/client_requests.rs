//! A client that sends its whole history with each request.

use foveal_transcript::{ClientPrompt, Conversation, EntryIndex, EntryMark, TranscriptEntry};

/// Returns the messages that a client sends at the end of a conversation: those of the prompt,
/// without marks.
pub fn client_messages(conversation: &Conversation) -> Vec<TranscriptEntry> {
    let mut window = ClientPrompt::default();
    for _ in conversation.entries() {
        window.push(conversation);
    }
    let message = |index: &EntryIndex| TranscriptEntry {
        mark: EntryMark::None,
        ..conversation.entry(*index).clone()
    };
    window.entries().iter().map(message).collect()
}
