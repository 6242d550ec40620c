//! Changing files for a session: only what was seen as it is, all or nothing, with a way back.

mod check;
mod edit;
mod keep;
mod rewind;
mod target;
mod undo;
mod write;

pub(crate) use self::edit::{EditAt, edit};
pub use self::rewind::{FileBack, Stands, Was};
pub(crate) use self::undo::restore;
pub(crate) use self::write::write;
