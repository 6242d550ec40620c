//! Search results.

use foveal_transcript::LineNumber;

use super::path_names::{self, WalkPathNames};

/// Reasons that are listed; further ones are only counted.
const REASONS_MAX: usize = 5;

/// Protected files that are listed.
const PROTECTED_MAX: usize = 50;

/// A matching line of a file, or a context line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    /// The line number.
    pub number: LineNumber,
    /// Whether the line matches or is context.
    pub is_hit: bool,
    /// The text without its ending. Invalid bytes are replaced, and a long line is truncated to the
    /// part around the match.
    pub text: String,
    /// Bytes of the line omitted before the text.
    pub bytes_before: usize,
    /// Bytes of the line omitted after the text.
    pub bytes_after: usize,
}

/// The matches in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHits {
    /// The path relative to the folder, with `/` as separator.
    pub path: String,
    /// Matching lines in the whole file; 1 in [`GrepMode::Files`](super::GrepMode::Files).
    pub hits: u64,
    /// The matching lines on this page with their context, ascending. Empty unless the mode is
    /// [`GrepMode::Content`](super::GrepMode::Content).
    pub lines: Vec<GrepLine>,
}

/// Files and folders that were skipped, and files searched without decoding.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SkippedFiles {
    /// The number of binary files.
    pub binary: u64,
    /// The number of files and folders that could not be opened or read.
    pub unreadable: u64,
    /// Path and reason of the first unreadable ones.
    pub reasons: Vec<(String, String)>,
    /// The number of files that may hold secrets, which are not searched.
    pub protected: u64,
    /// The first protected files.
    pub protected_first: Vec<String>,
    /// The number of files searched as bytes, because they are not UTF-8 and too large or invalid
    /// in the detected encoding.
    pub as_bytes: u64,
    /// The first files searched as bytes.
    pub as_bytes_first: Vec<String>,
}

impl SkippedFiles {
    pub(super) fn add_unreadable(&mut self, path: String, why: String) {
        self.unreadable += 1;
        self.reasons.push((path, why));
        self.truncate_lists();
    }

    pub(super) fn add_protected(&mut self, path: String) {
        self.protected += 1;
        self.protected_first.push(path);
        self.truncate_lists();
    }

    pub(super) fn add_byte_search(&mut self, path: String) {
        self.as_bytes += 1;
        self.as_bytes_first.push(path);
        self.truncate_lists();
    }

    pub(super) fn add_walk_error(&mut self, names: &WalkPathNames, error: &ignore::Error) {
        // An invalid line in an ignore file leaves the other lines in force.
        let Some(reason) = error.io_error() else { return };
        let path = error_path(error).map(|path| names.display_name(path)).unwrap_or_default();
        self.add_unreadable(path, reason.to_string());
    }

    /// Adds the counts and reasons of another search.
    pub fn merge(&mut self, other: Self) {
        self.binary += other.binary;
        self.unreadable += other.unreadable;
        self.reasons.extend(other.reasons);
        self.protected += other.protected;
        self.protected_first.extend(other.protected_first);
        self.as_bytes += other.as_bytes;
        self.as_bytes_first.extend(other.as_bytes_first);
        self.truncate_lists();
    }

    /// Keeps the first reasons by path, independent of the order of the threads.
    fn truncate_lists(&mut self) {
        self.reasons.sort_by(|one, other| path_names::compare_paths(&one.0, &other.0));
        self.reasons.truncate(REASONS_MAX);
        self.protected_first.sort_by(|one, other| path_names::compare_paths(one, other));
        self.protected_first.truncate(PROTECTED_MAX);
        self.as_bytes_first.sort_by(|one, other| path_names::compare_paths(one, other));
        self.as_bytes_first.truncate(REASONS_MAX);
    }
}

fn error_path(error: &ignore::Error) -> Option<&std::path::Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        _ => None,
    }
}

/// The result of a search: one page, and the total count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepAnswer {
    /// The files on this page, by path; changelogs and lock files last.
    pub files: Vec<FileHits>,
    /// The unit of paging.
    pub unit: PageUnit,
    /// The number of units before this page.
    pub offset: usize,
    /// The number of units on this page.
    pub shown: usize,
    /// The total number of units.
    pub total: u64,
    /// The number of files with matches.
    pub files_with_hits: u64,
    /// The number of files searched.
    pub files_searched: u64,
    /// Files and folders that were skipped.
    pub skipped: SkippedFiles,
}

/// The unit that a page counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageUnit {
    /// Matching lines.
    Hits,
    /// Files, in the modes that list files or counts.
    Files,
}

impl GrepAnswer {
    /// Appends the answer for another folder, whose page follows this one.
    pub fn append(&mut self, next: Self) {
        self.files.extend(next.files);
        self.shown += next.shown;
        self.total += next.total;
        self.files_with_hits += next.files_with_hits;
        self.files_searched += next.files_searched;
        self.skipped.merge(next.skipped);
    }

    /// Returns the offset of the next page, if there is one.
    pub fn next_offset(&self) -> Option<usize> {
        let end = self.offset + self.shown;
        (self.shown > 0 && (end as u64) < self.total).then_some(end)
    }
}
