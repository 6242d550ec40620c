//! A client that sends its whole history with each request, and who receives it.

use foveal_context::follow::{Followed, follow};
use foveal_transcript::{Conversation, Entry, EntryIndex, Mark, Role, Source, Window};

/// What a client sends at the end of a conversation: the messages of the prompt, without marks.
pub fn sent(conversation: &Conversation) -> Vec<Entry> {
    let mut window = Window::default();
    for _ in conversation.entries() {
        window.push(conversation);
    }
    let message =
        |index: &EntryIndex| Entry { mark: Mark::None, ..conversation.entry(*index).clone() };
    window.entries().iter().map(message).collect()
}

/// Takes a request's messages into the conversation known so far; what they meant for it.
pub fn receive(conversation: &mut Conversation, incoming: &[Entry]) -> Followed {
    let followed = follow(conversation, incoming);
    if let Some(mark) = followed.mark() {
        conversation.push(Entry {
            source: Source { step: 0, result: None },
            role: Role::System,
            time: None,
            mark,
            model: None,
            usage: None,
            blocks: Vec::new(),
        });
    }
    let from = match followed {
        Followed::Appended { from }
        | Followed::Rewound { from, .. }
        | Followed::Compacted { from, .. } => from,
        Followed::Unrelated => {
            *conversation = conversation.emptied();
            0
        }
    };
    for entry in &incoming[from..] {
        conversation.push(entry.clone());
    }
    followed
}
