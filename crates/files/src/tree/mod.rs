//! Searching and listing what lies under a folder, by the rules of ripgrep: files that
//! `.gitignore` and its like name, hidden files and binary files are passed over, symbolic
//! links are not followed.
//!
//! Answers are ordered, counted in whole and given by the page. Files are opened by the
//! caller, so that what may be read is decided there; names come from walking.

mod across;
mod answer;
mod first;
mod glob;
mod grep;
mod ignored;
mod kept;
mod list;
mod name;
mod query;
mod rows;
mod scope;
mod search;
mod unchanged;
mod walk;

pub use answer::{FileHits, GrepAnswer, HitLine, Passed, Unit};
pub use glob::{GlobAnswer, GlobQuery, Order, glob};
pub use grep::grep;
pub use list::{EntryKind, ListAnswer, ListEntry, ListQuery, list};
pub use name::{name_of, path_of};
pub use query::{Case, GrepMode, GrepQuery, Open};
pub use rows::{Form, GrepRow};
pub use scope::{Scope, TreeError};
pub use unchanged::is_unchanged;
pub use walk::visible_files;
