//! `foveal serve`: the engine in front of model APIs.

mod books;
mod charges;
mod command;
mod kept;
mod learners;
mod metrics;
mod one_arena;
mod service;
mod start;
mod told;
mod totals;
mod traced;
mod warm;

pub(crate) use charges::prices;
pub(crate) use command::{Arguments, Behaviour, run};
pub(crate) use kept::{Kept, decided_step};
pub(crate) use start::Choices;
pub(crate) use told::{Lines, Teller};
pub(crate) use traced::{Complaints, Traced};
pub(crate) use warm::{has_not_paid_before, verdict_file as warm_file};
