//! What a person is told beside the output.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};

use crate::environment;
use crate::table::wrapped;

/// Writes a line to standard error. Where that is closed or full there is nobody to tell, and
/// what was asked for is done all the same.
/// On a narrow terminal lines are broken between words.
pub(crate) fn say(text: impl Display) {
    let text = text.to_string();
    let text = match environment::width_of_messages() {
        Some(width) => text.lines().map(|line| wrapped(line, width, "  ")).collect(),
        None => format!("{text}\n"),
    };
    let _ = io::stderr().write_all(text.as_bytes());
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
