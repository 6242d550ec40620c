//! Which commits and files of a history make cases. The caller reads the history.

mod message;
mod rules;
mod source_file;

pub use message::{Refused, question};
pub use rules::{Change, Rules, case};
pub use source_file::{is_foreign_path, is_generated};
