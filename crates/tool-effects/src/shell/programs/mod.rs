//! The effects of programs by name.

mod file_writers;
mod git;
mod harmless_programs;
mod line_filter;
mod program_flags;
mod program_table;
mod search_programs;
mod text_programs;

pub(super) use program_table::program_effect;
pub(super) use search_programs::list_effect;
