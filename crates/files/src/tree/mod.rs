//! Searching and listing what lies under a folder, by the rules of ripgrep: files that
//! `.gitignore` and its like name, hidden files and binary files are passed over, symbolic
//! links are not followed.
//!
//! Answers are ordered, counted in whole and given by the page. Files are opened by the
//! caller, so that what may be read is decided there; names come from walking.

mod answer;
mod first;
mod glob;
mod grep;
mod kept;
mod list;
mod name;
mod render;
mod scope;
mod search;
mod unchanged;
mod walk;

pub use answer::{FileHits, GrepAnswer, HitLine, Passed, Unit};
pub use glob::{GlobAnswer, GlobQuery, Order, glob};
pub use grep::{Case, GrepMode, GrepQuery, grep};
pub use list::{EntryKind, ListAnswer, ListEntry, ListQuery, list};
pub use render::{Form, GrepRow};
pub use scope::{Scope, TreeError};
pub use unchanged::is_unchanged;

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file for reading, by its path relative to the folder that is searched.
pub type Open<'o> = &'o (dyn Fn(&Path) -> io::Result<File> + Sync);

/// Asked often while something goes on; `false` ends it soon.
pub type GoOn<'g> = &'g (dyn Fn() -> bool + Sync);

/// The path that an answer tells as `name`.
pub fn path_of(name: &str) -> Cow<'_, Path> {
    crate::roots::unspelled(name).unwrap_or(Cow::Borrowed(Path::new(name)))
}

/// How answers tell `path`: as it is, unless a name in it is no plain text.
pub fn name_of(path: &Path) -> Cow<'_, str> {
    crate::roots::spelled(path)
}
