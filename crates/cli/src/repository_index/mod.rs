//! The index of a repository: where it is stored, how it is opened, updated and asked.

mod ask;
mod open;
mod place;
mod update;

pub(crate) use self::ask::{Answer, Related, ask, relations, told};
pub(crate) use self::open::{Embedding, Opened, open, open_for_reading, open_for_tools};
pub(crate) use self::place::{place, working_copy};
pub(crate) use self::update::{update, update_for_search};
