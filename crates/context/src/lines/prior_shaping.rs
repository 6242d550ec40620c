//! Results that foveal itself has shaped, recognised by their structure: headings of files, numbered
//! views, and notes in place of lines. The lines that they show are numbered, and nothing else.

use super::gutter::{self, Style};
use super::output_body::Body;
use super::page::Page;
use super::printed::PriorShaping;
use super::{bare, truncation};
use foveal_effects::{Effect, Output, ReadTarget};

/// Digits of a handle.
const HANDLE_DIGITS: usize = 12;

/// Numbers the lines that a result of foveal's shows. Says whether it is one: a heading says so, or
/// a note whose numbers go on where the lines before it end.
pub(super) fn number(page: &mut Page<'_>, body: &Body, effect: &Effect) -> bool {
    let is_sign = |at: usize| {
        let line = page.line(at);
        note_range(line).is_some() || every(line).is_some() || heading(page, at).is_some()
    };
    if !body.lines.clone().any(is_sign) {
        return false;
    }
    let mut walk = LineCounter::new(page, body, effect);
    let mut at = body.lines.start;
    let end = body.lines.end.min(truncation::mark_line(page, body));
    while at < end {
        at += walk.take(page, effect, at);
    }
    if !walk.is_own() {
        return false;
    }
    for (at, place, number, skip) in walk.found {
        page.set(at, place, Some(number), skip);
    }
    page.printed.prior_shaping =
        if walk.notes > 0 { PriorShaping::Notes } else { PriorShaping::Heading };
    true
}

/// Whether a text has a note with a handle: what foveal left out of it can be fetched by that.
pub(crate) fn has_handle(content: &str) -> bool {
    handles(content).next().is_some()
}

/// Returns the handles that notes in a text name.
pub(super) fn handles(content: &str) -> impl Iterator<Item = &str> {
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

/// Whether a line is a note of foveal's and nothing else.
pub(super) fn is_note(line: &str) -> bool {
    let is_bracketed = line.starts_with('[') && line.ends_with(']');
    is_bracketed && (note_range(line).is_some() || every(line).is_some() || has_handle(line))
}

/// How lines tell their numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbering {
    /// By a gutter in front of each, or of each tenth.
    Gutter(Style),
    /// By the number of the line before.
    Count,
}

/// What is known behind some lines.
struct LineCounter {
    way: Numbering,
    place: Option<u16>,
    /// The number of the next line.
    next: Option<u32>,
    /// Whether the output is lines of one file, so that they can be counted.
    is_of_one_file: bool,
    /// Whether lines without a gutter count up.
    counts_up: bool,
    /// Whether the line before is a note.
    behind_note: bool,
    headings: usize,
    notes: usize,
    /// Notes whose numbers fit to the lines around them.
    fits: usize,
    /// Lines with their places, numbers and gutters.
    found: Vec<(usize, u16, u32, usize)>,
}

impl LineCounter {
    fn new(page: &mut Page<'_>, body: &Body, effect: &Effect) -> Self {
        let is_text = |at: &usize| {
            note_range(page.line(*at)).is_none()
                && heading(page, *at).is_none()
                && !page.line(*at).starts_with(TOTAL)
                && every(page.line(*at)).is_none()
        };
        let first = body.lines.clone().find(is_text);
        let gutter = first.and_then(|at| gutter::parse(page.line(at)));
        let gutter = gutter.filter(|it| matches!(it.style, Style::Arrow | Style::Tab) || it.padded);
        let way = gutter.map_or(Numbering::Count, |gutter| Numbering::Gutter(gutter.style));
        let sole = match &effect.reads[..] {
            [read] => Some(read),
            _ => None,
        };
        let is_of_one_file = sole.is_some() && matches!(effect.output[..], [Output::Lines(_)]);
        let next = sole.filter(|_| way == Numbering::Count && is_of_one_file);
        let next = next.and_then(|read| bare::first_number(body, effect, read));
        Self {
            way,
            place: sole.and_then(|read| page.resolved_read(read)),
            next,
            is_of_one_file,
            counts_up: false,
            behind_note: false,
            headings: 0,
            notes: 0,
            fits: 0,
            found: Vec::new(),
        }
    }

    fn is_own(&self) -> bool {
        self.headings > 0 || self.fits > 0
    }

    /// Whether nothing tells the numbers of lines behind a note.
    fn has_unknown_lines(&self) -> bool {
        self.way == Numbering::Count && self.headings == 0 && !self.is_of_one_file
    }

    /// Takes the line at `at`, or the lines of a heading; returns how many.
    fn take(&mut self, page: &mut Page<'_>, effect: &Effect, at: usize) -> usize {
        let line = page.line(at);
        if let Some(path) = heading(page, at) {
            let names_it = |read: &&ReadTarget| names(&read.path, path);
            let read = effect.reads.iter().find(names_it);
            self.place = match read {
                Some(read) => page.resolved_read(read),
                None => page.spelt(path),
            };
            self.headings += 1;
            (self.next, self.counts_up) = (None, false);
            return 2;
        }
        if every(line).is_some() {
            self.counts_up = true;
            self.notes += 1;
            self.fits += usize::from(self.way != Numbering::Count);
            return 1;
        }
        // What stands behind a note among lines of several files is not known.
        if note_range(line).is_some() && self.has_unknown_lines() {
            self.notes += 1;
            self.fits += 1;
            (self.next, self.place) = (None, None);
            return 1;
        }
        if let Some((first, last)) = note_range(line)
            && self.next.is_none_or(|next| next == first)
        {
            self.notes += 1;
            self.fits += usize::from(self.next.is_some());
            (self.next, self.behind_note) = (last.checked_add(1), true);
            return 1;
        }
        self.text(page, at);
        self.behind_note = false;
        1
    }

    fn text(&mut self, page: &Page<'_>, at: usize) {
        let Some(place) = self.place else { return };
        let gutter = gutter::parse(page.line(at));
        let number = match (self.way, gutter) {
            (Numbering::Gutter(style), Some(gutter)) if gutter.style == style => {
                let is_next = self.next == Some(gutter.number);
                self.fits += usize::from(is_next && self.behind_note);
                self.found.push((at, place, gutter.number, gutter.skip));
                Some(gutter.number)
            }
            (Numbering::Gutter(_), _) if !self.counts_up => return,
            (_, _) => self.next.inspect(|next| self.found.push((at, place, *next, 0))),
        };
        self.next = number.and_then(|number| number.checked_add(1));
    }
}

/// How the second line of a heading begins.
const TOTAL: &str = "Total lines: ";

/// Whether two spellings of a path may name one file.
fn names(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|front| front.is_empty() || front.ends_with('/'))
    };
    ends(one, other) || ends(other, one)
}

/// The path in a heading of two lines: `File: a.rs (curated)`, `Total lines: 9 | …`.
fn heading<'a>(page: &Page<'a>, at: usize) -> Option<&'a str> {
    let rest = page.line(at).strip_prefix("File: ")?;
    let named = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let path = named.map_or(rest, |(path, _)| path);
    page.line(at + 1).starts_with(TOTAL).then_some(path)
}

/// The number in `[every 10th line numbered]`.
fn every(line: &str) -> Option<u32> {
    line.strip_prefix("[every ")?.strip_suffix("th line numbered]")?.parse().ok()
}

/// The first and the last of the lines that a note on a line of its own stands for: `[3-9: …]`,
/// `[3-9 left out…]`, `[3: …]`.
fn note_range(line: &str) -> Option<(u32, u32)> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    // Among lines of several files, notes name theirs.
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
