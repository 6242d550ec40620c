//! `foveal replay`: what each profile would have cost and kept on recorded sessions.

mod arguments;
mod command;

pub(crate) use self::arguments::Arguments;
pub(crate) use self::command::run;
