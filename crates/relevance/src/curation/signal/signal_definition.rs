//! The definition of a signal.

use crate::curation::curation_input::CurationInput;

/// A named group of columns, each with a value for every unit.
pub(crate) struct RelevanceSignal {
    /// The reason that a view gives for a unit that this signal favours.
    pub(crate) name: &'static str,
    /// The names of the columns.
    pub(crate) columns: &'static [&'static str],
    /// The column, 0 to 1, that makes the signal a reason; `None` if it is never one.
    pub(crate) reason_column: Option<usize>,
    /// Computes the columns, each with a value for every unit.
    pub(crate) compute: fn(&CurationInput<'_>) -> Vec<Vec<f32>>,
}
