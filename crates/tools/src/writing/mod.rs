//! Changing files for a session: only what was seen as it is, all or nothing, with a way back.

mod check;
mod edit;
mod keep;
mod target;
mod undo;
mod write;

pub(crate) use self::edit::{EditAt, edit};
pub(crate) use self::undo::restore;
pub(crate) use self::write::write;
