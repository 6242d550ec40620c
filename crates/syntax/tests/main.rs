//! Tests of parsing (entities, statements, names, imports), file classes, highlights and invariants
//! for any text.

mod classes;
mod entities;
mod generated_text;
mod highlights;
mod laws;
mod queries;
mod structure;
