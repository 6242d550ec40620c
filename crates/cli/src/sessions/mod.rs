//! Recorded sessions on this machine: where they are and how they are opened.

mod beside;
mod error;
mod file;
mod find;
mod kept;
mod load;
mod opencode;
pub(crate) mod own;
mod own_runs;

pub(crate) use self::error::LoadError;
pub(crate) use self::file::{FoundSessions, SessionFile};
pub(crate) use self::find::find;
pub(crate) use self::kept::{
    find as find_kept, first_words, kind_and_name, load_kept, of_gateway, run_named, short_name,
};
pub(crate) use self::load::{load, load_one};
