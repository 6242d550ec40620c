//! Tests of the chat: keys and events in, the screen as text out.

mod asked;
mod bounds;
mod input;
mod map;
mod script;
mod settings;
mod talking;
