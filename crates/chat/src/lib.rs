//! The screen of foveal's own agent: what was said and done, what is typed, and what stands in the
//! prompt.
//!
//! Pure: keys, events and the time come in as values ([`Input`]), what is to be done goes out as
//! values ([`ChatAction`]), and [`draw`] fills the cells of a frame. Whoever has the terminal and the
//! agent brings both. A frame takes as long as what is on it, however much was said.

mod chat;
mod command;
mod editor;
mod indexing;
mod key;
mod lines;
mod map_view;
mod popup;
mod question;
mod settings;
mod settings_view;
mod status;
mod talk;
mod theme;
mod told;
mod view;

pub use chat::{Chat, ChatAction, Input, Setup};
pub use command::Command;
pub use key::{Key, KeyCode};
pub use lines::of_call as change_of_call;
pub use popup::Candidate;
pub use question::{Permission, Question};
pub use settings::{Origin, Setting, Settings, Takes};
pub use talk::NoteKind;
pub use theme::Colours;
pub use view::draw;
