//! opencode's own session storage: a tree of small JSON files, in newer versions a database. Each
//! session is converted to the document that `opencode export` writes, so that one reader serves
//! all forms.

mod database;
mod discovery;
mod document;
mod loading;
mod opencode_files;
mod session_tree;

pub(super) use self::discovery::{find_in_data_folder, find_in_database, find_in_folder};
pub(super) use self::loading::load_opencode_sessions;
