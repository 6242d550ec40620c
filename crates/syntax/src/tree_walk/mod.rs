//! A single pass over a syntax tree that collects entities, statements, names and imports.
//!
//! The walk uses a cursor and an explicit stack, so that memory alone bounds the depth of the tree.
//! All children of a node share one frame.

mod definition;
mod file_walk;
mod import;
mod leading_trivia;
mod mention;
mod node_rows;
mod seams;
mod walker;

pub(crate) use file_walk::walk_tree;
