//! Sessions as opencode itself keeps them: a tree of small JSON files, in newer versions a
//! database. Each session is put together as the document that `opencode export` writes
//! and read as one, so that there is a single reader for all of them.

mod database;
mod document;
mod find;
mod listing;
mod load;
mod tree;

pub(super) use self::find::{in_data_folder, in_database, in_folder};
pub(super) use self::load::load;
