//! Lines of files, word for word.

use foveal_context::note::{self, Note, NoteKind};
use foveal_files::kind::{self, Content, ReadLimits};
use foveal_files::{LineLimits, LineNumber, LinesReader, Located, TextFile};

use crate::answer::{Dependency, Found, TypedLines};
use crate::error::ToolError;

use super::long::ANSWER_BYTES_MAX;
use super::read::described;
use super::{Seen, Work};

/// Bytes of one line in an answer that gives lines word for word.
const LINE_BYTES_MAX: usize = 100_000;

/// Lines of a file that a call asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// The first, from 1.
    pub(crate) start: u32,
    /// The last.
    pub(crate) end: u32,
    /// Bytes of the first that are passed over.
    pub(crate) from_byte: u64,
}

impl Asked {
    /// Whole lines.
    pub(super) fn lines(start: u32, end: u32) -> Self {
        Self { start, end, from_byte: 0 }
    }
}

/// How much of a text is given at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Bytes in all.
    pub(super) bytes: usize,
    /// Bytes of one line.
    pub(super) line_bytes: usize,
}

impl Room {
    /// As much as one answer holds.
    pub(super) const ANSWER: Self = Self { bytes: ANSWER_BYTES_MAX, line_bytes: LINE_BYTES_MAX };

    pub(super) fn limits(self) -> LineLimits {
        LineLimits { line_bytes_max: self.line_bytes, bytes_max: self.bytes }
    }
}

/// Some lines of a text as they are given.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// The lines with their numbers.
    pub(super) lines: TypedLines,
    /// The last of which anything is given.
    pub(super) last: u32,
    /// Those that are given to their end.
    pub(super) ended: Seen,
    /// Those that are not given as a whole.
    pub(super) chunks: Vec<Chunk>,
}

/// What is given of a line that is not given as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk {
    /// The line.
    pub(super) line: u32,
    /// Bytes before it.
    pub(super) from: u64,
    /// Where it ends; `None`: with the line.
    pub(super) to: Option<u64>,
}

impl Part {
    /// The lines asked for, as far as there is room for them; at least some of the first.
    pub(super) fn of(text: &str, asked: Asked, room: Room) -> Self {
        let Asked { start, end, from_byte } = asked;
        let mut part = Self { last: start.saturating_sub(1), ..Self::default() };
        let mut before = usize::try_from(from_byte).unwrap_or(usize::MAX);
        let skipped = usize::try_from(start.saturating_sub(1)).unwrap_or(usize::MAX);
        for (number, line) in (start..=end).zip(rows(text).skip(skipped)) {
            let from = line.floor_char_boundary(std::mem::take(&mut before).min(line.len()));
            let rest = &line[from..];
            let kept = &rest[..rest.floor_char_boundary(room.line_bytes.min(rest.len()))];
            if part.lines.text.len() + kept.len() > room.bytes && !part.lines.text.is_empty() {
                break;
            }
            part.push(
                number,
                kept,
                (from as u64, kept.len() as u64, (rest.len() - kept.len()) as u64),
            );
        }
        part
    }

    /// Puts a line after the others, with the bytes before what is given of it, of that, and
    /// after that.
    fn push(&mut self, number: u32, kept: &str, (before, bytes, after): (u64, u64, u64)) {
        let cut = |bytes: u64, kind| {
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            Note { counts: note::Counts { bytes, ..Default::default() }, ..Note::new(kind) }
        };
        let mut line = String::new();
        if before > 0 {
            line.push_str(&cut(before, NoteKind::LineCut).to_string());
        }
        line.push_str(kept);
        if after > 0 {
            let (tool, from_byte) = (note::Giver::ReadLines, before + bytes);
            let rest = NoteKind::LineRest { tool, line: number, from_byte };
            line.push_str(&cut(after, rest).to_string());
        }
        self.lines.line(number, &format!("{number}→"), &line);
        if before == 0 && after == 0 {
            self.ended.add([(number, number)]);
        } else {
            let to = (after > 0).then_some(before + bytes);
            self.chunks.push(Chunk { line: number, from: before, to });
        }
        self.last = number;
    }

    /// Lines of a file that is too large to be read as a whole, and where to go on.
    pub(super) fn of_large(
        (reader, path): (&mut LinesReader, &str),
        asked: Asked,
        room: Room,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Self, Option<u64>), ToolError> {
        let number = |line: u32| LineNumber::new(u64::from(line)).unwrap_or(LineNumber::FIRST);
        let from = (number(asked.start), asked.from_byte);
        let lines = reader.lines_from(from, number(asked.end), &room.limits(), go_on);
        let lines = lines.map_err(ToolError::failed)?;
        let mut before = asked.from_byte;
        if before > 0 && lines.lines.first().is_some_and(|line| line.bytes == 0) {
            return Err(no_bytes(path, asked.start, None));
        }
        let mut part = Self::default();
        for line in &lines.lines {
            let number = u32::try_from(line.number.get()).unwrap_or(u32::MAX);
            let before = std::mem::take(&mut before);
            if part.lines.text.len() + line.text.len() > room.bytes && !part.lines.text.is_empty() {
                return Ok((part, Some(line.number.get())));
            }
            part.push(number, &line.text, (before, line.bytes, line.left_out_bytes));
        }
        Ok((part, lines.next.map(LineNumber::get)))
    }
}

impl Work<'_> {
    /// Lines of a file, word for word.
    pub(crate) fn read_range(&self, path: &str, asked: Asked) -> Result<Found, ToolError> {
        let located = self.file(path)?;
        let read = kind::read(&located, &ReadLimits::default(), self.control.go_on)
            .map_err(ToolError::failed)?;
        self.toolbox.index.touch(&located.absolute());
        let path = located.shown();
        let text = match read.content {
            Content::Text(text) => text,
            Content::Notebook(notebook, _) => TextFile::new(&notebook.to_text()),
            Content::TooLarge { what: "text", .. } => {
                let found = self.range_of_large(&located, asked)?;
                self.session.count_read(&located, read.version);
                return Ok(found);
            }
            Content::Empty | Content::Image(..) | Content::Binary(_) | Content::TooLarge { .. } => {
                let what = format!("`{path}` has no lines: {}", described(&read));
                return Err(ToolError::failed(what));
            }
        };
        let Asked { start, end, from_byte } = asked;
        let all = u32::try_from(rows(text.text()).count()).unwrap_or(u32::MAX);
        let Some(first) = rows(text.text()).nth(start as usize - 1) else {
            let what = format!("`{path}` has {all} lines, none from {start} on");
            return Err(ToolError::failed(what));
        };
        if from_byte > 0 && from_byte >= first.len() as u64 {
            return Err(no_bytes(path, start, Some(first.len() as u64)));
        }
        let end_here = end.min(all);
        let Part { lines: mut shown, last, ended, chunks } =
            Part::of(text.text(), Asked { end: end_here, ..asked }, Room::ANSWER);
        if last < end_here {
            shown.note(&Note::new(NoteKind::GoOn(u64::from(last) + 1)));
        } else if end > all {
            let counts = note::Counts { lines: all, ..Default::default() };
            shown.note(&Note { counts, ..Note::new(NoteKind::Ends) });
        }
        self.session.count_read(&located, read.version);
        let Some(version) = read.version else { return Ok(Found::lines(shown)) };
        self.session.see(&located.key(), version, text, (&ended, &chunks));
        let depends = vec![Dependency::File(located.absolute(), version)];
        Ok(Found { depends, ..Found::lines(shown) })
    }

    fn range_of_large(&self, located: &Located, asked: Asked) -> Result<Found, ToolError> {
        let mut reader = LinesReader::open(located, None).map_err(ToolError::failed)?;
        let (path, start) = (located.shown(), asked.start);
        let from = (&mut reader, path);
        let (part, next) = Part::of_large(from, asked, Room::ANSWER, self.control.go_on)?;
        if part.last == 0 {
            let count = reader.known_count().unwrap_or_default();
            let what = format!("`{path}` has {count} lines, none from {start} on");
            return Err(ToolError::failed(what));
        }
        let mut shown = part.lines;
        if let Some(next) = next {
            shown.note(&Note::new(NoteKind::GoOn(next)));
        }
        Ok(Found::lines(shown))
    }
}

/// A line has fewer bytes than are to be passed over.
fn no_bytes(path: &str, line: u32, bytes: Option<u64>) -> ToolError {
    let has = bytes.map(|bytes| format!(": it has {bytes} bytes")).unwrap_or_default();
    ToolError::failed(format!("line {line} of `{path}` has nothing from that byte on{has}"))
}

/// The lines of a text, without the `\n` at their ends.
pub(super) fn rows(text: &str) -> impl Iterator<Item = &str> + Clone {
    // What stands before a `\n` is the line's own: `\r\n` at the end of lines is no `\r\n` here.
    text.split_terminator('\n')
}

/// The lines of a text with their numbers, the first of which is `first`.
pub(super) fn numbered(text: &str, first: u32) -> TypedLines {
    let mut lines = TypedLines::default();
    lines.text.reserve(text.len() + text.len() / 4);
    for (number, line) in (first..).zip(rows(text)) {
        lines.line(number, &format!("{number}→"), line);
    }
    lines
}
