//! Relates a client's next request to the known conversation, for clients that send their whole
//! history each time.

use foveal_transcript::{
    ClientPrompt, ContentBlock, Conversation, EntryIndex, EntryMark, MessageRole, TranscriptEntry,
};

/// How a request continues a conversation. `from` is the first new message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuation {
    /// The request still holds the whole prompt so far.
    Appended {
        /// The first new message.
        from: usize,
    },
    /// The client rewound: entries from `to` on are no longer sent.
    Rewound {
        /// The first entry that is dropped.
        to: EntryIndex,
        /// The first new message.
        from: usize,
    },
    /// The client compacted: beside the leading system messages only entries from `keep_from` on
    /// are still sent, or none.
    Compacted {
        /// The first earlier entry that stays.
        keep_from: Option<EntryIndex>,
        /// The first new message.
        from: usize,
    },
    /// The messages belong to another conversation.
    Unrelated,
}

impl Continuation {
    /// Returns the mark to append to the conversation before the new messages; `None` if none is
    /// needed.
    pub fn mark(self) -> Option<EntryMark> {
        match self {
            Continuation::Appended { .. } | Continuation::Unrelated => None,
            Continuation::Rewound { to, .. } => Some(EntryMark::Rewind { to }),
            Continuation::Compacted { keep_from, .. } => {
                Some(EntryMark::CompactBoundary { keep_from })
            }
        }
    }
}

/// Compares the messages of a request with the conversation. Messages are equal if their content
/// is: times, places in a recording, reasoning and unknown parts do not count.
pub fn find_continuation(
    conversation: &Conversation,
    incoming: &[TranscriptEntry],
) -> Continuation {
    let mut window = ClientPrompt::default();
    conversation.entries().iter().for_each(|_| {
        window.push(conversation);
    });
    let window = window.entries();
    let entry = |index: &EntryIndex| conversation.entry(*index);
    let shared = |known: &[EntryIndex], sent: &[TranscriptEntry]| {
        known
            .iter()
            .zip(sent)
            .take_while(|(index, sent)| is_same_message(entry(index), sent))
            .count()
    };
    let lead = window.iter().take_while(|index| entry(index).role == MessageRole::System).count();
    let same = shared(window, incoming);
    if same == window.len() {
        return Continuation::Appended { from: same };
    }
    if same > lead {
        return Continuation::Rewound { to: window[same], from: same };
    }
    if same < lead {
        return Continuation::Unrelated;
    }
    let sent = &incoming[lead..];
    let kept = (lead..window.len()).find(|at| {
        let rest = &window[*at..];
        sent.len() >= rest.len() && shared(rest, sent) == rest.len()
    });
    match kept {
        Some(at) => {
            let from = lead + window.len() - at;
            Continuation::Compacted { keep_from: Some(window[at]), from }
        }
        None if lead > 0 => Continuation::Compacted { keep_from: None, from: lead },
        None => Continuation::Unrelated,
    }
}

/// Returns whether two messages have equal content.
fn is_same_message(one: &TranscriptEntry, other: &TranscriptEntry) -> bool {
    let results = |entry: &TranscriptEntry| entry.tool_result().is_some();
    one.role == other.role
        && results(one) == results(other)
        && calls_and_results(one).eq(calls_and_results(other))
        && one.text() == other.text()
}

/// Returns the calls and results of a message; its text is compared as a whole.
fn calls_and_results(entry: &TranscriptEntry) -> impl Iterator<Item = &ContentBlock> {
    entry
        .blocks
        .iter()
        .filter(|block| matches!(block, ContentBlock::Call(_) | ContentBlock::Result(_)))
}
