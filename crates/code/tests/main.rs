//! Tests of parsing (entities, statements, names, imports), outlines, file classes and invariants
//! for any text, and of terms, rankings and vectors over plain data.

mod bm25;
mod classes;
mod corpora;
mod curate;
mod embed;
mod entities;
mod fusion;
mod fuzzed;
mod highlights;
mod invariants;
mod laws;
mod outlines;
mod queries;
mod relations;
mod summary;
mod terms;
mod views;
