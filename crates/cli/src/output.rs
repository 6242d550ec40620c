//! Standard output: the only module that writes to it.
//!
//! A person at a terminal, or behind `--color always`, gets no control characters but our colours.
//! A file or a program gets every byte unchanged.

use std::io::{self, IsTerminal, LineWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_screen::escape_lines;

use crate::coloured_text::{Audience, ColouredText};

/// True if the output counts as shown to a person even without a terminal.
static ASSUMES_TERMINAL: AtomicBool = AtomicBool::new(false);

/// Treats standard output as a terminal: another program passes the coloured output on to one.
pub(crate) fn assume_terminal() {
    ASSUMES_TERMINAL.store(true, Ordering::Relaxed);
}

/// Returns true if a person reads the output.
fn is_read_by_person() -> bool {
    ASSUMES_TERMINAL.load(Ordering::Relaxed) || io::stdout().is_terminal()
}

/// Prints `text`, escaped if a person reads it.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print(text: impl Into<ColouredText>) -> io::Result<()> {
    let text = text.into();
    print_raw(&text.render(output_audience(&text)))
}

/// Returns the kind of reader of the output.
pub(crate) fn output_audience(text: &ColouredText) -> Audience {
    if text.is_coloured() || is_read_by_person() { Audience::Person } else { Audience::Program }
}

/// Prints `text` unchanged, for programs, even on a terminal.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print_raw(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Returns a line-buffered writer for output that is too long for memory.
pub(crate) fn stdout_writer() -> Box<dyn Write + Send> {
    match is_read_by_person() {
        true => Box::new(LineWriter::new(EscapingWriter)),
        false => Box::new(io::BufWriter::new(io::stdout())),
    }
}

/// A writer that escapes control characters.
struct EscapingWriter;

impl Write for EscapingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        print_raw(&escape_lines(&String::from_utf8_lossy(bytes)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
