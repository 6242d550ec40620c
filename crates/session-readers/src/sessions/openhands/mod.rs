//! Reads OpenHands' events. They come as `output.jsonl` of a benchmark (one `history` per line, in
//! old versions of pairs), as an array of events, or as one event per line.

mod action_events;
mod event_session;
mod kind_events;
mod reader;

pub(crate) use self::reader::{OpenHandsReader, is_format};
