//! The signals that score units, one a file.

mod embedding_similarity;
mod entity_names;
mod exact_matches;
mod mention_graph;
mod mentioned_lines;
mod prefix_words;
mod query_intent;
pub(super) mod query_words;
mod shared_identifiers;
mod signal_definition;
mod signal_table;
mod unit_kind;
mod unit_position;

pub(crate) use signal_definition::RelevanceSignal;
pub(crate) use signal_table::{SIGNALS, compute_columns, mentioned_lines_column};
