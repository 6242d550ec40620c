//! `foveal init`: has agents on this machine start the tools.

mod address;
mod change;
mod command;
mod text;

pub(crate) use self::address::routes as gateway_routes;
pub(crate) use self::command::{Arguments, run};
