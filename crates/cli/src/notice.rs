//! What a person is told beside the output.

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
