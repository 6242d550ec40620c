//! `foveal graph`: the callers, tests and users of a symbol, and the symbols that it uses.

mod command;
mod diagram;
mod json;
mod model_statements;
mod neighbours;
mod symbol;
mod text;

pub(crate) use self::command::{GraphArguments, run};
