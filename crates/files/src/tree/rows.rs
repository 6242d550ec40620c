//! What was found as rows, in the forms that searches are printed in. What a page does not show
//! is none of them: that is told by the fields of the answers.

use super::answer::{FileHits, GrepAnswer, HitLine};
use super::list::{EntryKind, ListAnswer};
use super::query::GrepMode;

/// How found lines are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// The path once, then `12:text`, with a blank line between files, as `rg --heading`.
    #[default]
    Headings,
    /// `path:12:text`, as `rg -n`.
    Lines,
}

/// A line of what a search prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrepRow<'a> {
    /// A file, whose lines follow where lines are asked for.
    File {
        /// Its path.
        path: &'a str,
        /// How many lines were found in it, where that is asked for.
        hits: Option<u64>,
    },
    /// A line of a file.
    Line {
        /// The path of the file, where each line tells it.
        path: Option<&'a str>,
        /// The line.
        line: &'a HitLine,
    },
    /// What stands between files.
    Blank,
    /// What stands between lines that do not follow each other.
    Apart,
}

impl GrepRow<'_> {
    /// What stands before the text of a line.
    pub fn gutter(&self) -> String {
        let Self::Line { path, line } = self else { return String::new() };
        let mark = if line.is_hit { ':' } else { '-' };
        let path = path.map(|path| format!("{path}{mark}")).unwrap_or_default();
        format!("{path}{}{mark}", line.number)
    }
}

impl GrepAnswer {
    /// The lines of the page.
    pub fn rows(&self, mode: GrepMode, form: Form) -> Vec<GrepRow<'_>> {
        let mut rows = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            let path = file.path.as_str();
            match mode {
                GrepMode::Files => rows.push(GrepRow::File { path, hits: None }),
                GrepMode::Count => rows.push(GrepRow::File { path, hits: Some(file.hits) }),
                GrepMode::Content => push_lines(&mut rows, file, form, at == 0),
            }
        }
        rows
    }
}

impl ListAnswer {
    /// The tree: a line for each entry, further in by two blanks a level, with sizes, and the
    /// number of files in folders.
    pub fn rows(&self) -> Vec<String> {
        let name = if self.path.is_empty() { "." } else { &self.path };
        let mut rows = vec![format!("{name}/ ({})", files(self.files))];
        for (at, entry) in self.entries.iter().enumerate() {
            let indent = "  ".repeat(entry.level);
            let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
            rows.push(match entry.kind {
                EntryKind::Folder { files: count, left_out } => {
                    let next = self.entries.get(at + 1);
                    let is_open = next.is_some_and(|next| next.level > entry.level);
                    let told = match left_out {
                        0 => String::new(),
                        _ if !is_open => String::new(),
                        more => format!(", {more} more entries here"),
                    };
                    format!("{indent}{name}/ ({}{told})", files(count))
                }
                EntryKind::File(Some(size)) => format!("{indent}{name} {}", bytes(size)),
                EntryKind::File(None) | EntryKind::Other => format!("{indent}{name}"),
            });
        }
        rows
    }
}

fn push_lines<'a>(rows: &mut Vec<GrepRow<'a>>, file: &'a FileHits, form: Form, is_first: bool) {
    if form == Form::Headings {
        rows.extend((!is_first).then_some(GrepRow::Blank));
        rows.push(GrepRow::File { path: &file.path, hits: None });
    }
    let path = (form == Form::Lines).then_some(file.path.as_str());
    let has_context = file.lines.iter().any(|line| !line.is_hit);
    let mut last: Option<&HitLine> = None;
    for line in &file.lines {
        let follows = last.is_none_or(|last| last.number.0 + 1 == line.number.0);
        rows.extend((has_context && !follows).then_some(GrepRow::Apart));
        rows.push(GrepRow::Line { path, line });
        last = Some(line);
    }
}

fn files(count: u64) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// A size as a person reads it: `812 B`, `1.5 kB`, `23 MB`.
fn bytes(size: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 9.95 {
        format!("{value:.0} {}", units[unit])
    } else {
        format!("{value:.1} {}", units[unit])
    }
}
