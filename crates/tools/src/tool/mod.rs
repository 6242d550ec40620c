//! The tools, one in each file.

pub(crate) mod bash;
pub(crate) mod edit_file;
pub(crate) mod expand;
pub(crate) mod focus;
pub(crate) mod glob;
pub(crate) mod graph;
pub(crate) mod grep;
pub(crate) mod list;
pub(crate) mod map;
pub(crate) mod multi_edit;
pub(crate) mod outline;
pub(crate) mod read_file;
pub(crate) mod read_files;
pub(crate) mod read_lines;
pub(crate) mod reset;
pub(crate) mod search_code;
pub(crate) mod terminal;
pub(crate) mod web_fetch;
pub(crate) mod write_file;

#[cfg(test)]
#[path = "../../../../docs/examples/tool.rs"]
mod example;
