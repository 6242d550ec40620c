//! Effects of tool calls: which files a call reads, searches or changes, whatever the tool is
//! called.
//!
//! The table of tools is in [`tools`](mod@tools), the table of shell programs in `shell`.

mod arguments;
mod effect;
pub mod outcome;
mod patch;
pub mod path;
mod shell;
#[cfg(test)]
mod tests;
mod tools;

pub use arguments::{INTENT_NAMES, is_path_name, whole_number};
pub use effect::{Effect, EffectKind, OutputPart, ReadSpan, ReadTarget, WriteChange, WriteTarget};
pub use shell::{CommandLinePart, CommandLineWord, ReadScope, SimpleCommandLine, read_scope};
pub use tools::{
    ArgumentNames, READ_ARGUMENT_NAMES, SimilarityRule, TOOL_KINDS, ToolKind, base_tool_name,
    call_effect, requested_lines,
};
