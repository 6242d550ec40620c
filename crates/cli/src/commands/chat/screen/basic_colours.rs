//! The sixteen basic colours, in codes that every colour terminal understands.
//!
//! The drawing library writes them as entries of the 256-colour table (`38;5;2`). A terminal
//! without that table reads the parts as separate codes: dim, and blinking.

use std::io::{self, Write};

/// Bytes of a colour sequence; a longer sequence is passed on unchanged.
const SEQUENCE_BYTES_MAX: usize = 64;

/// A writer that replaces basic colours of the 256-colour table by codes such as `32`.
pub(super) struct BasicColourWriter<W: Write> {
    inner: W,
    /// The beginning of a sequence, which may arrive in pieces.
    partial_sequence: Vec<u8>,
}

impl<W: Write> BasicColourWriter<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, partial_sequence: Vec::new() }
    }

    fn write_byte(&mut self, byte: u8) -> io::Result<()> {
        match (self.partial_sequence.len(), byte) {
            (_, 0x1b) => {
                self.flush_sequence()?;
                self.partial_sequence.push(byte);
                Ok(())
            }
            (0, _) => self.inner.write_all(&[byte]),
            (1, b'[') => {
                self.partial_sequence.push(byte);
                Ok(())
            }
            (2..SEQUENCE_BYTES_MAX, b'0'..=b'9' | b';') => {
                self.partial_sequence.push(byte);
                Ok(())
            }
            (2.., b'm') => {
                let open = std::mem::take(&mut self.partial_sequence);
                write!(
                    self.inner,
                    "\x1b[{}m",
                    replace_basic_colours(&String::from_utf8_lossy(&open[2..]))
                )
            }
            _ => {
                self.partial_sequence.push(byte);
                self.flush_sequence()
            }
        }
    }

    fn flush_sequence(&mut self) -> io::Result<()> {
        self.inner.write_all(&std::mem::take(&mut self.partial_sequence))
    }
}

impl<W: Write> Write for BasicColourWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while !rest.is_empty() {
            // Fast path: most bytes are text.
            let plain = match self.partial_sequence.is_empty() {
                true => rest.iter().position(|byte| *byte == 0x1b).unwrap_or(rest.len()),
                false => 0,
            };
            self.inner.write_all(&rest[..plain])?;
            rest = &rest[plain..];
            if let Some((byte, after)) = rest.split_first() {
                self.write_byte(*byte)?;
                rest = after;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flush_sequence()?;
        self.inner.flush()
    }
}

/// Returns the codes of a colour sequence with basic colours replaced.
fn replace_basic_colours(told: &str) -> String {
    let mut parts: Vec<&str> = told.split(';').collect();
    let mut at = 0;
    let mut spelled = Vec::new();
    while at < parts.len() {
        if let [ground @ ("38" | "48"), "5", index, ..] = parts[at..] {
            spelled.push(colour_code(ground == "48", index));
            at += 3;
        } else if let ["38" | "48", "2", ..] = parts[at..] {
            // The three parts of an RGB colour are no codes.
            spelled.extend(parts.drain(at..).map(str::to_owned));
        } else {
            spelled.push(parts[at].to_owned());
            at += 1;
        }
    }
    spelled.join(";")
}

fn colour_code(is_background: bool, index: &str) -> String {
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
        // The result does not depend on how the input is cut.
        for piece in [1, 2, 3, 7, written.len()] {
            let mut all = Vec::new();
            let mut sixteen = BasicColourWriter::new(&mut all);
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
