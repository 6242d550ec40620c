//! Curation: the choice of the lines of a file that matter to a query.
//!
//! A file is cut into units: statements, headers and comments. Signals score each unit, and a
//! fitted ensemble of small trees turns the scores into the likelihood that the unit's lines are
//! needed. Units form pieces that are kept or omitted as wholes: short functions, types and
//! statements. The pieces with the highest expected score per line are kept, with the headers
//! around them.

mod answering_functions;
mod conversation_query;
mod curated_view;
mod curation_input;
mod curator;
mod decision_forest;
mod doc_examples;
mod line_references;
mod machine_files;
mod piece;
mod piece_selection;
mod query;
mod query_terms;
mod questions;
mod signal;
mod structural_scores;
mod unit;
mod view_cleanup;

pub use self::curated_view::{CuratedView, ViewBudget, ViewPart};
pub use self::curation_input::SourceFile;
pub use self::curator::{Curator, SignalTable, signal_column_names};
pub use self::decision_forest::DecisionForest;
pub use self::query::{CurationQuery, MentionedLine, Phrase, PhraseSource};
pub use self::view_cleanup::{last_uncut_line, last_uncut_line_of_text};
