//! Long output on a terminal: through the user's pager, as git does it.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use crate::environment::Environment;
use crate::output;
use crate::shown::{Reader, Shown};

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
    /// Prints `text`; through a pager where a person reads it on a terminal.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(crate) fn print(
        &self,
        text: impl Into<Shown>,
        environment: &Environment,
    ) -> io::Result<()> {
        print(text, !self.json && !self.no_pager, environment)
    }
}

/// What pages where the user names nothing.
const USUAL: &str = "less";

/// How `less` is told to behave where the user does not say: it ends at once if all fits on
/// the screen, and shows colours.
const LESS: (&str, &str) = ("LESS", "FRX");

/// Prints `text`, through a pager if standard output is a terminal and `wanted`.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print(
    text: impl Into<Shown>,
    wanted: bool,
    environment: &Environment,
) -> io::Result<()> {
    let text = text.into();
    if wanted && environment.terminal.output && paged(&text, environment) {
        return Ok(());
    }
    output::print(text)
}

/// Whether a pager took the text.
fn paged(text: &Shown, environment: &Environment) -> bool {
    let pager = environment.pager.as_deref().unwrap_or(USUAL);
    if pager.trim().is_empty() || pager == "cat" {
        return false;
    }
    let mut command = Command::new("sh");
    // As git does: what users put there may have arguments. Where the pager is missing, the
    // shell says 127 and the text is printed as it is.
    command.args(["-c", pager]).stdin(Stdio::piped());
    if !environment.has_less {
        // What is printed is UTF-8 whatever the language of the user.
        command.env(LESS.0, LESS.1).env("LESSCHARSET", "utf-8");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Whoever leaves the pager early does not want the rest.
        let _ = input.write_all(text.render(Reader::Person).as_bytes());
    }
    child.wait().is_ok_and(|status| status.code() != Some(127))
}
