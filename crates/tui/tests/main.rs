//! Tests of the chat: keys and events in, the screen as text out.

mod bounds;
mod input;
mod map;
mod messages;
mod questions;
mod script;
mod settings;
