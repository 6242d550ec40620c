//! `foveal run`: foveal's own agent on one task, without a screen.

mod command;
mod run_output;

pub(crate) use command::{RunArguments, run};
