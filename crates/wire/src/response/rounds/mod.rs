//! Several answers of a model told as one: where the model calls the tool that gives back what was
//! left out, whoever put that tool there answers it and asks again, and the client sees one answer
//! in which neither the calls nor the seams show.
//!
//! Pure: bytes in, bytes out. A [`RoundStream`] takes events in any pieces; a [`RoundDocument`]
//! takes whole answers. What is none of the tool's passes byte for byte.

mod blocks;
mod chat;
mod document;
mod edit;
mod gemini;
mod items;
mod lone;
mod messages;
mod messages_document;
mod parts;
mod responses;
mod stream;
mod turn;
mod usage;

pub use document::RoundDocument;
pub use stream::RoundStream;
pub use turn::{Called, EXPAND_TOOL, Turn};

pub(crate) use items::known_item;
pub(crate) use messages::known_by;
pub(crate) use parts::GeminiPart;
pub(crate) use turn::{may_be_missing, says_nothing, shown};
