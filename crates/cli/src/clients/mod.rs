//! The agents that foveal can be set up in, and how their settings are changed.

mod addresses;
mod edit;
mod entry;
mod file;
mod hooks;
mod json;
pub(crate) mod launch;
mod losses;
pub(crate) mod overruled;
mod own_file;
mod program;
mod rules;
mod settings;
mod table;
mod toml;
mod words;

pub(crate) use self::addresses::SourcePlace;
pub(crate) use self::edit::Edit;
pub(crate) use self::entry::EditError;
pub(crate) use self::file::{FileError, backup_of, leaves, read, write};
pub(crate) use self::json::input as json_input;
pub(crate) use self::program::{Program, version_of};
pub(crate) use self::table::{CLIENTS, Client, HOOKS_SINCE, HooksProblem, Start, Target};
pub(crate) use self::words::quoted;
