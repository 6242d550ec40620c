//! What a person is told beside the output: the only place that writes to standard error.
//!
//! Whatever it is and wherever it goes, what cannot be seen is spelled out.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, BufRead, Write};

use foveal_screen::in_lines;
use foveal_secrets::without;

use crate::environment;
use crate::table::wrapped;

/// Writes a line, or several, to standard error. Where that is closed or full there is nobody to
/// tell, and what was asked for is done all the same.
/// On a narrow terminal lines are broken between words.
pub(crate) fn say(text: impl Display) {
    let _ = io::stderr().write_all(told(&text.to_string()).as_bytes());
}

/// The lines of a message as they are written.
fn told(text: &str) -> String {
    // Clients keep what servers write there: an address may have a password.
    let text = &without(text);
    let text = in_lines(text);
    match environment::width_of_messages() {
        Some(width) => text.lines().map(|line| wrapped(line, width, "  ")).collect(),
        None => format!("{text}\n"),
    }
}

/// Asks a question and reads one line. Anything but `y` or `yes` is no.
pub(crate) fn confirm(question: &str) -> bool {
    let question = told(&format!("{question} [y/N]"));
    let mut error = io::stderr();
    let asked = write!(error, "{} ", question.trim_end()).and_then(|()| error.flush());
    let mut line = String::new();
    let read = asked.and_then(|()| io::stdin().lock().read_line(&mut line));
    read.is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

/// An error with its causes, without those that repeat what was said.
pub(crate) fn in_one_line(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let cause = error.to_string();
        // SQLite's errors have their own text for a cause, with its number.
        let is_said = text.rsplit(": ").next().is_some_and(|last| cause.ends_with(last));
        if !is_said {
            text = format!("{text}: {cause}");
        }
        next = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        let full = foveal_store::StoreError::from(rusqlite::Error::SqliteFailure(full, None));
        let told = in_one_line(&full);
        assert_eq!(told.matches("full").count(), 1, "{told}");
        assert!(told.starts_with("the store cannot be read or written: "), "{told}");
    }
}
