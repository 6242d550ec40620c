//! Detection of text that stands for other text and must not be written to a file: notes of
//! foveal's own projections, line numbers of views, and comments in place of omitted code.

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use foveal_transcript::LineNumber;

/// Bytes of a line that are quoted in the message.
const QUOTED_BYTES_MAX: usize = 80;
/// Consecutively numbered lines that make a gutter of tabs; a single one may belong to a table.
const TAB_GUTTER_LINES_MIN: usize = 2;

/// A placeholder in the new text of an edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PlaceholderError {
    /// The line of the new text.
    pub line: LineNumber,
    /// The text of the line, at most 80 bytes.
    pub text: String,
    /// The kind of placeholder.
    pub kind: PlaceholderKind,
}

/// The kind of a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceholderKind {
    /// A note of foveal in place of omitted text.
    Note,
    /// The header of a view of a file.
    Header,
    /// A line number that a view prints.
    Gutter,
    /// A comment in place of omitted code.
    Comment,
}

impl fmt::Display for PlaceholderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, text, kind } = self;
        let (is, remedy) = match kind {
            PlaceholderKind::Note => (
                "a note that stands for text left out of a view",
                "read or expand that text, and give it in full",
            ),
            PlaceholderKind::Header => ("the header of a view", "leave it out"),
            PlaceholderKind::Gutter => {
                ("numbered as a view numbers it", "give the lines without their numbers")
            }
            PlaceholderKind::Comment => (
                "a placeholder for code",
                "give the code in full, or edit only the lines that change",
            ),
        };
        write!(f, "line {line} of the new text is {is}: `{text}`; nothing was written; {remedy}")
    }
}

/// A pattern for lines of one kind of placeholder.
struct PlaceholderPattern {
    kind: PlaceholderKind,
    /// Matched against the trimmed line.
    regex: &'static str,
}

const fn note_pattern(regex: &'static str) -> PlaceholderPattern {
    PlaceholderPattern { kind: PlaceholderKind::Note, regex }
}

const fn header_pattern(regex: &'static str) -> PlaceholderPattern {
    PlaceholderPattern { kind: PlaceholderKind::Header, regex }
}

const fn comment_pattern(regex: &'static str) -> PlaceholderPattern {
    PlaceholderPattern { kind: PlaceholderKind::Comment, regex }
}

/// The notes of `foveal_context` and the usual comments.
const PATTERNS: &[PlaceholderPattern] = &[
    // Excerpts, long lines, encoded data: the omission and its handle. Also within a line.
    note_pattern(r"\[[^\[\]]* left out[^\[\]]*; expand [0-9a-f]{12}\]"),
    note_pattern(r"\[[^\[\]]*; expand [0-9a-f]{12}\]"),
    note_pattern(r"\[this message in full: expand [0-9a-f]{12}\]"),
    // Gaps of views and excerpts after the first, which names the handle.
    note_pattern(
        r"^\[(lines? )?\d[\d,]*(-\d+)?( (lines?|bytes|characters|rows))?( of [^\[\]]*)? left out[^\[\]]*\]$",
    ),
    note_pattern(r"^\[\.\.\. \d+ characters, \d+ line breaks left out \.\.\.\]$"),
    note_pattern(r"^\[… \d+ bytes of this line left out[^\[\]]*\]$"),
    note_pattern(r"\[… [^\[\]]* left out[^\[\]]*\]"),
    note_pattern(r"\[secret removed: [^\[\]]+\]"),
    note_pattern(r"\[\d+ bytes of this line left out\]$"),
    // Gaps of views and maps.
    note_pattern(r"^\[\d+(-\d+)?: \d+ lines?( (of|above) .*)?(; with .*)?\]$"),
    note_pattern(r"^\[\d+ more files?\]$"),
    // Continuations.
    note_pattern(r"^\[go on with (read_lines, )?start \d+[^\[\]]*\]$"),
    note_pattern(r"^\[lines \d+-\d+ of \d+; go on with start \d+\]$"),
    note_pattern(r"^\[lines from \d+ on left out[^\[\]]*\]$"),
    note_pattern(r"^\[the file has \d+ lines\]$"),
    note_pattern(r"^\[\d+(-\d+)? (was|were) changed by others since you saw (it|them): .*\]$"),
    note_pattern(r"^\[the folder `.*` is gone; .*\]$"),
    // Pointers to earlier results.
    note_pattern(r"^\[.+: unchanged[,;] .* shown above.*\]$"),
    note_pattern(r"^\[(\S+ )?\d+(-\d+)?: ((unchanged, )?(as|shown) above|above in .+)\]$"),
    note_pattern(r"^\[\d+(-\d+| lines)?: same as \d+(-\d+)?( of .+)? above\]$"),
    note_pattern(r"^\[\d+ lines (as )?above in .*\]$"),
    note_pattern(r"^\[\S* ?\(?\d[\d, ()-]*: shown above\]$"),
    note_pattern(r"^\[[a-z ]*reminder as above\]$"),
    note_pattern(r"^\[(.+: unchanged, )?same result as .*\]$"),
    note_pattern(r"^\[told above in the edits to .*\]$"),
    // Runs and gutters.
    note_pattern(r"^\[last (\d+ )?lines? repeated \d+ more times\]$"),
    note_pattern(r"^\[every \d+th line numbered\]$"),
    note_pattern(r"^\[curated: \d+ of \d+ lines \(.* %\)\]$"),
    note_pattern(r"^\[\d+ lines( that this edit replaced[^\[\]]*)?\]$"),
    // Histories.
    note_pattern(r"^\[File previously read: .*\]$"),
    note_pattern(r"^\[Re-read of .* - see .*\]$"),
    note_pattern(r"^\[Edits to .*: \d+ changes? .*\]$"),
    note_pattern(r"^\[(cleared to save context|dropped|Old tool result content cleared)\]$"),
    note_pattern(r"^\[outdated - see the latest file content\]$"),
    note_pattern(r"^\[\[NOTE\] This file read has been removed.*\]$"),
    note_pattern(r"^\.\.\. \[truncated: \d+ chars total, \d+ lines\] \.\.\.$"),
    note_pattern(r"^Old environment output: \(\d+ lines omitted\)$"),
    note_pattern(r"^\[Cached result from [^\[\]]*\]$"),
    note_pattern(r"^\[nothing was written(?: now)?: [^\[\]]*\]$"),
    header_pattern(
        r"^File: .+ \((full|curated|structure|beginning|outline|summary|long lines cut|what is not shown above)\)$",
    ),
    header_pattern(r"^Total bytes: \d+ \| Preserved: \d+ lines$"),
    header_pattern(r"^Total lines: \d+ \| Preserved: \d+ \(.*%\)$"),
    // Comments of three dots alone, and those that name the omission.
    comment_pattern(r"^(//|#|--|;|%|/\*|<!--|\{/\*)\s*(\.\.\.|…)\s*(\*/\}?|-->)?$"),
    comment_pattern(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)?\s*(\.\.\.|…)\s*\[?\(?(the )?(existing|rest|remaining|remainder|previous|other|same|unchanged|omitted|more|keep)\b[^;={}]{0,60}(\*/\}?|-->)?$",
    ),
    comment_pattern(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)\s*\[?\(?(the )?(existing|rest|remaining|remainder|previous|other|same|unchanged|omitted|more|keep)\b[^;={}]{0,60}(\.\.\.|…)\s*[\])]?\s*(\*/\}?|-->)?$",
    ),
    comment_pattern(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)\s*(the )?(rest|remainder) of (the |this )?(\w+ )?(file|code|function|method|class|module|implementation|component|content|contents|document|script|body|tests?)\b( (is |are |remains? |stays? )?(here|the same|unchanged|as (before|is)|omitted[^.]*))?\.?\s*(\*/\}?|-->)?$",
    ),
    comment_pattern(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)\s*(the )?(existing|remaining|previous|unchanged) (code|content|contents|implementation|methods|functions|imports|tests|logic|lines|body)( (here|goes here|(is |are |remains? |stays? )?(the same|unchanged|as (before|is))))?\.?\s*(\*/\}?|-->)?$",
    ),
];

static PATTERN_SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(PATTERNS.iter().map(|pattern| pattern.regex))
        .expect("the patterns are written here")
});

/// The opening and closing delimiters of comments.
const COMMENT_DELIMITERS: &[(&str, &str)] =
    &[("//", ""), ("#", ""), ("--", ""), (";", ""), ("%", ""), ("/*", "*/"), ("<!--", "-->")];

/// A line number of a view: `  12→`.
static ARROW_GUTTER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ *\d+→").expect("the pattern is written here"));
/// A line number of `cat -n`, padded to a width.
static PADDED_TAB_GUTTER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ +(\d+)\t").expect("the pattern is written here"));

/// Returns the first line of `new` that is a placeholder and not a line of `old`, the current text
/// of the file.
pub fn find_new_placeholder(old: &str, new: &str) -> Option<PlaceholderError> {
    let mut found = placeholder_lines(new).peekable();
    found.peek()?;
    let known: HashSet<&str> = old.lines().collect();
    let (at, line, kind) = found.find(|(_, line, _)| !known.contains(line))?;
    let trimmed = line.trim();
    let end = trimmed.floor_char_boundary(QUOTED_BYTES_MAX.min(trimmed.len()));
    Some(PlaceholderError {
        line: LineNumber::from_index(at),
        text: trimmed[..end].to_owned(),
        kind,
    })
}

/// Returns the lines of `text` that are placeholders, with their index.
fn placeholder_lines(text: &str) -> impl Iterator<Item = (usize, &str, PlaceholderKind)> {
    let mut run = NumberedRun::default();
    text.lines().enumerate().filter_map(move |(at, line)| {
        let kind =
            match_patterns(line).or_else(|| run.is_gutter(line).then_some(PlaceholderKind::Gutter));
        kind.map(|kind| (at, line, kind))
    })
}

fn match_patterns(line: &str) -> Option<PlaceholderKind> {
    let kind = |text: &str| {
        let at = PATTERN_SET.matches(text).into_iter().next()?;
        PATTERNS.get(at).map(|pattern| pattern.kind)
    };
    // A note within a comment counts too.
    let in_comment = || bracketed_comment_text(line.trim()).and_then(kind);
    kind(line.trim()).or_else(|| in_comment().filter(|kind| *kind == PlaceholderKind::Note))
}

/// Returns the text of a comment that fills the line, if it is in brackets like a note.
fn bracketed_comment_text(line: &str) -> Option<&str> {
    let said = COMMENT_DELIMITERS.iter().find_map(|(open, close)| {
        let said = line.strip_prefix(open)?;
        Some(said.strip_suffix(close).unwrap_or(said).trim())
    })?;
    said.starts_with('[').then_some(said)
}

/// Returns whether lines of `text` begin with the line numbers of a view.
pub(super) fn has_number_gutter(text: &str) -> bool {
    let mut run = NumberedRun::default();
    text.lines().any(|line| run.is_gutter(line))
}

/// A run of consecutively numbered lines.
#[derive(Default)]
struct NumberedRun {
    last: u64,
    lines: usize,
}

impl NumberedRun {
    /// Returns whether the next line is numbered by a view.
    fn is_gutter(&mut self, line: &str) -> bool {
        if ARROW_GUTTER.is_match(line) {
            return true;
        }
        let number =
            PADDED_TAB_GUTTER.captures(line).and_then(|found| found[1].parse::<u64>().ok());
        match number {
            Some(number) => {
                let follows = self.lines > 0 && number == self.last.wrapping_add(1);
                self.lines = if follows { self.lines + 1 } else { 1 };
                self.last = number;
            }
            None => self.lines = 0,
        }
        self.lines >= TAB_GUTTER_LINES_MIN
    }
}
