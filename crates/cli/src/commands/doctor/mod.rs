//! `foveal doctor`: what works here, what does not, and what to do about it.

mod agents;
mod command;
mod finding;
mod machine;

pub(crate) use self::command::{Arguments, run};
