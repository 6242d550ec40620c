//! What speaks for keeping a unit, one signal a file.

mod graph;
mod identifiers;
mod kind;
mod likeness;
mod meaning;
mod names;
mod place;
mod told;
mod wording;
pub(super) mod words;

use super::scene::Scene;

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

/// All signals; the model knows their columns by place.
pub(crate) const SIGNALS: &[Signal] = &[
    words::SIGNAL,
    names::SIGNAL,
    identifiers::SIGNAL,
    meaning::SIGNAL,
    graph::SIGNAL,
    likeness::SIGNAL,
    told::SIGNAL,
    place::SIGNAL,
    kind::SIGNAL,
    wording::SIGNAL,
];

/// All columns of all signals.
pub(crate) fn columns(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    SIGNALS.iter().flat_map(|signal| (signal.fill)(scene)).collect()
}

/// The column that tells how near the lines told by number are.
pub(crate) fn told_column() -> usize {
    let before = SIGNALS.iter().take_while(|signal| signal.name != told::SIGNAL.name);
    before.map(|signal| signal.columns.len()).sum()
}
