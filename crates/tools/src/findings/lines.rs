//! Lines of a text with their numbers, some of which may be given in part.

use std::fmt::{self, Write};

use crate::room::rows;
use crate::session::{LinePart, Seen};

/// A line, or what is given of it.
#[derive(Debug, Clone)]
pub(crate) struct NumberedLine {
    pub(crate) number: u32,
    /// What is given.
    pub(crate) text: String,
    /// Bytes of the line before that.
    pub(crate) before: u64,
    /// Bytes of what is given, as the file has them.
    pub(crate) bytes: u64,
    /// Bytes of the line after that.
    pub(crate) after: u64,
}

impl fmt::Display for NumberedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, text, before, bytes, after } = self;
        write!(f, "{number}→")?;
        if *before > 0 {
            write!(f, "[… {before} bytes of this line left out]")?;
        }
        f.write_str(text)?;
        if *after > 0 {
            let next = before + bytes;
            write!(
                f,
                "[… {after} bytes of this line left out; read_lines start {number}, from_byte {next}]"
            )?;
        }
        f.write_char('\n')
    }
}

/// Some lines of a text, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct NumberedLines {
    lines: Vec<NumberedLine>,
    /// Bytes of all as they are rendered.
    bytes: usize,
}

impl NumberedLines {
    /// One more line.
    pub(crate) fn push(&mut self, line: NumberedLine) {
        self.bytes += line.to_string().len();
        self.lines.push(line);
    }

    /// Whether so many bytes more fit into `bytes_max`; at least one line always does.
    pub(crate) fn have_room(&self, more: usize, bytes_max: usize) -> bool {
        self.lines.is_empty() || self.bytes + more <= bytes_max
    }

    /// The number of the last line.
    pub(crate) fn last(&self) -> Option<u32> {
        self.lines.last().map(|line| line.number)
    }

    /// The lines that are given as a whole.
    pub(crate) fn whole(&self) -> Seen {
        let whole = self.lines.iter().filter(|line| line.before == 0 && line.after == 0);
        Seen::of(whole.map(|line| (line.number, line.number)))
    }

    /// What is given of the other lines.
    pub(crate) fn parts(&self) -> Vec<LinePart> {
        let parts = self.lines.iter().filter(|line| line.before > 0 || line.after > 0);
        let part = |line: &NumberedLine| LinePart {
            line: line.number,
            from: line.before,
            to: (line.after > 0).then_some(line.before + line.bytes),
        };
        parts.map(part).collect()
    }
}

impl fmt::Display for NumberedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| line.fmt(f))
    }
}

/// The lines of a text with their numbers, from 1.
pub(crate) fn numbered(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + text.len() / 4);
    for (number, line) in (1u32..).zip(rows(text)) {
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "{number}→{line}");
    }
    shown
}
