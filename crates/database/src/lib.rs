//! Files of SQLite databases, from opening to rebuilding: a file is opened beside other
//! processes ([`open`], [`connect`]), its version told ([`Marks`]), and one that cannot be used is
//! put away beside its place ([`DatabaseFile::set_aside`]). Nobody but the user may read it
//! ([`make_private`]). What a failure says of a file:
//! [`is_of_machine`], [`is_of_place`], [`is_busy`].

mod aside;
mod connection;
mod failure;
mod file;
mod private;

pub use self::aside::with;
pub use self::connection::{Marks, connect, connect_read_only};
pub use self::failure::{is_busy, is_of_machine, is_of_place};
pub use self::file::{Attempt, DatabaseFile, open};
pub use self::private::make_private;
