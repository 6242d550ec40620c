//! A client that sends its whole history with each request, and the receiver of these requests.

use foveal_engine::continuation::{Continuation, find_continuation};
use foveal_transcript::{
    ClientPrompt, Conversation, EntryIndex, EntryMark, MessageRole, RecordingPosition,
    TranscriptEntry,
};

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

/// Adds a request's messages to the known conversation. Returns their relation to it.
pub fn receive_request(
    conversation: &mut Conversation,
    incoming: &[TranscriptEntry],
) -> Continuation {
    let followed = find_continuation(conversation, incoming);
    if let Some(mark) = followed.mark() {
        conversation.push(TranscriptEntry {
            source: RecordingPosition { step: 0, result: None },
            role: MessageRole::System,
            time: None,
            mark,
            model: None,
            usage: None,
            blocks: Vec::new(),
        });
    }
    let from = match followed {
        Continuation::Appended { from }
        | Continuation::Rewound { from, .. }
        | Continuation::Compacted { from, .. } => from,
        Continuation::Unrelated => {
            *conversation = conversation.without_entries();
            0
        }
    };
    for entry in &incoming[from..] {
        conversation.push(entry.clone());
    }
    followed
}
