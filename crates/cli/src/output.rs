//! What commands print on standard output.

use std::io::{self, Write};

/// Prints `text` as it is.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
