//! OpenHands' events. They come as `output.jsonl` of a benchmark (a `history` per line, in old
//! versions of pairs), as an array of events, or one event per line.

mod action;
mod events;
mod kinds;
mod reader;

pub(crate) use self::reader::{OpenHands, is_format};
