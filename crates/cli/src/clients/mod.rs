//! The agents that foveal can be set up in, and how their settings are changed.

mod edit;
mod entry;
mod file;
mod hooks;
mod json;
mod program;
mod table;
mod toml;

pub(crate) use self::entry::EditError;
pub(crate) use self::file::{FileError, backup_of, leaves, read, write};
pub(crate) use self::program::{Program, Version, version_of};
pub(crate) use self::table::{CLIENTS, Client, HOOKS_SINCE, Start, Target};
