//! The index of one folder: opening, updating, searching.

mod file_summaries;
mod folder_index;
mod search;
mod update;

pub use folder_index::{EmbedderSelection, Index};
