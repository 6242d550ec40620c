//! How well a curated view keeps the lines that a change needs.
//!
//! A [`Case`] is a file before a commit, the commit's message and the old lines that the
//! commit touched. A [`Curator`] sees file and message and returns the lines to keep within
//! a [`Budget`]; [`Measurement`] compares them with the touched lines, and [`Figures`] adds
//! up many. Pure: histories are read and calls are timed by the caller.

mod blocks;
mod bm25;
mod case;
pub mod curators;
mod facts;
mod figures;
mod gold;
mod kept;
pub mod language;
mod measurement;
mod ratio;
pub mod reads;
pub mod sampling;
mod seeded;
mod sizes;
mod words;

pub use case::{BUDGETS, Budget, Case};
pub use curators::{CURATORS, Curator};
pub use facts::{FUNCTION_LINES_MAX, FileFacts};
pub use figures::Figures;
pub use gold::{changed_lines, gold_lines};
pub use kept::{KeptLines, line_count, lines_of};
pub use measurement::Measurement;
pub use seeded::Seeded;
pub use sizes::{SIZES, SizeFigures, size_class};
