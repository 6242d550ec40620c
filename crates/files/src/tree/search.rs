//! Searching one file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use encoding_rs::Encoding as Charset;
use foveal_cancel::Cancel;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use foveal_transcript::LineNumber;

use super::across::{Across, Stopped};
use super::answer::HitLine;
use crate::text::decoded;

/// Files up to this many bytes are read whole; of longer ones a part at a time.
const WHOLE_BYTES_MAX: usize = 2 << 20;
/// Files up to this many bytes are read whole if they have to be decoded.
const DECODED_BYTES_MAX: usize = 8 << 20;
/// Bytes by which a file that has NULs is taken for text or not.
const LOOKED_AT_BYTES: usize = 4 << 10;
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
    pub(super) cancel: &'t Cancel<'t>,
}

/// What came of a file.
pub(super) enum Outcome {
    /// What was found; `as_bytes` where the file is no UTF-8 and was not decoded.
    Found {
        hits: u64,
        lines: Vec<HitLine>,
        as_bytes: bool,
    },
    Binary,
    Failed(String),
    Cancelled,
}

/// Reads files into the same memory one after the other.
#[derive(Default)]
pub(super) struct FileSearcher {
    buffer: Vec<u8>,
}

impl FileSearcher {
    pub(super) fn search(&mut self, mut file: File, task: Task<'_>) -> Outcome {
        let Task { searcher, matcher, hits_max, first_only, cancel } = task;
        let across =
            searcher.multi_line_with_matcher(matcher).then(|| Across::new(matcher, cancel));
        let mut length = match self.fill(&mut file, 0, WHOLE_BYTES_MAX) {
            Ok(length) => length,
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        let spelling = Spelling::of(&self.buffer[..length]);
        if spelling == Spelling::Binary {
            return Outcome::Binary;
        }
        let mut whole_max = WHOLE_BYTES_MAX;
        if spelling == Spelling::Old && length == WHOLE_BYTES_MAX {
            whole_max = DECODED_BYTES_MAX;
            length = match self.fill(&mut file, length, DECODED_BYTES_MAX) {
                Ok(length) => length,
                Err(error) => return Outcome::Failed(error.to_string()),
            };
        }
        let start = &self.buffer[..length];
        let mut found = HitSink { matcher, hits_max, first_only, hits: 0, lines: Vec::new() };
        if length < whole_max {
            let text = if spelling == Spelling::Old { decoded(start).ok() } else { None };
            let as_bytes = spelling == Spelling::Old && text.is_none();
            if as_bytes && start.contains(&0) {
                return Outcome::Binary;
            }
            let text = text.as_ref().map_or(start, |text| text.text.as_bytes());
            let result = match &across {
                Some(across) => searcher.search_slice(across, text, &mut found),
                None => searcher.search_slice(matcher, text, &mut found),
            };
            // Bytes in which nothing is found are most likely no text at all.
            let as_bytes = as_bytes && found.hits > 0;
            return finish(result, watched_by(across, Watch::Through), found, as_bytes);
        }
        let as_bytes = spelling == Spelling::Old;
        if as_bytes && start.contains(&0) {
            return Outcome::Binary;
        }
        let wide = spelling == Spelling::Wide;
        let mut watched = Watched { file, cancel, wide, as_bytes, watch: Watch::Through };
        let parts = start.chain(&mut watched);
        let result = match &across {
            Some(across) => searcher.search_reader(across, parts, &mut found),
            None => searcher.search_reader(matcher, parts, &mut found),
        };
        finish(result, watched_by(across, watched.watch), found, watched.as_bytes)
    }

    /// Reads a file, of which `length` bytes are there, up to `length_max`; gives how much there
    /// is.
    fn fill(&mut self, file: &mut File, mut length: usize, length_max: usize) -> io::Result<usize> {
        loop {
            if length == self.buffer.len() {
                if length >= length_max {
                    return Ok(length);
                }
                let more = (length * 2).clamp(READ_BYTES, length_max);
                self.buffer.resize(more, 0);
            }
            let end = self.buffer.len().min(length_max);
            if length == end {
                return Ok(length);
            }
            match file.read(&mut self.buffer[length..end]) {
                Ok(0) => return Ok(length),
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// How the letters of a file are spelled, by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Utf8,
    /// UTF-16 with a mark, which the searcher knows.
    Wide,
    /// Something else, to be decoded.
    Old,
    Binary,
}

impl Spelling {
    fn of(start: &[u8]) -> Self {
        if start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]) {
            return Self::Wide;
        }
        if start.contains(&0) {
            let looked_at = &start[..start.len().min(LOOKED_AT_BYTES)];
            // The last letter may be cut in two.
            let is_text = |cut: usize| decoded(&looked_at[..looked_at.len() - cut]).is_ok();
            let is_cut = looked_at.len() == LOOKED_AT_BYTES;
            let is_text = is_text(0) || is_cut && is_text(2);
            return if is_text { Self::Old } else { Self::Binary };
        }
        match is_utf8(start, start.len() == WHOLE_BYTES_MAX) {
            true => Self::Utf8,
            false => Self::Old,
        }
    }
}

/// Whether bytes are UTF-8, of which the last letter may be cut in two if it goes on.
fn is_utf8(bytes: &[u8], goes_on: bool) -> bool {
    let rest = &bytes[Charset::utf8_valid_up_to(bytes)..];
    let is_cut = || std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
    rest.is_empty() || goes_on && is_cut()
}

/// Bytes of a letter after its first.
const LETTER_REST_MAX: usize = 3;

/// The same of bytes out of the middle of a text.
fn is_utf8_inside(bytes: &[u8]) -> bool {
    let is_inner = |byte: &&u8| **byte & 0xC0 == 0x80;
    let cut = bytes.iter().take(LETTER_REST_MAX).take_while(is_inner).count();
    is_utf8(&bytes[cut..], true)
}

fn finish(result: io::Result<()>, watch: Watch, found: HitSink<'_>, as_bytes: bool) -> Outcome {
    let HitSink { hits, lines, .. } = found;
    match (watch, result) {
        (Watch::Binary, _) => Outcome::Binary,
        (Watch::Cancelled, _) => Outcome::Cancelled,
        (Watch::Through, Ok(())) => Outcome::Found { hits, lines, as_bytes },
        (Watch::Through, Err(error)) => Outcome::Failed(error.to_string()),
    }
}

/// How a search went, which may have been ended while it looked for what goes over lines.
fn watched_by(across: Option<Across<'_>>, watch: Watch) -> Watch {
    match across.and_then(|across| across.stopped()) {
        Some(Stopped::Cancelled) => Watch::Cancelled,
        // The searcher tells that as an error.
        Some(Stopped::TooLong) | None => watch,
    }
}

/// How the reading of a long file went.
#[derive(Clone, Copy)]
enum Watch {
    Through,
    Binary,
    Cancelled,
}

/// The rest of a long file, which ends where it turns out to be binary or the caller stops.
struct Watched<'g> {
    file: File,
    cancel: &'g Cancel<'g>,
    wide: bool,
    /// Whether something that is no UTF-8 was met.
    as_bytes: bool,
    watch: Watch,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            self.watch = Watch::Cancelled;
            return Ok(0);
        }
        let length = self.file.read(into)?;
        let read = &into[..length];
        if !self.wide && read.contains(&0) {
            self.watch = Watch::Binary;
            return Ok(0);
        }
        self.as_bytes = self.as_bytes || !self.wide && !is_utf8_inside(read);
        Ok(length)
    }
}

/// Collects what is found in a file.
struct HitSink<'m> {
    matcher: &'m RegexMatcher,
    hits_max: usize,
    first_only: bool,
    hits: u64,
    lines: Vec<HitLine>,
}

impl HitSink<'_> {
    fn push(&mut self, number: u64, is_hit: bool, line: &[u8], found: Option<Range<usize>>) {
        let number = LineNumber(u32::try_from(number).unwrap_or(u32::MAX));
        let shown = shown(line, found);
        self.lines.push(HitLine {
            number,
            is_hit,
            text: String::from_utf8_lossy(&line[shown.clone()]).into_owned(),
            bytes_before: shown.start,
            bytes_after: line.len() - shown.end,
        });
    }
}

impl Sink for HitSink<'_> {
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

/// What is shown of a line: all of it; of a long one the part around what was `found`.
fn shown(line: &[u8], found: Option<Range<usize>>) -> Range<usize> {
    if line.len() <= LINE_BYTES_MAX {
        return 0..line.len();
    }
    let found = found.map_or(0, |found| found.start);
    let start = if found + LEAD_BYTES <= LINE_BYTES_MAX { 0 } else { found - LEAD_BYTES };
    let start = start.min(line.len() - LINE_BYTES_MAX);
    let start = edge(line, start);
    start..edge(line, start + LINE_BYTES_MAX.min(line.len() - start))
}

/// The place at or before `at` where no character is cut in two.
fn edge(line: &[u8], at: usize) -> usize {
    let is_edge = |at: &usize| line.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
    (at.saturating_sub(3)..=at).rev().find(is_edge).unwrap_or(at)
}
