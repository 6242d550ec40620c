//! Search in a single file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use encoding_rs::Encoding as Charset;
use foveal_transcript::{CancelToken, LineNumber};
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::grep_answer::GrepLine;
use super::multiline_search::{MultilineMatcher, MultilineStop};
use super::newline_reader::{NewlineReader, normalize_newlines};
use crate::text::decode_bytes;

/// Bytes of the largest file that is read whole; larger ones are streamed.
const WHOLE_BYTES_MAX: usize = 2 << 20;
/// Bytes of the largest file that is read whole for decoding.
const DECODED_BYTES_MAX: usize = 8 << 20;
/// Bytes that decide whether a file with NULs is text.
const DETECTION_BYTES: usize = 4 << 10;
/// Bytes per read.
const READ_BYTES: usize = 64 << 10;
/// Bytes of a line that are shown.
const LINE_BYTES_MAX: usize = 500;
/// Bytes shown before the match in a truncated line.
const LEAD_BYTES: usize = 120;

/// The search of one file.
pub(super) struct FileSearchTask<'t> {
    pub(super) searcher: &'t mut Searcher,
    pub(super) matcher: &'t RegexMatcher,
    /// Matching lines to hold; further ones are only counted.
    pub(super) hits_max: usize,
    /// Whether `\r\n` is searched as `\n`.
    pub(super) joins_line_endings: bool,
    /// Whether the search ends at the first match.
    pub(super) first_only: bool,
    pub(super) cancel: &'t CancelToken<'t>,
}

/// The outcome of searching one file.
pub(super) enum FileSearchOutcome {
    /// The matches; `as_bytes` if the file is not UTF-8 and was searched without decoding.
    Searched {
        hits: u64,
        lines: Vec<GrepLine>,
        as_bytes: bool,
    },
    Binary,
    Failed(String),
    Cancelled,
}

/// A searcher that reuses one buffer for all files.
#[derive(Default)]
pub(super) struct FileSearcher {
    buffer: Vec<u8>,
}

impl FileSearcher {
    pub(super) fn search_file(
        &mut self,
        mut file: File,
        task: FileSearchTask<'_>,
    ) -> FileSearchOutcome {
        let FileSearchTask { searcher, matcher, hits_max, first_only, cancel, .. } = task;
        let across = searcher
            .multi_line_with_matcher(matcher)
            .then(|| MultilineMatcher::new(matcher, cancel));
        let mut length = match self.fill_buffer(&mut file, 0, WHOLE_BYTES_MAX) {
            Ok(length) => length,
            Err(error) => return FileSearchOutcome::Failed(error.to_string()),
        };
        let spelling = SearchEncoding::detect(&self.buffer[..length]);
        if spelling == SearchEncoding::Binary {
            return FileSearchOutcome::Binary;
        }
        let mut whole_max = WHOLE_BYTES_MAX;
        if spelling == SearchEncoding::OtherEncoding && length == WHOLE_BYTES_MAX {
            whole_max = DECODED_BYTES_MAX;
            length = match self.fill_buffer(&mut file, length, DECODED_BYTES_MAX) {
                Ok(length) => length,
                Err(error) => return FileSearchOutcome::Failed(error.to_string()),
            };
        }
        let start = &self.buffer[..length];
        let mut found = HitSink { matcher, hits_max, first_only, hits: 0, lines: Vec::new() };
        if length < whole_max {
            let is_decoded_here = spelling.is_decoded_before_search(task.joins_line_endings);
            let text = is_decoded_here.then(|| decode_bytes(start).ok()).flatten();
            let as_bytes = spelling == SearchEncoding::OtherEncoding && text.is_none();
            if as_bytes && start.contains(&0) {
                return FileSearchOutcome::Binary;
            }
            let text = text.as_ref().map_or(start, |text| text.text.as_bytes());
            let text = match task.joins_line_endings {
                true => normalize_newlines(text),
                false => Cow::Borrowed(text),
            };
            let result = match &across {
                Some(across) => searcher.search_slice(across, &text, &mut found),
                None => searcher.search_slice(matcher, &text, &mut found),
            };
            // Undecodable bytes without a match are probably not text.
            let as_bytes = as_bytes && found.hits > 0;
            return search_outcome(
                result,
                final_status(across, StreamStatus::Complete),
                found,
                as_bytes,
            );
        }
        let as_bytes = spelling == SearchEncoding::OtherEncoding;
        if as_bytes && start.contains(&0) {
            return FileSearchOutcome::Binary;
        }
        let wide = spelling == SearchEncoding::Utf16;
        let mut watched =
            FileStream { file, cancel, wide, as_bytes, watch: StreamStatus::Complete };
        let parts = start.chain(&mut watched);
        let result = match &across {
            Some(across) if task.joins_line_endings && !wide => {
                searcher.search_reader(across, NewlineReader::new(parts), &mut found)
            }
            Some(across) => searcher.search_reader(across, parts, &mut found),
            None => searcher.search_reader(matcher, parts, &mut found),
        };
        search_outcome(result, final_status(across, watched.watch), found, watched.as_bytes)
    }

    /// Fills the buffer, which has `length` bytes of the file, up to `length_max`. Returns the new
    /// length.
    fn fill_buffer(
        &mut self,
        file: &mut File,
        mut length: usize,
        length_max: usize,
    ) -> io::Result<usize> {
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

/// The encoding of a file, judged by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchEncoding {
    Utf8,
    /// UTF-16 with a byte order mark, which the searcher decodes.
    Utf16,
    /// Another encoding, to be decoded before the search.
    OtherEncoding,
    Binary,
}

impl SearchEncoding {
    /// Returns whether a text is decoded here rather than by the searcher. To join line endings,
    /// they must be bytes of their own.
    fn is_decoded_before_search(self, joins_line_endings: bool) -> bool {
        match self {
            Self::OtherEncoding => true,
            Self::Utf16 => joins_line_endings,
            Self::Utf8 | Self::Binary => false,
        }
    }

    fn detect(start: &[u8]) -> Self {
        if start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]) {
            return Self::Utf16;
        }
        if start.contains(&0) {
            let looked_at = &start[..start.len().min(DETECTION_BYTES)];
            // The last character may be incomplete.
            let is_text = |cut: usize| decode_bytes(&looked_at[..looked_at.len() - cut]).is_ok();
            let is_cut = looked_at.len() == DETECTION_BYTES;
            let is_text = is_text(0) || is_cut && is_text(2);
            return if is_text { Self::OtherEncoding } else { Self::Binary };
        }
        match is_utf8(start, start.len() == WHOLE_BYTES_MAX) {
            true => Self::Utf8,
            false => Self::OtherEncoding,
        }
    }
}

/// Returns whether `bytes` is UTF-8, with an incomplete last character allowed if `goes_on`.
fn is_utf8(bytes: &[u8], goes_on: bool) -> bool {
    let rest = &bytes[Charset::utf8_valid_up_to(bytes)..];
    let is_cut = || std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
    rest.is_empty() || goes_on && is_cut()
}

/// Bytes of a UTF-8 character after its first.
const CONTINUATION_BYTES_MAX: usize = 3;

/// Returns whether bytes from the middle of a text are UTF-8.
fn is_utf8_fragment(bytes: &[u8]) -> bool {
    let is_inner = |byte: &&u8| **byte & 0xC0 == 0x80;
    let cut = bytes.iter().take(CONTINUATION_BYTES_MAX).take_while(is_inner).count();
    is_utf8(&bytes[cut..], true)
}

fn search_outcome(
    result: io::Result<()>,
    watch: StreamStatus,
    found: HitSink<'_>,
    as_bytes: bool,
) -> FileSearchOutcome {
    let HitSink { hits, lines, .. } = found;
    match (watch, result) {
        (StreamStatus::Binary, _) => FileSearchOutcome::Binary,
        (StreamStatus::Cancelled, _) => FileSearchOutcome::Cancelled,
        (StreamStatus::Complete, Ok(())) => FileSearchOutcome::Searched { hits, lines, as_bytes },
        (StreamStatus::Complete, Err(error)) => FileSearchOutcome::Failed(error.to_string()),
    }
}

/// Returns the status of a search, which the multiline matcher may have ended.
fn final_status(across: Option<MultilineMatcher<'_>>, watch: StreamStatus) -> StreamStatus {
    match across.and_then(|across| across.stop_reason()) {
        Some(MultilineStop::Cancelled) => StreamStatus::Cancelled,
        // The searcher reports this as an error.
        Some(MultilineStop::TooLong) | None => watch,
    }
}

/// The status of reading a large file.
#[derive(Clone, Copy)]
enum StreamStatus {
    Complete,
    Binary,
    Cancelled,
}

/// The streamed rest of a large file, which ends early if it is binary or the search is cancelled.
struct FileStream<'g> {
    file: File,
    cancel: &'g CancelToken<'g>,
    wide: bool,
    /// Whether bytes that are not UTF-8 were read.
    as_bytes: bool,
    watch: StreamStatus,
}

impl Read for FileStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            self.watch = StreamStatus::Cancelled;
            return Ok(0);
        }
        let length = self.file.read(into)?;
        let read = &into[..length];
        if !self.wide && read.contains(&0) {
            self.watch = StreamStatus::Binary;
            return Ok(0);
        }
        self.as_bytes = self.as_bytes || !self.wide && !is_utf8_fragment(read);
        Ok(length)
    }
}

/// A sink that collects the matches of a file.
struct HitSink<'m> {
    matcher: &'m RegexMatcher,
    hits_max: usize,
    first_only: bool,
    hits: u64,
    lines: Vec<GrepLine>,
}

impl HitSink<'_> {
    fn push_line(&mut self, number: u64, is_hit: bool, line: &[u8], found: Option<Range<usize>>) {
        let number = LineNumber(u32::try_from(number).unwrap_or(u32::MAX));
        let shown = shown_range(line, found);
        self.lines.push(GrepLine {
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
                let line = strip_line_ending(line);
                let place = if line.len() > LINE_BYTES_MAX {
                    self.matcher.find(line).ok().flatten().map(|found| found.start()..found.end())
                } else {
                    None
                };
                self.push_line(number, true, line, place);
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.hits_max > 0 && self.hits <= self.hits_max as u64 {
            let number = context.line_number().unwrap_or(1);
            self.push_line(number, false, strip_line_ending(context.bytes()), None);
        }
        Ok(true)
    }
}

fn strip_line_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the range of a line that is shown: all of it, or the part around the match in a long
/// line.
fn shown_range(line: &[u8], found: Option<Range<usize>>) -> Range<usize> {
    if line.len() <= LINE_BYTES_MAX {
        return 0..line.len();
    }
    let found = found.map_or(0, |found| found.start);
    let start = if found + LEAD_BYTES <= LINE_BYTES_MAX { 0 } else { found - LEAD_BYTES };
    let start = start.min(line.len() - LINE_BYTES_MAX);
    let start = char_boundary_before(line, start);
    start..char_boundary_before(line, start + LINE_BYTES_MAX.min(line.len() - start))
}

/// Returns the character boundary at or before `at`.
fn char_boundary_before(line: &[u8], at: usize) -> usize {
    let is_edge = |at: &usize| line.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
    (at.saturating_sub(3)..=at).rev().find(is_edge).unwrap_or(at)
}
