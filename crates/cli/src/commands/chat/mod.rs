//! `foveal chat`: foveal's own agent with a person, on a screen.

mod arrived;
mod command;
mod control;
mod course;
mod finder;
mod keys;
mod person;
mod screen;
mod symbols;

pub(crate) use command::{Arguments, run};
