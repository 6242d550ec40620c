//! Standard output: the only place that writes to it.
//!
//! A person at a terminal gets no control character but the colours of ours. A file or a program
//! gets every byte as it is.

use std::io::{self, IsTerminal, LineWriter, Write};

use foveal_screen::in_lines;

use crate::shown::{Reader, Shown};

/// Prints `text`.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn print(text: impl Into<Shown>) -> io::Result<()> {
    let text = text.into();
    print_exactly(&text.render(reader_of(&text)))
}

/// Who reads what is printed. Whoever asks for colours without a terminal shows them by a program
/// that passes them on to one.
pub(crate) fn reader_of(text: &Shown) -> Reader {
    let is_seen = text.is_coloured() || io::stdout().is_terminal();
    if is_seen { Reader::Person } else { Reader::Program }
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
    match io::stdout().is_terminal() {
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
