//! The faults of an answer.

use std::time::Duration;

/// A fault of an answer. Events are counted from 0; the body of an answer that is not streamed is
/// one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ScriptedFault {
    /// No fault.
    #[default]
    None,
    /// Resets the connection before the answer.
    ResetBeforeHead,
    /// Resets the connection after the head.
    ResetAfterHead,
    /// Resets the connection in the middle of this event.
    ResetInEvent(usize),
    /// Ends the answer in good form before this event.
    TruncatedBefore(usize),
    /// Pauses before each part of this many bytes.
    Slow {
        /// Bytes of a part.
        bytes: usize,
        /// The pause before each part.
        pause: Duration,
    },
    /// Pauses before the head.
    DelayedHead(Duration),
    /// Answers with this status and the protocol's error body.
    Status {
        /// The status: 429, 500, 529 …
        status: u16,
        /// The seconds of a `retry-after` header.
        retry_after_s: Option<u32>,
    },
    /// Replaces this event by an error event and ends.
    ErrorEvent(usize),
    /// Sends nothing from this event on, and keeps the connection open.
    SilentBefore(usize),
    /// Sends keep-alives instead of this event, one after each pause, without end.
    EndlessKeepAlives {
        /// The event that is never sent.
        before: usize,
        /// The time between two keep-alives.
        pause: Duration,
    },
}
