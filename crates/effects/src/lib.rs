//! Effects: what a tool call does, whatever the tool is called.
//!
//! The table of tools is in [`tools`](mod@tools), what the programs of a command line do in
//! `shell`.

mod arguments;
mod effect;
pub mod outcome;
mod patch;
pub mod path;
mod shell;
#[cfg(test)]
mod tests;
mod tools;

pub use arguments::{INTENT, is_path_name, whole_number};
pub use effect::{Change, Effect, EffectKind, Output, ReadTarget, Span, WriteTarget};
pub use shell::{PlainLine, PlainPart, PlainWord, ReadScope, read_scope};
pub use tools::{
    ArgumentNames, CRITICAL, READ_NAMES, SimilarityRule, TOOL_KINDS, ToolKind, base_name,
    effect_of, lines_asked,
};
