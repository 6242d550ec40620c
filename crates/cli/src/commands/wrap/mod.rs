//! `foveal wrap`: an agent behind a gateway, for one run.

mod agent_process;
mod command;

pub(crate) use self::command::{WrapArguments, run};
