//! Renders notes as text. All texts of notes are spelled here.

use std::fmt::{self, Display, Formatter, Write};

use foveal_screen::numbers::PlainCount;
use foveal_transcript::{ContentHash, Handle};

use super::{Counts, DataEncoding, LineNumberRange, Note, NoteKind};

/// The tool that resolves handles.
const EXPAND: &str = "expand";

impl Note {
    /// Returns the length of the text in bytes.
    pub fn text_len(&self) -> usize {
        let mut counted = ByteCounter(0);
        // Counting cannot fail.
        let _ = write!(counted, "{self}");
        counted.0
    }
}

impl Display for DataEncoding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hexadecimal => "hexadecimal",
            Self::Base64 => "base64",
            Self::Binary => "binary data",
        })
    }
}

/// A writer that counts bytes.
struct ByteCounter(usize);

impl Write for ByteCounter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_with_lookup(f, HandleLookup::Tool(EXPAND))
    }
}

/// The way in which a reader fetches the content of a handle.
#[derive(Clone, Copy)]
enum HandleLookup<'a> {
    /// A tool or a command of this name, which takes the handle.
    Tool(&'a str),
    /// A tool that takes the long hash of the whole result, which is this one.
    Hash(&'a ContentHash),
}

impl<'a> HandleLookup<'a> {
    /// Returns the hint for a handle.
    fn hint_for(self, handle: Handle) -> HandleHint<'a> {
        HandleHint(self, handle)
    }
}

/// The hint in a note on how to fetch a handle's content.
struct HandleHint<'a>(HandleLookup<'a>, Handle);

impl Display for HandleHint<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(way, handle) = self;
        match way {
            // The handle is that of another content.
            HandleLookup::Hash(whole) if whole.handle() != *handle => {
                write!(f, "{EXPAND} {handle}")
            }
            HandleLookup::Hash(whole) => write!(f, "retrieve hash={}", whole.to_long_hex()),
            HandleLookup::Tool(name) => write!(f, "{name} {handle}"),
        }
    }
}

/// A note that is rendered with a given hint for its handle.
struct NoteWithHint<'a>(&'a Note, HandleLookup<'a>);

impl Display for NoteWithHint<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.write_with_lookup(f, self.1)
    }
}

impl Note {
    /// Renders the note for a reader with a shell and no `expand` tool: the hint is `command` and
    /// the handle.
    pub fn display_with_command<'a>(&'a self, command: &'a str) -> impl Display + use<'a> {
        NoteWithHint(self, HandleLookup::Tool(command))
    }

    /// Renders the note for a reader whose tool takes the hash of the whole result: the hint is
    /// `hash=` and the long spelling of `whole` instead of its handle.
    pub fn display_with_hash<'a>(&'a self, whole: &'a ContentHash) -> impl Display + use<'a> {
        NoteWithHint(self, HandleLookup::Hash(whole))
    }

    #[allow(clippy::too_many_lines)] // A flat table.
    fn write_with_lookup(&self, f: &mut Formatter<'_>, way: HandleLookup<'_>) -> fmt::Result {
        let Counts { lines, bytes, .. } = self.counts;
        match &self.kind {
            NoteKind::SameResult { call, from_end } => {
                f.write_char('[')?;
                if let Some(file) = &self.file {
                    write!(f, "{file}: unchanged, ")?;
                }
                write!(f, "same result as {}`{call}` above]", CallOrdinal(*from_end, "the "))
            }
            NoteKind::SameLines { call, is_own, from_end } => {
                let whose = if *is_own { "your " } else { "" };
                let which = CallOrdinal(*from_end, if *is_own { "" } else { "the " });
                match self.lines.first() {
                    Some(range) => write!(f, "[{range}: above in {whose}{which}`{call}`]"),
                    None => write!(
                        f,
                        "[{} above in {whose}{which}`{call}`]",
                        PlainCount::new(lines, "line")
                    ),
                }
            }
            NoteKind::SameReminder { name } => {
                write!(f, "[{} as above]", name.replace(['-', '_'], " "))
            }
            NoteKind::Unchanged | NoteKind::AllUnchanged => {
                f.write_char('[')?;
                if let Some(file) = &self.file {
                    write!(f, "{file} ")?;
                }
                let is_all = self.kind == NoteKind::AllUnchanged;
                let unchanged = if is_all { "unchanged, " } else { "" };
                write!(f, "{}: {unchanged}as above]", self.line_range())
            }
            NoteKind::SameAs(there) => {
                match self.lines.first() {
                    Some(range) => write!(f, "[{range}: same as {there}")?,
                    None => write!(f, "[{}: same as {there}", PlainCount::new(lines, "line"))?,
                }
                match &self.file {
                    Some(file) => write!(f, " of {file} above]"),
                    None => f.write_str(" above]"),
                }
            }
            NoteKind::Shown => match (&self.file, self.lines.first()) {
                (Some(file), Some(range)) => write!(f, "[{range}: above in {file}]"),
                (Some(file), None) => {
                    write!(f, "[{} above in {file}]", PlainCount::new(lines, "line"))
                }
                (None, _) => write!(f, "[{}: shown above]", self.line_range()),
            },
            NoteKind::HitsShown { context } => self.write_shown_hits(f, context),
            NoteKind::LeftOut { names, has_more } => self.write_omission(f, way, names, *has_more),
            NoteKind::Encoded(what) => {
                write!(f, "[{} of {what} left out", PlainCount::new(bytes, "byte"))?;
                self.write_end(f, way)
            }
            NoteKind::DumpRows => {
                write!(f, "[{} of a hex dump left out", PlainCount::new(lines, "more row"))?;
                self.write_end(f, way)
            }
            NoteKind::LineCut => {
                write!(f, "[… {} of this line left out", PlainCount::new(bytes, "byte"))?;
                self.write_end(f, way)
            }
            NoteKind::Cleared => {
                write!(
                    f,
                    "[{}, {} no longer shown",
                    PlainCount::new(lines, "line"),
                    PlainCount::new(bytes, "byte")
                )?;
                self.write_end(f, way)
            }
            NoteKind::Repeated { period: 1, times } => {
                write!(f, "[last line repeated {}]", PlainCount::new(*times, "more time"))
            }
            NoteKind::Repeated { period, times } => {
                write!(f, "[last {period} lines repeated {}]", PlainCount::new(*times, "more time"))
            }
            NoteKind::EveryNumbered(every) => write!(f, "[every {every}th line numbered]"),
            NoteKind::Heading => f.write_str(self.file_or_empty()),
            NoteKind::Remark(text) => write!(f, "[{text}]"),
            NoteKind::EndsOf(sort) => {
                let (lines, bytes) =
                    (PlainCount::new(lines, "line"), PlainCount::new(bytes, "byte"));
                write!(f, "[{sort} of {lines}, {bytes}: its head and its end]")
            }
            NoteKind::Curated(share) => {
                write!(
                    f,
                    "[curated: {} of {} ({share})]",
                    share.shown,
                    PlainCount::new(share.all, "line")
                )
            }
            NoteKind::Behind => match self.handle {
                Some(handle) => write!(f, "[{}]", way.hint_for(handle)),
                None => Ok(()),
            },
            NoteKind::Hidden { of, is_before, names, more } => {
                let of = of.as_deref().map(|of| (of, *is_before));
                self.write_hidden_lines(f, of, names, *more)
            }
            NoteKind::MoreFiles => {
                write!(f, "[{}]", PlainCount::new(self.counts.files, "more file"))
            }
            NoteKind::NoRoom { line, from_byte } => {
                match self.lines.first() {
                    Some(range) => write!(f, "[{range}")?,
                    None => write!(
                        f,
                        "[{}, {}",
                        PlainCount::new(lines, "line"),
                        PlainCount::new(bytes, "byte")
                    )?,
                }
                f.write_str(" left out: the answer is full")?;
                if let Some(handle) = self.handle {
                    write!(f, "; {EXPAND} {handle}, start {line}")?;
                }
                if *from_byte > 0 {
                    write!(f, ", from_byte {from_byte}")?;
                }
                f.write_char(']')
            }
            NoteKind::Quoted(text) => self.write_quoted(f, way, text),
        }
    }
}

impl Display for LineNumberRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 == self.1 {
            true => write!(f, "{}", self.0),
            false => write!(f, "{}-{}", self.0, self.1),
        }
    }
}

/// The position of a call among those of its name, counted from the end, after a word.
struct CallOrdinal(Option<u32>, &'static str);

impl Display for CallOrdinal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(from_end, word) = self;
        match from_end {
            None => Ok(()),
            Some(1) => write!(f, "{word}last "),
            Some(count) => {
                let end = match (count % 10, count % 100) {
                    (1..=3, 11..=13) => "th",
                    (1, _) => "st",
                    (2, _) => "nd",
                    (3, _) => "rd",
                    _ => "th",
                };
                write!(f, "{word}{count}{end} last ")
            }
        }
    }
}

impl Note {
    /// Returns the range of lines that the note replaces; an empty range (0, 0) if there is none.
    fn line_range(&self) -> LineNumberRange {
        self.lines.first().copied().unwrap_or(LineNumberRange(0, 0))
    }

    fn file_or_empty(&self) -> &str {
        self.file.as_deref().unwrap_or_default()
    }

    /// Writes the words of another tool's rule with the hint for the handle, on one line.
    fn write_quoted(
        &self,
        f: &mut Formatter<'_>,
        way: HandleLookup<'_>,
        text: &str,
    ) -> fmt::Result {
        let Some(handle) = self.handle else { return f.write_str(text) };
        let (text, end) = text.strip_suffix('\n').map_or((text, ""), |text| (text, "\n"));
        write!(f, "{text} [{}]{end}", way.hint_for(handle))
    }

    /// Writes the hint for the handle and the closing bracket.
    fn write_end(&self, f: &mut Formatter<'_>, way: HandleLookup<'_>) -> fmt::Result {
        match self.handle {
            Some(handle) => write!(f, "; {}]", way.hint_for(handle)),
            None => f.write_char(']'),
        }
    }

    fn write_shown_hits(&self, f: &mut Formatter<'_>, context: &[u32]) -> fmt::Result {
        f.write_char('[')?;
        if !self.file_or_empty().is_empty() {
            write!(f, "{} ", self.file_or_empty())?;
        }
        for (at, lines) in (0u32..).zip(&self.lines) {
            f.write_str(if at == 0 { "" } else { ", " })?;
            let LineNumberRange(first, last) = lines;
            match (context.contains(&at), first == last) {
                (false, _) => write!(f, "{first}")?,
                (true, true) => write!(f, "({first})")?,
                (true, false) => write!(f, "({lines})")?,
            }
        }
        f.write_str(": shown above]")
    }

    fn write_omission(
        &self,
        f: &mut Formatter<'_>,
        way: HandleLookup<'_>,
        names: &[Box<str>],
        has_more: bool,
    ) -> fmt::Result {
        let Counts { lines, bytes, hits, files, failures } = self.counts;
        if let Some(range) = self.lines.first() {
            write!(f, "[{range}")?;
        } else if hits > 0 {
            let (hits, files) = (PlainCount::new(hits, "hit"), PlainCount::new(files, "file"));
            write!(f, "[{hits} in {files}, {}", PlainCount::new(bytes, "byte"))?;
        } else {
            write!(f, "[{}, {}", PlainCount::new(lines, "line"), PlainCount::new(bytes, "byte"))?;
        }
        if failures > 0 {
            write!(f, ", {failures} of them about failures,")?;
        }
        f.write_str(" left out")?;
        for (at, name) in names.iter().enumerate() {
            f.write_str(if at == 0 { ": " } else { ", " })?;
            f.write_str(name)?;
        }
        f.write_str(if has_more { " and more" } else { "" })?;
        self.write_end(f, way)
    }

    fn write_hidden_lines(
        &self,
        f: &mut Formatter<'_>,
        of: Option<(&str, bool)>,
        names: &[Box<str>],
        more: u32,
    ) -> fmt::Result {
        let range = self.line_range();
        let LineNumberRange(first, last) = range;
        write!(f, "[{range}: {}", PlainCount::new(last - first + 1, "line"))?;
        if let Some((of, is_before)) = of {
            write!(f, " {} {of}", if is_before { "above" } else { "of" })?;
        }
        for (at, name) in names.iter().enumerate() {
            write!(f, "{}{name}", if at == 0 { "; with " } else { ", " })?;
        }
        if !names.is_empty() && more > 0 {
            write!(f, " and {more} more")?;
        }
        f.write_char(']')
    }
}
