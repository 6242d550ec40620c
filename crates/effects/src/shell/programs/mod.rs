//! Programs by name, and what each does with its arguments.

mod cuts;
mod flags;
mod git;
mod look;
mod plain;
mod search;
mod table;
mod write;

pub(super) use search::list;
pub(super) use table::part;
