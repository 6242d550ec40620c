//! `foveal serve`: the engine in front of model APIs.

mod books;
mod command;
mod kept;
mod metrics;
mod start;
mod told;

pub(crate) use command::{Arguments, Behaviour, run};
pub(crate) use told::{Lines, Teller};
