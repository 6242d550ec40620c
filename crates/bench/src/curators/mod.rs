//! What is compared, one way to choose lines a file.

mod bm25;
mod curated;
mod head;
mod outline;
mod random;
mod room;
mod table;

pub use table::{CURATORS, Curator};
