//! What a shell command line does, and which commands it consists of.
//!
//! [`parse`] reads a line by a real grammar, [`read`] makes a tree of typed commands from it.
//! [`run`] walks that tree: each program's part comes from one table ([`programs`]), and the
//! parts are joined over pipes, sequences and redirections to one effect. [`commands`] takes a
//! line apart for rules about commands, more strictly.

mod commands;
mod holes;
mod parse;
mod part;
mod plain_line;
mod programs;
mod read;
mod run;
mod starters;
mod state;
mod tree;
mod word;

pub use commands::{CommandLine, SimpleCommand};
pub use plain_line::{PlainCommand, PlainLine, PlainRedirect, PlainWord};
pub(crate) use run::effect;
pub(crate) use word::joined;
