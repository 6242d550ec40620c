//! Questions to the person at the terminal.

use std::io::{self, BufRead, Write};

use crate::environment;
use crate::table::wrapped;

/// Asks on standard error and reads one line. Anything but `y` or `yes` is no.
pub(crate) fn yes(question: &str) -> bool {
    let mut error = io::stderr();
    let question = format!("{question} [y/N]");
    let question = match environment::width_of_messages() {
        Some(width) => wrapped(&question, width, "  "),
        None => question,
    };
    let asked = write!(error, "{} ", question.trim_end()).and_then(|()| error.flush());
    let mut line = String::new();
    let read = asked.and_then(|()| io::stdin().lock().read_line(&mut line));
    read.is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}
