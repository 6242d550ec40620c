//! `foveal graph`: who calls, tests and uses a symbol, and what it calls and uses.

mod command;
mod diagram;
mod json;
mod neighbours;
mod said;
mod symbol;
mod text;

pub(crate) use self::command::{Arguments, run};
