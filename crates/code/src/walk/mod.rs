//! One pass over a syntax tree that collects entities, statements, names and imports.
//!
//! The tree is walked with a cursor and a stack of our own, so that its depth is bounded by
//! memory only. What stands beside each other shares a frame.

mod definition;
mod file;
mod import;
mod lead;
mod mention;
mod row;
mod seams;
mod walker;

pub(crate) use file::walk;
