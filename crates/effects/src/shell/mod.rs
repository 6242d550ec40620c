//! What a shell command line does, and which commands it consists of.
//!
//! [`parse`] reads a line by a real grammar, [`read`] makes a tree of typed commands from it.
//! [`run`] walks that tree: each program's part comes from one table ([`programs`]), and the
//! parts are joined over pipes, sequences and redirections to one effect. [`plain_line`] reads lines
//! for rules of permission, [`read_only`] says which of their commands only read.

mod parse;
mod part;
mod plain_line;
mod programs;
mod read;
mod read_only;
mod run;
mod starters;
mod state;
mod tree;
mod word;

pub use plain_line::{PlainLine, PlainPart, PlainWord};
pub use read_only::{ReadScope, read_scope};
pub(crate) use run::effect;
pub(crate) use word::joined;
