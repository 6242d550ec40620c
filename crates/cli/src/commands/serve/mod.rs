//! `foveal serve`: the engine in front of model APIs.

mod command;
mod kept;
mod told;

pub(crate) use command::{Arguments, run};
