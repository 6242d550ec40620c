//! Tests of listings, curated views, summaries and relations, and of terms, rankings and vectors
//! over plain data.

mod bm25;
mod corpora;
mod curate;
mod embed;
mod fusion;
mod fuzzed;
#[path = "../../syntax/tests/generated_text.rs"]
mod generated_text;
mod invariants;
mod listings;
mod outlines;
mod relations;
#[path = "../../syntax/tests/structure.rs"]
mod structure;
mod summary;
mod terms;
mod views;
