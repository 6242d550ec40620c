//! The tools of known agents by name, and what each does with its arguments.

mod call;
mod change;
mod command;
mod look;
mod names;
mod similarity;
mod table;

pub use call::effect_of;
pub use look::{READ_NAMES, lines_asked};
pub use names::base_name;
pub use similarity::{ArgumentNames, CRITICAL, SimilarityRule};
pub use table::{TOOL_KINDS, ToolKind};
