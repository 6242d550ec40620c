//! `foveal serve`: the engine in front of model APIs.

mod books;
mod command;
mod kept;
mod metrics;
mod start;
mod told;
mod traced;

pub(crate) use command::{Arguments, Behaviour, run};
pub(crate) use told::{Lines, Teller};
pub(crate) use traced::{Complaints, Traced};
