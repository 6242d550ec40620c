//! What a search found.

use foveal_transcript::LineNumber;

use super::name::{self, Names};

/// Reasons that are told; more are counted.
const REASONS_MAX: usize = 5;

/// A line of a file, found or next to one that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitLine {
    /// Its number in the file.
    pub number: LineNumber,
    /// Whether it was found, or stands around one that was.
    pub is_hit: bool,
    /// Its text without the ending; bytes that are no text are replaced, a long line is cut
    /// to the part around what was found.
    pub text: String,
    /// Bytes of the line before that.
    pub bytes_before: usize,
    /// Bytes of the line after that.
    pub bytes_after: usize,
}

/// What was found in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHits {
    /// Relative to the folder, with `/` between its parts.
    pub path: String,
    /// Lines found in the whole file. 1 where only files are asked for.
    pub hits: u64,
    /// Those on this page, with those around them, ascending. Empty where only files or
    /// counts are asked for.
    pub lines: Vec<HitLine>,
}

/// Files and folders that were not searched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passed {
    /// Binary files.
    pub binary: u64,
    /// What could not be opened or read.
    pub unreadable: u64,
    /// Path and reason of the first of these.
    pub reasons: Vec<(String, String)>,
    /// Files that were searched, but as bytes: they are no UTF-8, and too large or too odd to
    /// be decoded.
    pub as_bytes: u64,
    /// The first of these.
    pub as_bytes_first: Vec<String>,
}

impl Passed {
    pub(super) fn unreadable(&mut self, path: String, why: String) {
        self.unreadable += 1;
        self.reasons.push((path, why));
        self.keep_first();
    }

    pub(super) fn as_bytes(&mut self, path: String) {
        self.as_bytes += 1;
        self.as_bytes_first.push(path);
        self.keep_first();
    }

    pub(super) fn note(&mut self, names: &Names, error: &ignore::Error) {
        // A part of an ignore file that cannot be read leaves the rest in force.
        let Some(reason) = error.io_error() else { return };
        let path = path_of(error).map(|path| names.name(path)).unwrap_or_default();
        self.unreadable(path, reason.to_string());
    }

    /// Adds what was passed over elsewhere.
    pub fn add(&mut self, other: Self) {
        self.binary += other.binary;
        self.unreadable += other.unreadable;
        self.reasons.extend(other.reasons);
        self.as_bytes += other.as_bytes;
        self.as_bytes_first.extend(other.as_bytes_first);
        self.keep_first();
    }

    /// The first by path, whichever thread met them.
    fn keep_first(&mut self) {
        self.reasons.sort_by(|one, other| name::compare(&one.0, &other.0));
        self.reasons.truncate(REASONS_MAX);
        self.as_bytes_first.sort_by(|one, other| name::compare(one, other));
        self.as_bytes_first.truncate(REASONS_MAX);
    }
}

fn path_of(error: &ignore::Error) -> Option<&std::path::Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// What a search found: a page of it, and how much there is in all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepAnswer {
    /// The files of this page, by path.
    pub files: Vec<FileHits>,
    /// What is paged: found lines, or files where only files or counts are asked for.
    pub unit: Unit,
    /// How many of these come before this page.
    pub offset: usize,
    /// How many are on this page.
    pub shown: usize,
    /// How many there are.
    pub total: u64,
    /// Files in which something was found.
    pub files_with_hits: u64,
    /// Files that were searched.
    pub files_searched: u64,
    /// What was passed over.
    pub passed: Passed,
}

/// What a page is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Found lines.
    Hits,
    /// Files.
    Files,
}

impl GrepAnswer {
    /// Adds what was found elsewhere, of which the page shows what comes after this.
    pub fn append(&mut self, next: Self) {
        self.files.extend(next.files);
        self.shown += next.shown;
        self.total += next.total;
        self.files_with_hits += next.files_with_hits;
        self.files_searched += next.files_searched;
        self.passed.add(next.passed);
    }

    /// Where the next page begins, if there is one.
    pub fn next_offset(&self) -> Option<usize> {
        let end = self.offset + self.shown;
        (self.shown > 0 && (end as u64) < self.total).then_some(end)
    }
}
