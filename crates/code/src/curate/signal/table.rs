//! The table of signals.

use super::{
    Signal, alike, graph, identifiers, kind, likeness, meaning, names, place, told, wording, words,
};
use crate::curate::scene::Scene;

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
    alike::SIGNAL,
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
