//! `foveal replay`: the cost of recorded sessions under each profile, and the evidence that each
//! kept.

mod arguments;
mod command;

pub(crate) use self::arguments::ReplayArguments;
pub(crate) use self::command::run;
