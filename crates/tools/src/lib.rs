//! The tools of an agent: reading, searching, editing and running, each answer shaped for the
//! model that asked.
//!
//! [`table::TOOLS`] lists them; a [`Session`] carries calls out and remembers what it showed.

pub mod answer;
pub mod clock;
pub mod code_index;
pub mod control;
pub mod error;
pub mod permission;
mod progress;
pub mod schema;
pub mod session;
pub mod settings;
pub mod table;
mod tool;
pub mod toolbox;
pub mod views;

pub use self::answer::{Answer, AnswerRow};
pub use self::control::Control;
pub use self::error::ToolError;
pub use self::session::{Request, Session};
pub use self::table::Tool;
pub use self::toolbox::Toolbox;
