//! The tools of known agents by name, and the effects of their calls.

mod call;
mod command;
mod file_changes;
mod reads_and_searches;
mod similarity;
mod table;
mod tool_names;

pub use call::call_effect;
pub use reads_and_searches::{READ_ARGUMENT_NAMES, requested_lines};
pub use similarity::{ArgumentNames, SimilarityRule};
pub use table::{TOOL_KINDS, ToolKind};
pub use tool_names::base_tool_name;
