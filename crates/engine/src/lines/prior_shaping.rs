//! Recognises results that foveal itself has shaped, by their structure: headings of files,
//! numbered views, and notes in place of lines. Only the lines that they show are numbered.

use super::gutter::{self, GutterStyle};
use super::output_body::OutputBody;
use super::result_lines::PriorShaping;
use super::result_lines_builder::ResultLinesBuilder;
use super::{requested_range, truncation};
use foveal_tool_effects::{Effect, OutputPart, ReadTarget};

/// Number of digits of a handle.
const HANDLE_DIGITS: usize = 12;

/// Numbers the lines of a result that foveal has shaped. Returns whether it is one: it has a
/// heading, or a note whose numbers continue those of the lines before it.
pub(super) fn number_shaped_lines(
    page: &mut ResultLinesBuilder<'_>,
    body: &OutputBody,
    effect: &Effect,
) -> bool {
    let is_sign = |at: usize| {
        let line = page.line_text(at);
        parse_note_range(line).is_some()
            || parse_every_numbered(line).is_some()
            || parse_heading(page, at).is_some()
    };
    if !body.lines.clone().any(is_sign) {
        return false;
    }
    let mut walk = LineNumberTracker::new(page, body, effect);
    let mut at = body.lines.start;
    let end = body.lines.end.min(truncation::first_mark_line(page, body));
    while at < end {
        at += walk.process_line(page, effect, at);
    }
    if !walk.is_shaped_by_foveal() {
        return false;
    }
    for (at, place, number, skip) in walk.found {
        page.assign_number(at, place, Some(number), skip);
    }
    page.printed.prior_shaping =
        if walk.notes > 0 { PriorShaping::Notes } else { PriorShaping::Heading };
    true
}

/// Returns the number of lines at the start of a result with which foveal introduces an answer that
/// it gave before. The answer follows.
pub(crate) fn count_reuse_note_lines(content: &str) -> usize {
    let is_note = |line: &str, start: &str| line.starts_with(start) && line.ends_with(']');
    let mut lines = content.lines();
    match lines.next() {
        Some(first) if is_note(first, "[Cached result from ") => {
            1 + usize::from(lines.next().is_some_and(|line| is_note(line, "[nothing was written")))
        }
        _ => 0,
    }
}

/// Returns whether a text has a note with a handle, which returns the omitted content.
pub(crate) fn has_note_handle(content: &str) -> bool {
    note_handles(content).next().is_some()
}

/// Returns the handles in the notes of a text.
pub(super) fn note_handles(content: &str) -> impl Iterator<Item = &str> {
    content.match_indices("expand ").filter_map(|(at, word)| {
        let rest = &content[at + word.len()..];
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let digits = rest.bytes().take_while(is_digit).count();
        let before = content[..at].trim_end_matches("foveal ");
        let is_named = digits == HANDLE_DIGITS
            && before.ends_with(['[', ';', ' '])
            && matches!(rest.as_bytes().get(digits), Some(b']' | b',' | b';'));
        is_named.then(|| &rest[..digits])
    })
}

/// Returns whether a line consists of a note of foveal.
pub(super) fn is_note(line: &str) -> bool {
    let is_bracketed = line.starts_with('[') && line.ends_with(']');
    is_bracketed
        && (parse_note_range(line).is_some()
            || parse_every_numbered(line).is_some()
            || has_note_handle(line))
}

/// The source of line numbers in a shaped result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberingMethod {
    /// A gutter in front of each line, or of each tenth.
    Gutter(GutterStyle),
    /// The number of the previous line.
    Count,
}

/// The state of the numbering after some lines.
struct LineNumberTracker {
    method: NumberingMethod,
    place: Option<u16>,
    /// The number of the next line.
    next: Option<u32>,
    /// Whether the output is lines of one file, so that they can be counted.
    is_of_one_file: bool,
    /// Whether lines without a gutter continue the numbers.
    counts_up: bool,
    /// Whether the previous line is a note.
    behind_note: bool,
    headings: usize,
    notes: usize,
    /// Number of notes whose numbers fit the lines around them.
    consistent_notes: usize,
    /// Lines with the index of their path, their number and the length of their gutter.
    found: Vec<(usize, u16, u32, usize)>,
}

impl LineNumberTracker {
    fn new(page: &mut ResultLinesBuilder<'_>, body: &OutputBody, effect: &Effect) -> Self {
        let is_text = |at: &usize| {
            parse_note_range(page.line_text(*at)).is_none()
                && parse_heading(page, *at).is_none()
                && !page.line_text(*at).starts_with(TOTAL_LINES_PREFIX)
                && parse_every_numbered(page.line_text(*at)).is_none()
        };
        let first = body.lines.clone().find(is_text);
        let gutter = first.and_then(|at| gutter::parse_gutter(page.line_text(at)));
        let gutter = gutter
            .filter(|it| matches!(it.style, GutterStyle::Arrow | GutterStyle::Tab) || it.padded);
        let method =
            gutter.map_or(NumberingMethod::Count, |gutter| NumberingMethod::Gutter(gutter.style));
        let sole = match &effect.reads[..] {
            [read] => Some(read),
            _ => None,
        };
        let is_of_one_file = sole.is_some() && matches!(effect.output[..], [OutputPart::Lines(_)]);
        let next = sole.filter(|_| method == NumberingMethod::Count && is_of_one_file);
        let next = next.and_then(|read| requested_range::first_number(body, effect, read));
        Self {
            method,
            place: sole.and_then(|read| page.intern_read_path(read)),
            next,
            is_of_one_file,
            counts_up: false,
            behind_note: false,
            headings: 0,
            notes: 0,
            consistent_notes: 0,
            found: Vec::new(),
        }
    }

    fn is_shaped_by_foveal(&self) -> bool {
        self.headings > 0 || self.consistent_notes > 0
    }

    /// Returns whether the numbers of lines after a note are unknown.
    fn has_unknown_lines(&self) -> bool {
        self.method == NumberingMethod::Count && self.headings == 0 && !self.is_of_one_file
    }

    /// Processes the line at `at`, or the lines of a heading; returns their number.
    fn process_line(
        &mut self,
        page: &mut ResultLinesBuilder<'_>,
        effect: &Effect,
        at: usize,
    ) -> usize {
        let line = page.line_text(at);
        if let Some(path) = parse_heading(page, at) {
            let names_it = |read: &&ReadTarget| may_be_same_path(&read.path, path);
            // Paths of several files may end in the same name.
            let fit = |read: &&ReadTarget| read.path.len().abs_diff(path.len());
            let read = effect.reads.iter().filter(names_it).min_by_key(fit);
            self.place = match read {
                Some(read) => page.intern_read_path(read),
                None => page.intern_spelling(path),
            };
            self.headings += 1;
            (self.next, self.counts_up) = (None, false);
            return 2;
        }
        if parse_every_numbered(line).is_some() {
            self.counts_up = true;
            self.notes += 1;
            self.consistent_notes += usize::from(self.method != NumberingMethod::Count);
            return 1;
        }
        // The lines after a note are unknown if the result has lines of several files.
        if parse_note_range(line).is_some() && self.has_unknown_lines() {
            self.notes += 1;
            self.consistent_notes += 1;
            (self.next, self.place) = (None, None);
            return 1;
        }
        if let Some((first, last)) = parse_note_range(line)
            && self.next.is_none_or(|next| next == first)
        {
            self.notes += 1;
            self.consistent_notes += usize::from(self.next.is_some());
            (self.next, self.behind_note) = (last.checked_add(1), true);
            return 1;
        }
        self.process_text_line(page, at);
        self.behind_note = false;
        1
    }

    fn process_text_line(&mut self, page: &ResultLinesBuilder<'_>, at: usize) {
        let Some(place) = self.place else { return };
        let gutter = gutter::parse_gutter(page.line_text(at));
        let number = match (self.method, gutter) {
            (NumberingMethod::Gutter(style), Some(gutter)) if gutter.style == style => {
                let is_next = self.next == Some(gutter.number);
                self.consistent_notes += usize::from(is_next && self.behind_note);
                self.found.push((at, place, gutter.number, gutter.skip));
                Some(gutter.number)
            }
            (NumberingMethod::Gutter(_), _) if !self.counts_up => return,
            (_, _) => self.next.inspect(|next| self.found.push((at, place, *next, 0))),
        };
        self.next = number.and_then(|number| number.checked_add(1));
    }
}

/// The beginning of the second line of a heading.
const TOTAL_LINES_PREFIX: &str = "Total lines: ";

/// Returns whether two spellings of a path may name one file.
fn may_be_same_path(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|front| front.is_empty() || front.ends_with('/'))
    };
    ends(one, other) || ends(other, one)
}

/// Parses the path in a heading of two lines: `File: a.rs (curated)`, `Total lines: 9 | …`.
fn parse_heading<'a>(page: &ResultLinesBuilder<'a>, at: usize) -> Option<&'a str> {
    let rest = page.line_text(at).strip_prefix("File: ")?;
    let named = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let path = named.map_or(rest, |(path, _)| path);
    page.line_text(at + 1).starts_with(TOTAL_LINES_PREFIX).then_some(path)
}

/// Parses the number in `[every 10th line numbered]`.
fn parse_every_numbered(line: &str) -> Option<u32> {
    line.strip_prefix("[every ")?.strip_suffix("th line numbered]")?.parse().ok()
}

/// Parses the first and last number of the lines that a note on its own line replaces: `[3-9: …]`,
/// `[3-9 left out…]`, `[3: …]`.
fn parse_note_range(line: &str) -> Option<(u32, u32)> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    // If a result has lines of several files, a note names its file.
    let inner = match inner.split_once(' ') {
        Some((path, rest)) if !path.contains(':') && path.contains(['.', '/']) => rest,
        _ => inner,
    };
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (first, rest) = inner.split_at(digits(inner));
    let first: u32 = first.parse().ok()?;
    let (last, rest) = match rest.strip_prefix('-') {
        Some(rest) => {
            let (last, rest) = rest.split_at(digits(rest));
            (last.parse().ok()?, rest)
        }
        None => (first, rest),
    };
    let says = rest.starts_with(": ") || rest.starts_with(" left out");
    (first > 0 && first <= last && says).then_some((first, last))
}
