//! The table of signals.

use super::{
    RelevanceSignal, embedding_similarity, entity_names, exact_matches, mention_graph,
    mentioned_lines, prefix_words, query_intent, query_words, shared_identifiers, unit_kind,
    unit_position,
};
use crate::curation::curation_input::CurationInput;

/// All signals. The fitted trees refer to columns by position, so the order must not change.
pub(crate) const SIGNALS: &[RelevanceSignal] = &[
    query_words::SIGNAL,
    entity_names::SIGNAL,
    exact_matches::SIGNAL,
    embedding_similarity::SIGNAL,
    mention_graph::SIGNAL,
    shared_identifiers::SIGNAL,
    mentioned_lines::SIGNAL,
    unit_position::SIGNAL,
    unit_kind::SIGNAL,
    query_intent::SIGNAL,
    prefix_words::SIGNAL,
];

/// Computes all columns of all signals.
pub(crate) fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    SIGNALS.iter().flat_map(|signal| (signal.compute)(scene)).collect()
}

/// Returns the position of the column with the nearness of mentioned lines.
pub(crate) fn mentioned_lines_column() -> usize {
    let before = SIGNALS.iter().take_while(|signal| signal.name != mentioned_lines::SIGNAL.name);
    before.map(|signal| signal.columns.len()).sum()
}
