//! Models that are fitted on cases and on recorded sessions, and their ranking quality.

pub(crate) mod boosted_trees;
pub(crate) mod curator_rows;
pub(crate) mod line_uses;
pub(crate) mod ranking_quality;
pub(crate) mod regression;
pub(crate) mod training_rows;
