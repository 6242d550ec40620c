//! `foveal hook`: the answer to one event of an agent.

use std::io;
use std::process::ExitCode;

use crate::environment::Environment;
use crate::hook::{self, HookAgent};
use crate::{notice, output};

/// The command line of `foveal hook`.
#[derive(Debug, clap::Args)]
pub(crate) struct HookArguments {
    /// The agent that tells the event.
    #[arg(value_enum, value_name = "AGENT", default_value = "claude-code")]
    agent: HookAgent,
}

/// Reads an event on standard input and prints the answer. On any error no answer is printed, and
/// the agent continues as without foveal.
pub(crate) fn run(arguments: &HookArguments, environment: &Environment) -> ExitCode {
    if environment.terminal.input {
        notice::print_notice("agents run this command and give it an event: see `foveal init`");
        return ExitCode::from(2);
    }
    hook::handle_event(arguments.agent, io::stdin().lock(), environment, |answer| {
        // A reader that is gone does not need the answer.
        let _ = output::print_raw(&format!("{answer}\n"));
    });
    ExitCode::SUCCESS
}
