//! Searching one file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::GoOn;
use super::answer::HitLine;
use crate::edit::LineNumber;

/// Files up to this many bytes are read whole; of longer ones a part at a time.
const WHOLE_BYTES_MAX: usize = 2 << 20;
/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;
/// Bytes of a line that are shown.
const LINE_BYTES_MAX: usize = 500;
/// Bytes shown before what was found in a line that is cut.
const LEAD_BYTES: usize = 120;

/// What to look for in a file.
pub(super) struct Task<'t> {
    pub(super) searcher: &'t mut Searcher,
    pub(super) matcher: &'t RegexMatcher,
    /// Found lines to hold; more are counted.
    pub(super) hits_max: usize,
    /// Whether one is enough.
    pub(super) first_only: bool,
    pub(super) go_on: GoOn<'t>,
}

/// What came of a file.
pub(super) enum Outcome {
    Found { hits: u64, lines: Vec<HitLine> },
    Binary,
    Failed(String),
    Stopped,
}

/// Reads files into the same memory one after the other.
#[derive(Default)]
pub(super) struct Reader {
    buffer: Vec<u8>,
}

impl Reader {
    pub(super) fn search(&mut self, mut file: File, task: Task<'_>) -> Outcome {
        let Task { searcher, matcher, hits_max, first_only, go_on } = task;
        let length = match self.fill(&mut file) {
            Ok(length) => length,
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        let start = &self.buffer[..length];
        let wide = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
        if !wide && start.contains(&0) {
            return Outcome::Binary;
        }
        let mut found = Found { matcher, hits_max, first_only, hits: 0, lines: Vec::new() };
        if length < WHOLE_BYTES_MAX {
            let result = searcher.search_slice(matcher, start, &mut found);
            return finish(result, Watch::Through, found);
        }
        let mut watched = Watched { file, go_on, wide, watch: Watch::Through };
        let parts = start.chain(&mut watched);
        let result = searcher.search_reader(matcher, parts, &mut found);
        finish(result, watched.watch, found)
    }

    /// Reads a file up to [`WHOLE_BYTES_MAX`]; gives how much there was.
    fn fill(&mut self, file: &mut File) -> io::Result<usize> {
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                if length >= WHOLE_BYTES_MAX {
                    return Ok(length);
                }
                let more = (length * 2).clamp(READ_BYTES, WHOLE_BYTES_MAX);
                self.buffer.resize(more, 0);
            }
            let end = self.buffer.len().min(WHOLE_BYTES_MAX);
            match file.read(&mut self.buffer[length..end]) {
                Ok(0) => return Ok(length),
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn finish(result: io::Result<()>, watch: Watch, found: Found<'_>) -> Outcome {
    match (watch, result) {
        (Watch::Binary, _) => Outcome::Binary,
        (Watch::Stopped, _) => Outcome::Stopped,
        (Watch::Through, Ok(())) => Outcome::Found { hits: found.hits, lines: found.lines },
        (Watch::Through, Err(error)) => Outcome::Failed(error.to_string()),
    }
}

/// How the reading of a long file went.
#[derive(Clone, Copy)]
enum Watch {
    Through,
    Binary,
    Stopped,
}

/// The rest of a long file, which ends where it turns out to be binary or the caller stops.
struct Watched<'g> {
    file: File,
    go_on: GoOn<'g>,
    wide: bool,
    watch: Watch,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !(self.go_on)() {
            self.watch = Watch::Stopped;
            return Ok(0);
        }
        let length = self.file.read(into)?;
        if !self.wide && into[..length].contains(&0) {
            self.watch = Watch::Binary;
            return Ok(0);
        }
        Ok(length)
    }
}

/// Collects what is found in a file.
struct Found<'m> {
    matcher: &'m RegexMatcher,
    hits_max: usize,
    first_only: bool,
    hits: u64,
    lines: Vec<HitLine>,
}

impl Found<'_> {
    fn push(&mut self, number: u64, is_hit: bool, line: &[u8], found: Option<Range<usize>>) {
        let number = LineNumber(u32::try_from(number).unwrap_or(u32::MAX));
        self.lines.push(HitLine { number, is_hit, text: shown(line, found) });
    }
}

impl Sink for Found<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.first_only {
            self.hits = 1;
            return Ok(false);
        }
        let first = found.line_number().unwrap_or(1);
        for (number, line) in (first..).zip(found.lines()) {
            self.hits += 1;
            if self.hits <= self.hits_max as u64 {
                let line = without_ending(line);
                let place = if line.len() > LINE_BYTES_MAX {
                    self.matcher.find(line).ok().flatten().map(|found| found.start()..found.end())
                } else {
                    None
                };
                self.push(number, true, line, place);
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.hits_max > 0 && self.hits <= self.hits_max as u64 {
            let number = context.line_number().unwrap_or(1);
            self.push(number, false, without_ending(context.bytes()), None);
        }
        Ok(true)
    }
}

fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The text of a line; of a long one the part around what was `found`.
fn shown(line: &[u8], found: Option<Range<usize>>) -> String {
    if line.len() <= LINE_BYTES_MAX {
        return String::from_utf8_lossy(line).into_owned();
    }
    let found = found.map_or(0, |found| found.start);
    let start = if found + LEAD_BYTES <= LINE_BYTES_MAX { 0 } else { found - LEAD_BYTES };
    let start = start.min(line.len() - LINE_BYTES_MAX);
    let start = edge(line, start);
    let end = edge(line, start + LINE_BYTES_MAX.min(line.len() - start));
    let note = |bytes: usize| match bytes {
        0 => String::new(),
        bytes => format!("[… {bytes} bytes of this line left out]"),
    };
    let text = String::from_utf8_lossy(&line[start..end]);
    format!("{}{text}{}", note(start), note(line.len() - end))
}

/// The place at or before `at` where no character is cut in two.
fn edge(line: &[u8], at: usize) -> usize {
    let is_edge = |at: &usize| line.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
    (at.saturating_sub(3)..=at).rev().find(is_edge).unwrap_or(at)
}
