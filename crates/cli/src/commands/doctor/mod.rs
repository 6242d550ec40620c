//! `foveal doctor`: what works here, what does not, and what to do about it.

mod agents;
mod command;
mod data;
mod finding;
mod gateways;
mod machine;
mod room;

pub(crate) use self::command::{Arguments, run};
