//! Text that stands for other text, and must never be written to a file: notes of foveal's
//! own projections, numbers that a view prints before lines, and comments for code that was
//! not written out.

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use foveal_transcript::LineNumber;

/// Bytes of a line that are told.
const TOLD_BYTES_MAX: usize = 80;
/// Lines numbered one after the other that make a gutter of tabs; one alone may be a table's.
const TAB_GUTTER_LINES_MIN: usize = 2;

/// A placeholder in new text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PlaceholderFound {
    /// The line of the new text.
    pub line: LineNumber,
    /// The line, at most 80 bytes of it.
    pub text: String,
    /// What it is.
    pub kind: PlaceholderKind,
}

/// What stands for other text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceholderKind {
    /// A note of foveal in place of text that was shown shorter.
    Note,
    /// The header of a view of a file.
    Header,
    /// A line number that a view prints.
    Gutter,
    /// A comment for code that was not written out.
    Comment,
}

impl fmt::Display for PlaceholderFound {
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

/// A kind of placeholder, and how its lines read.
struct Pattern {
    kind: PlaceholderKind,
    /// Matched against a line without the blanks around it.
    regex: &'static str,
}

const fn note(regex: &'static str) -> Pattern {
    Pattern { kind: PlaceholderKind::Note, regex }
}

const fn header(regex: &'static str) -> Pattern {
    Pattern { kind: PlaceholderKind::Header, regex }
}

const fn comment(regex: &'static str) -> Pattern {
    Pattern { kind: PlaceholderKind::Comment, regex }
}

/// What the notes of `foveal_context` and the usual comments read like.
const PATTERNS: &[Pattern] = &[
    // Excerpts, long lines, encoded data: what is left out and its handle. Also within a line.
    note(r"\[[^\[\]]* left out[^\[\]]*; expand [0-9a-f]{12}\]"),
    note(r"\[[^\[\]]*; expand [0-9a-f]{12}\]"),
    note(r"\[this message in full: expand [0-9a-f]{12}\]"),
    // Gaps of views and excerpts after the first, which named the handle.
    note(
        r"^\[(lines? )?\d[\d,]*(-\d+)?( (lines?|bytes|characters|rows))?( of [^\[\]]*)? left out[^\[\]]*\]$",
    ),
    note(r"^\[\.\.\. \d+ characters, \d+ line breaks left out \.\.\.\]$"),
    note(r"^\[… \d+ bytes of this line left out[^\[\]]*\]$"),
    note(r"\[… [^\[\]]* left out[^\[\]]*\]"),
    note(r"\[secret removed: [^\[\]]+\]"),
    note(r"\[\d+ bytes of this line left out\]$"),
    // Gaps of views and maps.
    note(r"^\[\d+(-\d+)?: \d+ lines?( (of|above) .*)?(; with .*)?\]$"),
    note(r"^\[\d+ more files?\]$"),
    // What follows.
    note(r"^\[go on with (read_lines, )?start \d+[^\[\]]*\]$"),
    note(r"^\[lines \d+-\d+ of \d+; go on with start \d+\]$"),
    note(r"^\[lines from \d+ on left out[^\[\]]*\]$"),
    note(r"^\[the file has \d+ lines\]$"),
    note(r"^\[\d+(-\d+)? (was|were) changed by others since you saw (it|them): .*\]$"),
    note(r"^\[the folder `.*` is gone; .*\]$"),
    // What was shown before.
    note(r"^\[.+: unchanged[,;] .* shown above.*\]$"),
    note(r"^\[(\S+ )?\d+(-\d+)?: ((unchanged, )?(as|shown) above|above in .+)\]$"),
    note(r"^\[\d+(-\d+| lines)?: same as \d+(-\d+)?( of .+)? above\]$"),
    note(r"^\[\d+ lines (as )?above in .*\]$"),
    note(r"^\[\S* ?\(?\d[\d, ()-]*: shown above\]$"),
    note(r"^\[[a-z ]*reminder as above\]$"),
    note(r"^\[(.+: unchanged, )?same result as .*\]$"),
    note(r"^\[told above in the edits to .*\]$"),
    // Runs and gutters.
    note(r"^\[last (\d+ )?lines? repeated \d+ more times\]$"),
    note(r"^\[every \d+th line numbered\]$"),
    note(r"^\[\d+ lines( that this edit replaced[^\[\]]*)?\]$"),
    // Histories.
    note(r"^\[File previously read: .*\]$"),
    note(r"^\[Re-read of .* - see .*\]$"),
    note(r"^\[Edits to .*: \d+ changes? .*\]$"),
    note(r"^\[(cleared to save context|dropped|Old tool result content cleared)\]$"),
    note(r"^\[outdated - see the latest file content\]$"),
    note(r"^\[\[NOTE\] This file read has been removed.*\]$"),
    note(r"^\.\.\. \[truncated: \d+ chars total, \d+ lines\] \.\.\.$"),
    note(r"^Old environment output: \(\d+ lines omitted\)$"),
    note(r"^\[Cached result from [^\[\]]*\]$"),
    header(
        r"^File: .+ \((full|curated|structure|beginning|outline|summary|long lines cut|what is not shown above)\)$",
    ),
    header(r"^Total bytes: \d+ \| Preserved: \d+ lines$"),
    header(r"^Total lines: \d+ \| Preserved: \d+ \(.*%\)$"),
    // Comments that hold nothing but three dots, and those that name what they leave out.
    comment(r"^(//|#|--|;|%|/\*|<!--|\{/\*)\s*(\.\.\.|…)\s*(\*/\}?|-->)?$"),
    comment(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)?\s*(\.\.\.|…)\s*\[?\(?(the )?(existing|rest|remaining|remainder|previous|other|same|unchanged|omitted|more|keep)\b[^;={}]{0,60}(\*/\}?|-->)?$",
    ),
    comment(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)\s*\[?\(?(the )?(existing|rest|remaining|remainder|previous|other|same|unchanged|omitted|more|keep)\b[^;={}]{0,60}(\.\.\.|…)\s*[\])]?\s*(\*/\}?|-->)?$",
    ),
    comment(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)\s*(the )?(rest|remainder) of (the |this )?(\w+ )?(file|code|function|method|class|module|implementation|component|content|contents|document|script|body|tests?)\b( (is |are |remains? |stays? )?(here|the same|unchanged|as (before|is)|omitted[^.]*))?\.?\s*(\*/\}?|-->)?$",
    ),
    comment(
        r"(?i)^(//|#|--|;|%|/\*|<!--|\{/\*)\s*(the )?(existing|remaining|previous|unchanged) (code|content|contents|implementation|methods|functions|imports|tests|logic|lines|body)( (here|goes here|(is |are |remains? |stays? )?(the same|unchanged|as (before|is))))?\.?\s*(\*/\}?|-->)?$",
    ),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(PATTERNS.iter().map(|pattern| pattern.regex))
        .expect("the patterns are written here")
});

/// What comments begin and end with.
const COMMENTS: &[(&str, &str)] =
    &[("//", ""), ("#", ""), ("--", ""), (";", ""), ("%", ""), ("/*", "*/"), ("<!--", "-->")];

/// Numbers of views: `  12→`.
static ARROW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ *\d+→").expect("the pattern is written here"));
/// Numbers of `cat -n`, padded to a width.
static PADDED_TAB: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ +(\d+)\t").expect("the pattern is written here"));

/// The first line of `new` that is a placeholder and no line of `old`, the text that stands
/// in the file now.
pub fn refuse_placeholders(old: &str, new: &str) -> Option<PlaceholderFound> {
    let mut found = suspects(new).peekable();
    found.peek()?;
    let known: HashSet<&str> = old.lines().collect();
    let (at, line, kind) = found.find(|(_, line, _)| !known.contains(line))?;
    let trimmed = line.trim();
    let end = trimmed.floor_char_boundary(TOLD_BYTES_MAX.min(trimmed.len()));
    Some(PlaceholderFound { line: LineNumber::of_index(at), text: trimmed[..end].to_owned(), kind })
}

/// The lines of `text` that are placeholders, with their index.
fn suspects(text: &str) -> impl Iterator<Item = (usize, &str, PlaceholderKind)> {
    let mut run = Run::default();
    text.lines().enumerate().filter_map(move |(at, line)| {
        let kind =
            of_pattern(line).or_else(|| run.is_gutter(line).then_some(PlaceholderKind::Gutter));
        kind.map(|kind| (at, line, kind))
    })
}

fn of_pattern(line: &str) -> Option<PlaceholderKind> {
    let kind = |text: &str| {
        let at = SET.matches(text).into_iter().next()?;
        PATTERNS.get(at).map(|pattern| pattern.kind)
    };
    // A note in a comment is one all the same.
    let in_comment = || commented(line.trim()).and_then(kind);
    kind(line.trim()).or_else(|| in_comment().filter(|kind| *kind == PlaceholderKind::Note))
}

/// What a comment that fills a line says, where that is in brackets as notes are.
fn commented(line: &str) -> Option<&str> {
    let said = COMMENTS.iter().find_map(|(open, close)| {
        let said = line.strip_prefix(open)?;
        Some(said.strip_suffix(close).unwrap_or(said).trim())
    })?;
    said.starts_with('[').then_some(said)
}

/// Whether lines of `text` begin with the numbers of a view.
pub(super) fn has_gutter(text: &str) -> bool {
    let mut run = Run::default();
    text.lines().any(|line| run.is_gutter(line))
}

/// Lines that count up.
#[derive(Default)]
struct Run {
    last: u64,
    lines: usize,
}

impl Run {
    /// Whether the next line is numbered by a view.
    fn is_gutter(&mut self, line: &str) -> bool {
        if ARROW.is_match(line) {
            return true;
        }
        let number = PADDED_TAB.captures(line).and_then(|found| found[1].parse::<u64>().ok());
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
