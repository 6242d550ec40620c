//! What is found in files: entities, statements, names and imports; outlines; classes; and
//! what holds for any text at all. Words, ranks and vectors over plain data.

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
