//! What a client's next request means for the conversation known so far, where the client
//! sends its whole history each time.

use foveal_transcript::{Block, Conversation, Entry, EntryIndex, Mark, Role, Window};

/// How a request's messages continue a conversation. `from` is the first message that is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// The whole prompt so far is still sent.
    Appended {
        /// The first new message.
        from: usize,
    },
    /// The client went back: entries from `to` on are no longer sent.
    Rewound {
        /// The first entry that is dropped.
        to: EntryIndex,
        /// The first new message.
        from: usize,
    },
    /// The client compacted: beside the leading system messages only the entries from
    /// `keep_from` on are still sent, or none.
    Compacted {
        /// The first earlier entry that stays.
        keep_from: Option<EntryIndex>,
        /// The first new message.
        from: usize,
    },
    /// The messages are those of another conversation.
    Unrelated,
}

impl Followed {
    /// What an entry without content says of it in the conversation, before the new messages
    /// are appended; `None` where nothing need be said.
    pub fn mark(self) -> Option<Mark> {
        match self {
            Followed::Appended { .. } | Followed::Unrelated => None,
            Followed::Rewound { to, .. } => Some(Mark::Rewind { to }),
            Followed::Compacted { keep_from, .. } => Some(Mark::CompactBoundary { keep_from }),
        }
    }
}

/// Compares what a client sends with what it sent before. Messages are the same if they say
/// the same: times, places in a recording, reasoning and unknown parts do not count.
pub fn follow(conversation: &Conversation, incoming: &[Entry]) -> Followed {
    let mut window = Window::default();
    conversation.entries().iter().for_each(|_| {
        window.push(conversation);
    });
    let window = window.entries();
    let entry = |index: &EntryIndex| conversation.entry(*index);
    let shared = |known: &[EntryIndex], sent: &[Entry]| {
        known.iter().zip(sent).take_while(|(index, sent)| is_same(entry(index), sent)).count()
    };
    let lead = window.iter().take_while(|index| entry(index).role == Role::System).count();
    let same = shared(window, incoming);
    if same == window.len() {
        return Followed::Appended { from: same };
    }
    if same > lead {
        return Followed::Rewound { to: window[same], from: same };
    }
    if same < lead {
        return Followed::Unrelated;
    }
    let sent = &incoming[lead..];
    let kept = (lead..window.len()).find(|at| {
        let rest = &window[*at..];
        sent.len() >= rest.len() && shared(rest, sent) == rest.len()
    });
    match kept {
        Some(at) => {
            let from = lead + window.len() - at;
            Followed::Compacted { keep_from: Some(window[at]), from }
        }
        None if lead > 0 => Followed::Compacted { keep_from: None, from: lead },
        None => Followed::Unrelated,
    }
}

/// Whether two messages say the same.
fn is_same(one: &Entry, other: &Entry) -> bool {
    let results = |entry: &Entry| entry.result().is_some();
    one.role == other.role
        && results(one) == results(other)
        && parts(one).eq(parts(other))
        && one.text() == other.text()
}

/// The calls and results of a message; its text is compared as a whole.
fn parts(entry: &Entry) -> impl Iterator<Item = &Block> {
    entry.blocks.iter().filter(|block| matches!(block, Block::Call(_) | Block::Result(_)))
}
