//! `foveal config`: what can be set, what is set, and changes of that.

mod command;
mod panel;
mod settings;

pub(crate) use self::command::{Arguments, run};
pub(crate) use self::panel::{Panel, refusal};
