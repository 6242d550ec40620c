//! A map of a repository in few tokens: the files that matter, and of each the signatures
//! that matter.

mod draw;
mod order;

pub use self::draw::{MapFile, MapOptions, RepositoryMap, map};
