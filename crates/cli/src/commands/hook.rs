//! `foveal hook`: answers one event of Claude Code.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::environment::Environment;
use crate::hook;
use crate::notice;

/// Reads an event on standard input and prints what to do. Whatever goes wrong, nothing is
/// printed, and Claude Code goes on as it would without.
pub(crate) fn run(environment: &Environment) -> ExitCode {
    if environment.terminal.input {
        notice::say(
            "Claude Code runs this command and gives it an event: see `foveal init claude-code`",
        );
        return ExitCode::from(2);
    }
    hook::answer(io::stdin().lock(), environment, |answer| {
        // Whoever does not read it any more does not want it.
        let _ = writeln!(io::stdout(), "{answer}");
    });
    ExitCode::SUCCESS
}
