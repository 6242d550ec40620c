//! Tests of `foveal-tools`.

#![allow(clippy::unwrap_used)] // Helpers of tests are not told from other functions.

mod answer_limits;
mod call_sequences;
mod concurrency;
mod corpora;
mod curation_cache;
mod delivery;
mod duplicate_calls;
mod duplicates;
mod escape;
mod fetches;
mod fuzzed;
mod locked_index;
mod long_calls;
mod malformed;
mod note_rows;
mod overwrites;
mod own_edits;
mod pages;
mod paths;
mod permission;
mod read_counts;
mod reads;
mod relations;
mod replay;
mod sandbox;
mod schemas;
mod session_state;
mod shaper;
mod undo;
mod view_quality;
mod world;
mod write_rules;
