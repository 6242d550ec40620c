//! Questions to the person at the terminal.

use std::io::{self, BufRead, Write};

/// Asks on standard error and reads one line. Anything but `y` or `yes` is no.
pub(crate) fn yes(question: &str) -> bool {
    let mut error = io::stderr();
    let asked = write!(error, "{question} [y/N] ").and_then(|()| error.flush());
    let mut line = String::new();
    let read = asked.and_then(|()| io::stdin().lock().read_line(&mut line));
    read.is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}
