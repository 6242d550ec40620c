//! `foveal hook`: answers one event of an agent.

use std::io;
use std::process::ExitCode;

use crate::environment::Environment;
use crate::hook::{self, Host};
use crate::{notice, output};

/// The command line of `foveal hook`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The agent that tells the event.
    #[arg(value_enum, value_name = "AGENT", default_value = "claude-code")]
    agent: Host,
}

/// Reads an event on standard input and prints what to do. Whatever goes wrong, nothing is
/// printed, and the agent goes on as it would without.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> ExitCode {
    if environment.terminal.input {
        notice::say("agents run this command and give it an event: see `foveal init`");
        return ExitCode::from(2);
    }
    hook::answer(arguments.agent, io::stdin().lock(), environment, |answer| {
        // Whoever does not read it any more does not want it.
        let _ = output::print_exactly(&format!("{answer}\n"));
    });
    ExitCode::SUCCESS
}
