//! The tools of an agent: reading, searching, editing and running, each answer shaped for the
//! model that asked.
//!
//! [`table::TOOLS`] lists them; a [`Session`] carries calls out and remembers what it showed.

pub mod answer;
mod call;
mod changed_files;
pub mod clock;
pub mod code_index;
mod coercion;
pub mod control;
mod cut_off;
mod definition;
pub mod error;
pub mod explain;
mod findings;
mod forbidden;
pub mod helping;
pub mod permission;
pub mod person;
mod progress;
pub mod read_view;
mod reading;
mod related;
mod repeats;
mod request;
mod room;
mod schema;
pub mod session;
pub mod settings;
mod spellings;
pub mod table;
mod tool;
pub mod toolbox;
mod unique_keys;
pub mod unkept;
pub mod views;
mod writing;

pub use self::answer::{Answer, AnswerRow};
pub use self::control::Control;
pub use self::definition::Tool;
pub use self::error::ToolError;
pub use self::request::Request;
pub use self::session::Session;
pub use self::toolbox::Toolbox;
pub use self::unique_keys::UniqueKeys;
pub use self::writing::{FileBack, Stands, Was};
