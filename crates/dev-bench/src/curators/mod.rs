//! Curators: methods to choose the lines of a file.

mod blocks;
mod bm25;
mod bm25_scores;
mod curated;
mod head;
mod line_limit;
mod outline;
mod random;
mod table;
mod words;

pub(crate) use curated::curate_case;
pub(crate) use table::{CURATORS, CuratorRow};

#[cfg(test)]
mod tests;
