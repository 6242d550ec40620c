//! The effect of a shell command line, and the commands that it consists of.
//!
//! [`syntax`] parses a line with the grammar of bash, [`chain_builder`] makes a tree of typed
//! commands from it. [`interpreter`] walks that tree: the effect of each program comes from one
//! table ([`programs`]), and the effects are combined over pipes, sequences and redirections.
//! [`simple_command_line`] parses lines for permission rules, [`read_only`] says which of their
//! commands are read-only.

mod chain_builder;
mod command_effect;
mod command_tree;
mod interpreter;
mod programs;
mod read_only;
mod shell_state;
mod shell_word;
mod simple_command_line;
mod syntax;
mod wrapper_programs;

pub(crate) use interpreter::command_line_effect;
pub use read_only::{ReadScope, read_scope};
pub(crate) use shell_word::join_arguments;
pub use simple_command_line::{CommandLinePart, CommandLineWord, SimpleCommandLine};
