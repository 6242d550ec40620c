//! What stands in requests that the client does not know of: a tool that gives back what was left
//! out, and the calls of it that were answered behind the client's back. Both are only put between
//! the client's bytes; none of these changes.

mod answered;
mod chat;
mod gemini;
mod insertion;
mod messages;
mod responses;
mod strings;
mod taken_back;
mod tool;

use super::scan::Body;
use crate::protocol::Protocol;

pub use answered::{Answered, Hidden, going_on, marked_at_end};
pub use insertion::{Insertion, inserted};
pub use tool::{expand_tool, offered, takes_tool};

/// Puts the hidden rounds of the answer that begins in the message `at` back where they stood, the
/// last of them the one that ended it; `None` where the client sent something else back than it was
/// shown.
pub fn restored(body: &Body, bytes: &[u8], at: usize, rounds: &[Hidden]) -> Option<Vec<Insertion>> {
    match body.protocol {
        Protocol::Messages => messages::restored(body, bytes, at, rounds),
        Protocol::Chat => chat::restored(body, bytes, at, rounds),
        Protocol::Responses => responses::restored(body, bytes, at, rounds),
        Protocol::Gemini => gemini::restored(body, bytes, at, rounds),
    }
}

/// Whether the answer that begins in the message `at` has anything in common with what was shown of
/// one: whoever sends it back may have changed some of it.
pub fn recalls(body: &Body, bytes: &[u8], at: usize, shown: &[String]) -> bool {
    let recalled = match body.protocol {
        Protocol::Messages => messages::recalls(body, bytes, at, shown),
        Protocol::Chat => chat::recalls(body, bytes, at, shown),
        Protocol::Responses => responses::recalls(body, bytes, at, shown),
        Protocol::Gemini => gemini::recalls(body, bytes, at, shown),
    };
    recalled.unwrap_or(false)
}
