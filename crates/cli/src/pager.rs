//! Long output on a terminal, through the user's pager as in git.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use crate::coloured_text::{Audience, ColouredText};
use crate::environment::Environment;
use crate::output;

/// How a command prints its answer.
#[derive(Debug, clap::Args)]
pub(crate) struct PrintOptions {
    /// Prints JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints without a pager.
    #[arg(long)]
    no_pager: bool,
}

impl PrintOptions {
    /// Prints `text`, through a pager if a person reads it on a terminal.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(crate) fn print(
        &self,
        text: impl Into<ColouredText>,
        environment: &Environment,
    ) -> io::Result<()> {
        print_paged(text, !self.json && !self.no_pager, environment)
    }
}

/// The pager if the user sets none.
const DEFAULT_PAGER: &str = "less";

/// The default options of `less`: exit at once if all fits on the screen, and show colours.
const LESS_OPTIONS: (&str, &str) = ("LESS", "FRX");

/// Prints `text`, through a pager if standard output is a terminal and `wanted` is set.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print_paged(
    text: impl Into<ColouredText>,
    wanted: bool,
    environment: &Environment,
) -> io::Result<()> {
    let text = text.into();
    if wanted && environment.terminal.output && run_pager(&text, environment) {
        return Ok(());
    }
    output::print(text)
}

/// Runs the pager; returns true if it took the text.
fn run_pager(text: &ColouredText, environment: &Environment) -> bool {
    let pager = environment.pager.as_deref().unwrap_or(DEFAULT_PAGER);
    if pager.trim().is_empty() || pager == "cat" {
        return false;
    }
    let mut command = Command::new("sh");
    // As in git, the value may contain arguments. If the pager is missing, the shell returns 127
    // and the text is printed without one.
    command.args(["-c", pager]).stdin(Stdio::piped());
    if !environment.has_less_options {
        // The output is UTF-8 in every locale.
        command.env(LESS_OPTIONS.0, LESS_OPTIONS.1).env("LESSCHARSET", "utf-8");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A user who leaves the pager early does not need the rest.
        let _ = input.write_all(text.render(Audience::Person).as_bytes());
    }
    child.wait().is_ok_and(|status| status.code() != Some(127))
}
