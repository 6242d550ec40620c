//! Standard output: the only place that writes to it.
//!
//! A person at a terminal gets no control character but the colours of ours, and so does whoever
//! asks for colours without one. A file or a program gets every byte as it is.

use std::io::{self, IsTerminal, LineWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_screen::in_lines;

use crate::shown::{Reader, Shown};

/// Whether what is printed is shown to a person where there is no terminal, too.
static IS_PASSED_ON: AtomicBool = AtomicBool::new(false);

/// Says that colours are wanted without a terminal: a program passes on what is printed to one.
pub(crate) fn is_passed_on() {
    IS_PASSED_ON.store(true, Ordering::Relaxed);
}

/// Whether a person sees what is printed.
fn is_for_person() -> bool {
    IS_PASSED_ON.load(Ordering::Relaxed) || io::stdout().is_terminal()
}

/// Prints `text`.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print(text: impl Into<Shown>) -> io::Result<()> {
    let text = text.into();
    print_exactly(&text.render(reader_of(&text)))
}

/// Who reads what is printed.
pub(crate) fn reader_of(text: &Shown) -> Reader {
    if text.is_coloured() || is_for_person() { Reader::Person } else { Reader::Program }
}

/// Prints what a program reads, whoever sees it.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print_exactly(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// What takes an output that is too long for memory, in whole lines.
pub(crate) fn stream() -> Box<dyn Write + Send> {
    match is_for_person() {
        true => Box::new(LineWriter::new(ForPerson)),
        false => Box::new(io::BufWriter::new(io::stdout())),
    }
}

/// Shows a person what is written.
struct ForPerson;

impl Write for ForPerson {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        print_exactly(&in_lines(&String::from_utf8_lossy(bytes)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
