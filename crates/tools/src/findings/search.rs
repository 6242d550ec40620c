//! The findings of searches and listings. Notes on gaps follow the results.

use std::fmt::Write;

use foveal_index::SearchHit;
use foveal_syntax::EntityKind;
use foveal_workspace::PathKey;
use foveal_workspace::file_search::{
    FileHits, GlobAnswer, GrepAnswer, GrepLayout, GrepMode, GrepRow, ListAnswer, PageUnit,
    SkippedFiles,
};
use serde_json::{Value, json};

use super::answer_text::{AnswerText, LineExcerpt};
use super::numbered_lines::line_cut_note;
use crate::notes::{SearchNote, SearchResultKind};
use crate::session::HitExcerpt;

/// Protected files that a note names.
const PROTECTED_SHOWN_MAX: usize = 5;

/// Matching lines.
#[derive(Debug, Clone)]
pub(crate) struct GrepHits {
    pub(crate) answer: GrepAnswer,
    /// The keys of the answer's files.
    pub(crate) keys: Vec<PathKey>,
    pub(crate) mode: GrepMode,
    pub(crate) gap_notes: Vec<SearchNote>,
}

impl GrepHits {
    pub(super) fn render(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for row in self.answer.rows(self.mode, GrepLayout::Headings) {
            match row {
                GrepRow::Line { line, .. } => {
                    let cut = |bytes: usize| line_cut_note(bytes as u64);
                    let shown = LineExcerpt {
                        before: cut(line.bytes_before),
                        text: &line.text,
                        after: cut(line.bytes_after),
                    };
                    lines.push_line(line.number.0, &row.line_prefix(), shown);
                }
                GrepRow::File { path, hits: None } => lines.push_file(path),
                GrepRow::File { path, hits: Some(hits) } => {
                    lines.push_file(&format!("{path}:{hits}"));
                }
                GrepRow::Blank => lines.push_content("\n"),
                GrepRow::Gap => lines.push_content("--\n"),
            }
        }
        if let Some(page) = hits_page_note(&self.answer) {
            lines.push_note(page);
        }
        append_gaps(&mut lines, &self.answer.skipped, &self.gap_notes);
        lines
    }

    /// Returns the lines of each file that are in `shown`, the answer that is sent.
    pub(crate) fn lines_shown_in(&self, shown: &str) -> Vec<(&PathKey, Vec<HitExcerpt>)> {
        let mut end = 0;
        // Lines stand in the answer in this order: a search from its beginning for each line would
        // take the square of the answer's length.
        let mut is_shown = |text: &str| match shown[end..].find(text) {
            Some(at) => {
                end += at + text.len();
                true
            }
            None => shown.contains(text),
        };
        let files = self.keys.iter().zip(&self.answer.files);
        let found = |(key, file): (_, &FileHits)| {
            let lines = file.lines.iter().filter(|line| is_shown(&line.text));
            let lines = lines.map(|line| HitExcerpt {
                text: line.text.clone(),
                before: line.bytes_before,
                after: line.bytes_after,
            });
            (key, lines.collect())
        };
        files.map(found).collect()
    }

    pub(super) fn structured_data(&self) -> Value {
        json!({
            "total": self.answer.total,
            "files": self.answer.files_with_hits,
            "shown": self.answer.shown,
            "next_offset": self.answer.next_offset(),
        })
    }
}

/// Matching paths.
#[derive(Debug, Clone)]
pub(crate) struct GlobPaths {
    pub(crate) answer: GlobAnswer,
    pub(crate) gap_notes: Vec<SearchNote>,
}

impl GlobPaths {
    pub(super) fn render(&self) -> AnswerText {
        let paths = self.answer.paths.iter().map(|path| format!("{path}\n"));
        let mut lines = AnswerText::from_content(paths.collect());
        if let Some(page) = paths_page_note(&self.answer) {
            lines.push_note(page);
        }
        append_gaps(&mut lines, &self.answer.skipped, &self.gap_notes);
        lines
    }

    pub(super) fn structured_data(&self) -> Value {
        json!({ "total": self.answer.total, "next_offset": self.answer.next_offset() })
    }
}

/// The entries of folders.
#[derive(Debug, Clone)]
pub(crate) struct FolderEntries {
    pub(crate) folders: Vec<ListAnswer>,
    pub(crate) gap_notes: Vec<SearchNote>,
}

impl FolderEntries {
    pub(super) fn render(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for folder in &self.folders {
            folder.rows().iter().for_each(|row| lines.push_content(&format!("{row}\n")));
            if folder.left_out > 0 {
                lines.push_note(SearchNote::MoreEntries(folder.left_out));
            }
            append_gaps(&mut lines, &folder.skipped, &[]);
        }
        append_gaps(&mut lines, &SkippedFiles::default(), &self.gap_notes);
        lines
    }
}

/// Chunks of files that the index found.
#[derive(Debug, Clone)]
pub(crate) struct IndexHits {
    pub(crate) query: String,
    pub(crate) hits: Vec<SearchHit>,
    pub(crate) gap_notes: Vec<SearchNote>,
}

impl IndexHits {
    pub(super) fn render(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for hit in &self.hits {
            lines.push_content(&hit_line(hit));
            if let Some(words) = &hit.model_summary {
                let of = hit.name.as_str().into();
                lines.push_note_indented(2, SearchNote::ModelSays { of, words: words.clone() });
            }
        }
        if self.hits.is_empty() {
            lines.push_note(SearchNote::NotInIndex { query: self.query.as_str().into() });
        }
        append_gaps(&mut lines, &SkippedFiles::default(), &self.gap_notes);
        lines
    }

    pub(super) fn structured_data(&self) -> Value {
        json!({ "hits": self.hits.iter().map(SearchHit::to_json).collect::<Vec<_>>() })
    }
}

/// Returns the note on the hits beyond the page, or on the absence of hits.
fn hits_page_note(answer: &GrepAnswer) -> Option<SearchNote> {
    let (total, offset, files) = (answer.total, answer.offset as u64, answer.files_with_hits);
    let of = match answer.unit {
        PageUnit::Hits => SearchResultKind::Hits { files },
        PageUnit::Files => SearchResultKind::Files,
    };
    let binary = answer.skipped.binary;
    let next = answer.next_offset();
    match (answer.shown as u64, answer.files_searched) {
        (0, _) if offset > 0 && total > 0 => {
            Some(SearchNote::PastEnd { of, total, offset, binary })
        }
        (0, 0) if total == 0 => Some(SearchNote::NoFile { binary }),
        (0, files) if total == 0 => Some(SearchNote::Nothing { files, binary }),
        (0, _) => Some(SearchNote::Counted { of, total, files, binary }),
        (shown, _) => page_note(of, ResultPage { offset, shown, total }, next),
    }
}

/// Returns the note on the paths beyond the page, or on the absence of paths.
fn paths_page_note(answer: &GlobAnswer) -> Option<SearchNote> {
    let (of, total, offset) = (SearchResultKind::Paths, answer.total, answer.offset as u64);
    match (answer.shown as u64, total) {
        (0, 0) => Some(SearchNote::NoPath),
        (0, _) => Some(SearchNote::PastEnd { of, total, offset, binary: 0 }),
        (shown, _) => page_note(of, ResultPage { offset, shown, total }, answer.next_offset()),
    }
}

/// The page of the results that an answer shows.
#[derive(Clone, Copy)]
struct ResultPage {
    /// The number of results before the page.
    offset: u64,
    /// The number of results on the page.
    shown: u64,
    total: u64,
}

/// Returns the note on a page, unless it shows everything.
fn page_note(of: SearchResultKind, page: ResultPage, next: Option<usize>) -> Option<SearchNote> {
    let ResultPage { offset, shown, total } = page;
    let next = next.map(|next| next as u64);
    let page = SearchNote::Page { of, shown: (offset + 1, offset + shown), total, next };
    (shown < total).then_some(page)
}

/// Appends notes on files that were searched as bytes or not read, and on other gaps. Binary files
/// are skipped without a note.
fn append_gaps(lines: &mut AnswerText, passed: &SkippedFiles, missing: &[SearchNote]) {
    if passed.as_bytes > 0 {
        let files = passed.as_bytes_first.iter().map(|path| path.as_str().into());
        let more = passed.as_bytes - passed.as_bytes_first.len() as u64;
        lines.push_note(SearchNote::AsBytes { files: files.collect(), more });
    }
    if passed.protected > 0 {
        let files = passed.protected_first.iter().take(PROTECTED_SHOWN_MAX);
        let files: Vec<Box<str>> = files.map(|path| path.as_str().into()).collect();
        let more = passed.protected - files.len() as u64;
        lines.push_note(SearchNote::Protected { files, more });
    }
    if passed.unreadable > 0 {
        let files = passed.reasons.iter().map(|(path, why)| (&**path, &**why));
        let files = files.map(|(path, why)| (path.into(), why.into())).collect();
        let more = passed.unreadable - passed.reasons.len() as u64;
        lines.push_note(SearchNote::NotRead { files, more });
    }
    missing.iter().for_each(|note| lines.push_note(note));
}

/// Returns the place, kind and signature of a hit on one line.
fn hit_line(hit: &SearchHit) -> String {
    let kind = hit.kind.map_or("lines", EntityKind::name);
    let what = if hit.signature.is_empty() { &hit.name } else { &hit.signature };
    let mut line = format!("{}:{} {kind} {}", hit.path, hit.lines, hit.name);
    if !what.is_empty() && *what != hit.name {
        // Writing to a string cannot fail.
        let _ = write!(line, ": {what}");
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests;
