//! `foveal run`: foveal's own agent on one task, without a screen.

mod command;
mod show;

pub(crate) use command::{Arguments, run};
