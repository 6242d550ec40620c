//! Files of SQLite databases: what a failure says of one, and how one that cannot be used is
//! put away beside its place.

mod aside;
mod failure;

pub use self::aside::{FileId, set_aside, with};
pub use self::failure::{is_of_machine, is_of_place};
