//! What a signal is.

use crate::curate::scene::Scene;

/// Some figures about every unit.
pub(crate) struct Signal {
    /// What a reader is told when it is the reason that a unit was kept.
    pub(crate) name: &'static str,
    /// The names of its columns.
    pub(crate) columns: &'static [&'static str],
    /// The column, 0 to 1, by which it is given as a reason.
    pub(crate) speaks: Option<usize>,
    /// The columns, each with one value for every unit.
    pub(crate) fill: fn(&Scene<'_>) -> Vec<Vec<f32>>,
}
