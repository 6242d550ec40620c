//! What can go wrong with an answer.

use std::time::Duration;

/// What goes wrong with an answer. Events are counted from 0; of an answer that is not streamed
/// the body is one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// The connection is reset before anything is answered.
    ResetBeforeHead,
    /// The connection is reset behind the head.
    ResetAfterHead,
    /// The connection is reset in the middle of this event.
    ResetInEvent(usize),
    /// The answer ends in good form before this event.
    TruncatedBefore(usize),
    /// This pause before each part of so many bytes.
    Slow {
        /// Bytes of a part.
        bytes: usize,
        /// How long it waits before each.
        pause: Duration,
    },
    /// This pause before the head.
    Late(Duration),
    /// This status and the protocol's error body.
    Status {
        /// The status: 429, 500, 529 …
        status: u16,
        /// Seconds of a `retry-after` header.
        retry_after_s: Option<u32>,
    },
    /// An error event in place of this event, and then the end.
    ErrorEvent(usize),
    /// Before this event nothing more comes, and the connection stays open.
    Silent(usize),
    /// Before this event only keep-alives come, one in each pause, for ever.
    Endless {
        /// The event that never comes.
        before: usize,
        /// Time between two keep-alives.
        pause: Duration,
    },
}
