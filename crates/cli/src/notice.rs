//! What a person is told beside the output.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line to standard error. Where that is closed or full there is nobody to tell, and
/// what was asked for is done all the same.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
