//! The texts of notes: the only place that spells them.

use std::fmt::{self, Display, Formatter, Write};

use foveal_transcript::{ContentHash, Handle};

use super::{Counts, Encoding, Giver, Lines, Note, NoteKind, ToldEdits, Why};

/// The tool that resolves handles.
const EXPAND: &str = "expand";

impl Note {
    /// Bytes of the text.
    pub fn text_len(&self) -> usize {
        let mut counted = Counted(0);
        // Counting cannot fail.
        let _ = write!(counted, "{self}");
        counted.0
    }
}

impl Display for Encoding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hexadecimal => "hexadecimal",
            Self::Base64 => "base64",
            Self::Binary => "binary data",
        })
    }
}

/// Counts what is written.
struct Counted(usize);

impl Write for Counted {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, Way::Tool(EXPAND))
    }
}

/// How a reader gets what a handle stands for.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// By a tool or a command of this name, which takes the handle.
    Tool(&'a str),
    /// By a tool that takes the longer hash of the whole result, which is this one.
    Hash(&'a ContentHash),
}

impl<'a> Way<'a> {
    /// What is said of a handle.
    fn to(self, handle: Handle) -> To<'a> {
        To(self, handle)
    }
}

/// A way to what a handle stands for.
struct To<'a>(Way<'a>, Handle);

impl Display for To<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(way, handle) = self;
        match way {
            // Another content is meant than that result.
            Way::Hash(whole) if whole.handle() != *handle => write!(f, "{EXPAND} {handle}"),
            Way::Hash(whole) => write!(f, "retrieve hash={}", whole.long()),
            Way::Tool(name) => write!(f, "{name} {handle}"),
        }
    }
}

/// A note whose handle is told with the way to what it stands for.
struct By<'a>(&'a Note, Way<'a>);

impl Display for By<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}

impl Note {
    /// The text for a reader who has a shell and no tool to expand handles with: `command`, then
    /// the handle.
    pub fn by_command<'a>(&'a self, command: &'a str) -> impl Display + use<'a> {
        By(self, Way::Tool(command))
    }

    /// The text for a reader whose tool takes the hash of the whole result, which is `whole`:
    /// `hash=` and its long spelling, where others have its handle.
    pub fn by_hash<'a>(&'a self, whole: &'a ContentHash) -> impl Display + use<'a> {
        By(self, Way::Hash(whole))
    }

    #[allow(clippy::too_many_lines)] // A flat table.
    fn write(&self, f: &mut Formatter<'_>, way: Way<'_>) -> fmt::Result {
        let Counts { lines, bytes, .. } = self.counts;
        match &self.kind {
            NoteKind::SameResult { call, from_end } => {
                f.write_char('[')?;
                if let Some(file) = &self.file {
                    write!(f, "{file}: unchanged, ")?;
                }
                write!(f, "same result as {}`{call}` above]", FromEnd(*from_end, "the "))
            }
            NoteKind::SameLines { call, is_own, from_end } => {
                let whose = if *is_own { "your " } else { "" };
                let which = FromEnd(*from_end, if *is_own { "" } else { "the " });
                match self.lines.first() {
                    Some(range) => write!(f, "[{range}: above in {whose}{which}`{call}`]"),
                    None => write!(f, "[{lines} lines above in {whose}{which}`{call}`]"),
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
                write!(f, "{}: {unchanged}as above]", self.range())
            }
            NoteKind::SameAs(there) => {
                match self.lines.first() {
                    Some(range) => write!(f, "[{range}: same as {there}")?,
                    None => write!(f, "[{lines} lines: same as {there}")?,
                }
                match &self.file {
                    Some(file) => write!(f, " of {file} above]"),
                    None => f.write_str(" above]"),
                }
            }
            NoteKind::Shown => match (&self.file, self.lines.first()) {
                (Some(file), Some(range)) => write!(f, "[{range}: above in {file}]"),
                (Some(file), None) => write!(f, "[{lines} lines above in {file}]"),
                (None, _) => write!(f, "[{}: shown above]", self.range()),
            },
            NoteKind::HitsShown { context } => self.hits_shown(f, context),
            NoteKind::LeftOut { names, has_more } => self.left_out(f, way, (names, *has_more)),
            NoteKind::Encoded(what) => {
                write!(f, "[{bytes} bytes of {what} left out")?;
                self.end(f, way)
            }
            NoteKind::DumpRows => {
                write!(f, "[{lines} more rows of a hex dump left out")?;
                self.end(f, way)
            }
            NoteKind::LineCut => {
                write!(f, "[… {bytes} bytes of this line left out")?;
                self.end(f, way)
            }
            NoteKind::Cleared => {
                write!(f, "[{lines} lines, {bytes} bytes no longer shown")?;
                self.end(f, way)
            }
            NoteKind::EditText => write!(f, "[{lines} lines]"),
            NoteKind::ReplacedText => {
                write!(f, "[{lines} lines that this edit replaced")?;
                self.end(f, way)
            }
            NoteKind::ToldAbove => {
                write!(f, "[told above in the edits to {}", self.file())?;
                self.end(f, way)
            }
            NoteKind::Edits(edits) => self.edits(f, way, edits),
            NoteKind::Repeated { period: 1, times } => {
                write!(f, "[last line repeated {times} more times]")
            }
            NoteKind::Repeated { period, times } => {
                write!(f, "[last {period} lines repeated {times} more times]")
            }
            NoteKind::EveryNumbered(every) => write!(f, "[every {every}th line numbered]"),
            NoteKind::Heading => f.write_str(self.file()),
            NoteKind::Remark(text) => write!(f, "[{text}]"),
            NoteKind::EndsOf(sort) => {
                write!(f, "[{sort} of {lines} lines, {bytes} bytes: its head and its end]")
            }
            NoteKind::Behind => match self.handle {
                Some(handle) => write!(f, "[{}]", way.to(handle)),
                None => Ok(()),
            },
            NoteKind::Hidden { of, is_before, names, more } => {
                let of = of.as_deref().map(|of| (of, *is_before));
                self.hidden(f, of, names, *more)
            }
            NoteKind::MoreFiles => {
                let files = self.counts.files;
                write!(f, "[{files} more {}]", if files == 1 { "file" } else { "files" })
            }
            NoteKind::Rest(why) => self.rest(f, *why),
            NoteKind::LineRest { tool, line, from_byte } => {
                let tool = match tool {
                    Giver::ReadLines => "read_lines",
                    Giver::Expand => "expand with",
                };
                write!(f, "[… {bytes} bytes of this line left out; ")?;
                write!(f, "{tool} start {line}, from_byte {from_byte}]")
            }
            NoteKind::NoRoom { line, from_byte } => {
                match self.lines.first() {
                    Some(range) => write!(f, "[{range}")?,
                    None => write!(f, "[{lines} lines, {bytes} bytes")?,
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
            NoteKind::GoOn(next) => write!(f, "[go on with start {next}]"),
            NoteKind::Ends => write!(f, "[the file has {lines} lines]"),
            NoteKind::PartOf(all) => {
                let range = self.range();
                let next = u64::from(range.1) + 1;
                write!(f, "[lines {range} of {all}; go on with start {next}]")
            }
            NoteKind::ChangedByOthers => {
                let range = self.range();
                let (were, them) = match range.0 == range.1 {
                    true => ("was", "it"),
                    false => ("were", "them"),
                };
                write!(f, "[{range} {were} changed by others since you saw {them}: ")?;
                write!(f, "read_lines, start {}]", range.0)
            }
            NoteKind::UnchangedFile { shown, is_long } => self.unchanged_file(f, *shown, *is_long),
            NoteKind::Passed { why } => write!(f, "[`{}` was left out: {why}]", self.file()),
            NoteKind::Search(note) => note.write(f, self.file()),
            NoteKind::Change(note) => note.write(f, self.file()),
            NoteKind::Run(note) => note.write(f),
            NoteKind::Answer(note) => note.write(f, self.file()),
            NoteKind::Quoted(text) => self.quoted(f, way, text),
        }
    }
}

impl Display for Lines {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 == self.1 {
            true => write!(f, "{}", self.0),
            false => write!(f, "{}-{}", self.0, self.1),
        }
    }
}

/// Which of several calls of one name is meant, with a word before it.
struct FromEnd(Option<u32>, &'static str);

impl Display for FromEnd {
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
    /// The one range of lines that most notes stand for.
    fn range(&self) -> Lines {
        self.lines.first().copied().unwrap_or(Lines(0, 0))
    }

    fn file(&self) -> &str {
        self.file.as_deref().unwrap_or_default()
    }

    /// Another's words, and how to get what is missing, on the same line.
    fn quoted(&self, f: &mut Formatter<'_>, way: Way<'_>, text: &str) -> fmt::Result {
        let Some(handle) = self.handle else { return f.write_str(text) };
        let (text, end) = text.strip_suffix('\n').map_or((text, ""), |text| (text, "\n"));
        write!(f, "{text} [{}]{end}", way.to(handle))
    }

    /// How to get what is missing, and the closing bracket.
    fn end(&self, f: &mut Formatter<'_>, way: Way<'_>) -> fmt::Result {
        match self.handle {
            Some(handle) => write!(f, "; {}]", way.to(handle)),
            None => f.write_char(']'),
        }
    }

    fn hits_shown(&self, f: &mut Formatter<'_>, context: &[u32]) -> fmt::Result {
        f.write_char('[')?;
        if !self.file().is_empty() {
            write!(f, "{} ", self.file())?;
        }
        for (at, lines) in (0u32..).zip(&self.lines) {
            f.write_str(if at == 0 { "" } else { ", " })?;
            let Lines(first, last) = lines;
            match (context.contains(&at), first == last) {
                (false, _) => write!(f, "{first}")?,
                (true, true) => write!(f, "({first})")?,
                (true, false) => write!(f, "({lines})")?,
            }
        }
        f.write_str(": shown above]")
    }

    fn left_out(
        &self,
        f: &mut Formatter<'_>,
        way: Way<'_>,
        (names, has_more): (&[Box<str>], bool),
    ) -> fmt::Result {
        let Counts { lines, bytes, hits, files, failures } = self.counts;
        if let Some(range) = self.lines.first() {
            write!(f, "[{range}")?;
        } else if hits > 0 {
            let files_word = if files == 1 { "file" } else { "files" };
            write!(f, "[{hits} hits in {files} {files_word}, {bytes} bytes")?;
        } else {
            write!(f, "[{lines} lines, {bytes} bytes")?;
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
        self.end(f, way)
    }

    fn hidden(
        &self,
        f: &mut Formatter<'_>,
        of: Option<(&str, bool)>,
        names: &[Box<str>],
        more: u32,
    ) -> fmt::Result {
        let range = self.range();
        let Lines(first, last) = range;
        match first == last {
            true => write!(f, "[{first}: 1 line")?,
            false => write!(f, "[{range}: {} lines", last - first + 1)?,
        }
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

    fn rest(&self, f: &mut Formatter<'_>, why: Why) -> fmt::Result {
        let range = self.range();
        let first = range.0;
        match why {
            Why::Full => write!(f, "[{range} left out")?,
            Why::Uncurated => {
                write!(f, "[{range} left out: the file is too long to be curated")?;
            }
            Why::Unparsed => write!(f, "[{range} left out: the file is too long to be parsed")?,
            Why::Large => {
                write!(f, "[lines from {first} on left out: ")?;
                f.write_str("the file is too large to be read at once")?;
            }
        }
        write!(f, "; find lines with grep, go on with read_lines, start {first}]")
    }

    fn unchanged_file(
        &self,
        f: &mut Formatter<'_>,
        shown: Option<u32>,
        is_long: bool,
    ) -> fmt::Result {
        let (file, all) = (self.file(), self.counts.lines);
        let Some(shown) = shown else {
            return write!(f, "[{file}: unchanged, its {all} lines are shown above]");
        };
        write!(f, "[{file}: unchanged; {shown} of its {all} lines are shown above. ")?;
        let rest = if is_long { "as many as one answer holds" } else { "all" };
        write!(f, "Get others with read_lines, or ask again at once for {rest}]")
    }

    fn edits(&self, f: &mut Formatter<'_>, way: Way<'_>, edits: &ToldEdits) -> fmt::Result {
        let changes = if edits.count == 1 { "change" } else { "changes" };
        write!(f, "[Edits to {}: {} {changes} ", self.file(), edits.count)?;
        let (first, last) = edits.turns;
        if first == last {
            write!(f, "in turn {first}]")?;
        } else {
            write!(f, "between turns {first}-{last}]")?;
        }
        for (what, count) in &edits.changes {
            write!(f, "\n- {what}")?;
            if *count > 1 {
                write!(f, " {count}x")?;
            }
        }
        if edits.more > 0 {
            write!(f, "\n- and {} more", edits.more)?;
        }
        match self.handle {
            Some(handle) => write!(f, "\n[this message in full: {}]", way.to(handle)),
            None => Ok(()),
        }
    }
}
