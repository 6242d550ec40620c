//! Long output on a terminal: through the user's pager, as git does it.

use std::io::{self, Write};
use std::process::{Command, Stdio};

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
    /// Prints `text`; through a pager where a person reads it on a terminal.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(crate) fn print(&self, text: &str, environment: &Environment) -> io::Result<()> {
        print(text, !self.json && !self.no_pager, environment)
    }
}

/// What pages where the user names nothing.
const USUAL: &str = "less";

/// How `less` is told to behave where the user does not say: it ends at once if all fits on
/// the screen, and shows colours.
const LESS: (&str, &str) = ("LESS", "FRX");

/// Text as it is fit for a terminal, which would obey the control characters that a file may
/// hold: `ESC` is `^[`, as `less` and `cat -v` have it. For anything but a terminal it is left as
/// it is.
pub(crate) fn harmless(text: String, environment: &Environment) -> String {
    if environment.terminal.output && text.chars().any(is_obeyed) { told(&text) } else { text }
}

fn told(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    for sign in text.replace("\r\n", "\n").chars() {
        match u8::try_from(sign) {
            Ok(code) if is_obeyed(sign) && code < 0x80 => {
                told.extend(['^', char::from(code ^ 0x40)]);
            }
            Ok(code) if is_obeyed(sign) => told += &format!("\\x{code:02x}"),
            _ => told.push(sign),
        }
    }
    told
}

fn is_obeyed(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\n' | '\t')
}

/// Prints `text`, through a pager if standard output is a terminal and `wanted`.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print(text: &str, wanted: bool, environment: &Environment) -> io::Result<()> {
    if wanted && environment.terminal.output && paged(text, environment) {
        return Ok(());
    }
    output::print(text)
}

/// Whether a pager took the text.
fn paged(text: &str, environment: &Environment) -> bool {
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
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok_and(|status| status.code() != Some(127))
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        assert_eq!(
            told("a\x1b]0;b\x07\tc\x7f\u{9b}d\r\ne\rf\0\n"),
            "a^[]0;b^G\tc^?\\x9bd\ne^Mf^@\n"
        );
    }
}
