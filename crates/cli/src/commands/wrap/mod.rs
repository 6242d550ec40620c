//! `foveal wrap`: an agent and a gateway for one run.

mod child;
mod command;

pub(crate) use self::command::{Arguments, run};
