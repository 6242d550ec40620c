//! What searches and listings find. After the findings come notes on what is missing.

use std::fmt::Write;

use foveal_code::EntityKind;
use foveal_context::note::{Note, NoteKind, PageOf, SearchNote};
use foveal_files::tree::{
    Form, GlobAnswer, GrepAnswer, GrepMode, GrepRow, ListAnswer, Passed, Unit,
};
use foveal_index::Hit;
use serde_json::{Value, json};

use super::lines::cut;
use super::text::AnswerText;

/// Lines that match.
#[derive(Debug, Clone)]
pub(crate) struct Hits {
    pub(crate) answer: GrepAnswer,
    pub(crate) mode: GrepMode,
    pub(crate) missing: Vec<Note>,
}

impl Hits {
    pub(super) fn lines(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for row in self.answer.rows(self.mode, Form::Headings) {
            match row {
                GrepRow::Line { line, .. } => {
                    let cut = |bytes: usize| cut(bytes as u64, NoteKind::LineCut);
                    let shown = (cut(line.bytes_before), &*line.text, cut(line.bytes_after));
                    lines.line(line.number.0, &row.gutter(), shown);
                }
                GrepRow::File { path, hits: None } => lines.file(path),
                GrepRow::File { path, hits: Some(hits) } => lines.file(&format!("{path}:{hits}")),
                GrepRow::Blank => lines.content("\n"),
                GrepRow::Apart => lines.content("--\n"),
            }
        }
        if let Some(page) = page_of_hits(&self.answer) {
            lines.note(page);
        }
        close(&mut lines, &self.answer.passed, &self.missing);
        lines
    }

    pub(super) fn data(&self) -> Value {
        json!({
            "total": self.answer.total,
            "files": self.answer.files_with_hits,
            "shown": self.answer.shown,
            "next_offset": self.answer.next_offset(),
        })
    }
}

/// Paths that match.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    pub(crate) answer: GlobAnswer,
    pub(crate) missing: Vec<Note>,
}

impl Paths {
    pub(super) fn lines(&self) -> AnswerText {
        let paths = self.answer.paths.iter().map(|path| format!("{path}\n"));
        let mut lines = AnswerText::of_content(paths.collect());
        if let Some(page) = page_of_paths(&self.answer) {
            lines.note(page);
        }
        close(&mut lines, &self.answer.passed, &self.missing);
        lines
    }

    pub(super) fn data(&self) -> Value {
        json!({ "total": self.answer.total, "next_offset": self.answer.next_offset() })
    }
}

/// What folders hold.
#[derive(Debug, Clone)]
pub(crate) struct Entries {
    pub(crate) folders: Vec<ListAnswer>,
    pub(crate) missing: Vec<Note>,
}

impl Entries {
    pub(super) fn lines(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for folder in &self.folders {
            folder.rows().iter().for_each(|row| lines.content(&format!("{row}\n")));
            if folder.left_out > 0 {
                lines.note(SearchNote::MoreEntries(folder.left_out));
            }
            close(&mut lines, &folder.passed, &[]);
        }
        close(&mut lines, &Passed::default(), &self.missing);
        lines
    }
}

/// Parts of files that the index found.
#[derive(Debug, Clone)]
pub(crate) struct CodeHits {
    pub(crate) query: String,
    pub(crate) hits: Vec<Hit>,
    pub(crate) missing: Vec<Note>,
}

impl CodeHits {
    pub(super) fn lines(&self) -> AnswerText {
        let mut lines = AnswerText::default();
        for hit in &self.hits {
            lines.content(&line(hit));
            if let Some(words) = &hit.said {
                let of = hit.name.as_str().into();
                lines.note_indented(
                    2,
                    Note::from(SearchNote::ModelSays { of, words: words.clone() }),
                );
            }
        }
        if self.hits.is_empty() {
            lines.note(SearchNote::NotInIndex { query: self.query.as_str().into() });
        }
        close(&mut lines, &Passed::default(), &self.missing);
        lines
    }

    pub(super) fn data(&self) -> Value {
        json!({ "hits": self.hits.iter().map(Hit::data).collect::<Vec<_>>() })
    }
}

/// What a search found beside what the page shows of it, if there is more or nothing.
fn page_of_hits(answer: &GrepAnswer) -> Option<SearchNote> {
    let (total, offset, files) = (answer.total, answer.offset as u64, answer.files_with_hits);
    let of = match answer.unit {
        Unit::Hits => PageOf::Hits { files },
        Unit::Files => PageOf::Files,
    };
    let binary = answer.passed.binary;
    let next = answer.next_offset();
    match (answer.shown as u64, answer.files_searched) {
        (0, _) if offset > 0 && total > 0 => {
            Some(SearchNote::PastEnd { of, total, offset, binary })
        }
        (0, 0) if total == 0 => Some(SearchNote::NoFile { binary }),
        (0, files) if total == 0 => Some(SearchNote::Nothing { files, binary }),
        (0, _) => Some(SearchNote::Counted { of, total, files, binary }),
        (shown, _) => page(of, (offset, shown), total, next),
    }
}

/// The same for paths.
fn page_of_paths(answer: &GlobAnswer) -> Option<SearchNote> {
    let (of, total, offset) = (PageOf::Paths, answer.total, answer.offset as u64);
    match (answer.shown as u64, total) {
        (0, 0) => Some(SearchNote::NoPath),
        (0, _) => Some(SearchNote::PastEnd { of, total, offset, binary: 0 }),
        (shown, _) => page(of, (offset, shown), total, answer.next_offset()),
    }
}

/// A page that shows so many from `offset` on, unless these are all.
fn page(
    of: PageOf,
    (offset, shown): (u64, u64),
    total: u64,
    next: Option<usize>,
) -> Option<SearchNote> {
    let next = next.map(|next| next as u64);
    let page = SearchNote::Page { of, shown: (offset + 1, offset + shown), total, next };
    (shown < total).then_some(page)
}

/// Says what could not be read as text or at all, and what else is missing. Binary files are
/// passed over by everyone's leave.
fn close(lines: &mut AnswerText, passed: &Passed, missing: &[Note]) {
    if passed.as_bytes > 0 {
        let files = passed.as_bytes_first.iter().map(|path| path.as_str().into());
        let more = passed.as_bytes - passed.as_bytes_first.len() as u64;
        lines.note(SearchNote::AsBytes { files: files.collect(), more });
    }
    if passed.unreadable > 0 {
        let files = passed.reasons.iter().map(|(path, why)| (&**path, &**why));
        let files = files.map(|(path, why)| (path.into(), why.into())).collect();
        let more = passed.unreadable - passed.reasons.len() as u64;
        lines.note(SearchNote::NotRead { files, more });
    }
    missing.iter().for_each(|note| lines.note(note.clone()));
}

/// Where a hit is and what it is, on one line.
fn line(hit: &Hit) -> String {
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
