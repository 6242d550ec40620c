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
mod figures;
mod gold;
mod kept;
pub mod language;
pub mod reads;
pub mod sampling;
mod seeded;
mod words;

pub use case::{BUDGETS, Budget, Case};
pub use curators::{CURATORS, Curator};
pub use figures::{Figures, LineTokens, Measurement};
pub use gold::{changed_lines, gold_lines};
pub use kept::{KeptLines, line_count, lines_of};
pub use seeded::Seeded;
