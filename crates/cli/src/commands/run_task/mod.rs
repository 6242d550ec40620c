//! `foveal run`: foveal's own agent on one task, without a screen.

mod approval;
mod asking;
mod calling;
mod command;
mod drive;
mod earlier;
mod opening;
mod show;
mod signals;

pub(crate) use command::{Arguments, run};
pub(crate) use earlier::Earlier;
