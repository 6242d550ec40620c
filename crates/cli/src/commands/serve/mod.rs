//! `foveal serve`: the engine in front of model APIs.

mod books;
mod command;
mod kept;
mod metrics;
mod told;

pub(crate) use command::{Arguments, run};
