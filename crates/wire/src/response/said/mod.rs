//! What a model says, to the last word, while its answer streams: for who asks the model itself.
//!
//! Beside it stands [`AnswerReader`](super::AnswerReader), which tells what was billed and how the
//! answer ended; a [`SaidReader`] has one inside.

mod arguments;
mod chat;
mod event;
mod messages;
mod parts;
mod reader;
mod responses;
mod stop;

pub use arguments::read_arguments;
pub use event::SaidEvent;
pub use parts::{SAID_BYTES_MAX, SAID_PARTS_MAX};
pub use reader::{Said, SaidReader};
pub use stop::StopReason;
