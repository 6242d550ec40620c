//! The sixteen basic colours in words that every terminal with colours understands.
//!
//! What draws the screen writes them as the first of 256 (`38;5;2`). A terminal that knows no such
//! table takes that apart: dim, and blinking.

use std::io::{self, Write};

/// Bytes of a sequence that sets colours; longer ones are others.
const SEQUENCE_BYTES_MAX: usize = 64;

/// Passes on what is written, with basic colours as `32`.
pub(super) struct Sixteen<W: Write> {
    inner: W,
    /// The beginning of a sequence: one may come in pieces.
    open: Vec<u8>,
}

impl<W: Write> Sixteen<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, open: Vec::new() }
    }

    fn take(&mut self, byte: u8) -> io::Result<()> {
        match (self.open.len(), byte) {
            (_, 0x1b) => {
                self.pass_on()?;
                self.open.push(byte);
                Ok(())
            }
            (0, _) => self.inner.write_all(&[byte]),
            (1, b'[') => {
                self.open.push(byte);
                Ok(())
            }
            (2..SEQUENCE_BYTES_MAX, b'0'..=b'9' | b';') => {
                self.open.push(byte);
                Ok(())
            }
            (2.., b'm') => {
                let open = std::mem::take(&mut self.open);
                write!(self.inner, "\x1b[{}m", basic(&String::from_utf8_lossy(&open[2..])))
            }
            _ => {
                self.open.push(byte);
                self.pass_on()
            }
        }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.inner.write_all(&std::mem::take(&mut self.open))
    }
}

impl<W: Write> Write for Sixteen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while !rest.is_empty() {
            // Most is text.
            let plain = match self.open.is_empty() {
                true => rest.iter().position(|byte| *byte == 0x1b).unwrap_or(rest.len()),
                false => 0,
            };
            self.inner.write_all(&rest[..plain])?;
            rest = &rest[plain..];
            if let Some((byte, after)) = rest.split_first() {
                self.take(*byte)?;
                rest = after;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.inner.flush()
    }
}

/// What stands in a sequence that sets colours, with basic ones spelled as such.
fn basic(told: &str) -> String {
    let mut parts: Vec<&str> = told.split(';').collect();
    let mut at = 0;
    let mut spelled = Vec::new();
    while at < parts.len() {
        if let [ground @ ("38" | "48"), "5", index, ..] = parts[at..] {
            spelled.push(of_table(ground == "48", index));
            at += 3;
        } else if let ["38" | "48", "2", ..] = parts[at..] {
            // Its three parts are no codes.
            spelled.extend(parts.drain(at..).map(str::to_owned));
        } else {
            spelled.push(parts[at].to_owned());
            at += 1;
        }
    }
    spelled.join(";")
}

fn of_table(is_background: bool, index: &str) -> String {
    let more = if is_background { 10 } else { 0 };
    match index.parse::<u16>() {
        Ok(index @ 0..8) => (30 + index + more).to_string(),
        Ok(index @ 8..16) => (90 + index - 8 + more).to_string(),
        _ => format!("{};5;{index}", 38 + more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, expected: &str) {
        // However it is cut.
        for piece in [1, 2, 3, 7, written.len()] {
            let mut all = Vec::new();
            let mut sixteen = Sixteen::new(&mut all);
            for bytes in written.as_bytes().chunks(piece.max(1)) {
                sixteen.write_all(bytes).expect("memory");
            }
            sixteen.flush().expect("memory");
            assert_eq!(String::from_utf8_lossy(&all), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn basic_colours_are_spelled_as_such_and_all_else_stays() {
        check("a\x1b[38;5;2;49mgrün\x1b[39;49m", "a\x1b[32;49mgrün\x1b[39;49m");
        check("\x1b[38;5;9;48;5;12m", "\x1b[91;104m");
        check("\x1b[48;5;7m\x1b[0;1m\x1b[m", "\x1b[47m\x1b[0;1m\x1b[m");
        let indexed = "\x1b[38;5;194;48;5;22m+\x1b[38;5;16m\x1b[38;2;38;5;1;48;2;1;2;3m";
        check(indexed, indexed);
        let others = "\x1b[?2026h\x1b[3;14H\x1b]0;38;5;1m\x07\x1b\x1b[2J\x1b[>1u\x1b[38;5";
        check(others, others);
        let long = format!("\x1b[{}38;5;1m", "1;".repeat(40));
        check(&long, &long);
    }
}
