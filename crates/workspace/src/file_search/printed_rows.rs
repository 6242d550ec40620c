//! Search results as printed rows. Omissions of a page are not among the rows; the fields of the
//! answers report them.

use foveal_screen::numbers::PlainCount;

use super::folder_list::{ListAnswer, ListEntryKind};
use super::grep_answer::{FileHits, GrepAnswer, GrepLine};
use super::grep_query::GrepMode;

/// The layout of matching lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrepLayout {
    /// The path once, then `12:text`, with a blank line between files, as in `rg --heading`.
    #[default]
    Headings,
    /// `path:12:text`, as in `rg -n`.
    Lines,
}

/// A printed row of a search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrepRow<'a> {
    /// A file, followed by its lines if the mode shows them.
    File {
        /// The path.
        path: &'a str,
        /// The number of matching lines, if the mode counts them.
        hits: Option<u64>,
    },
    /// A line of a file.
    Line {
        /// The path of the file, if the layout repeats it on each line.
        path: Option<&'a str>,
        /// The line.
        line: &'a GrepLine,
    },
    /// A separator between files.
    Blank,
    /// A separator between lines that are not adjacent.
    Gap,
}

impl GrepRow<'_> {
    /// Returns the text printed before a line: path, number and mark.
    pub fn line_prefix(&self) -> String {
        let Self::Line { path, line } = self else { return String::new() };
        let mark = if line.is_hit { ':' } else { '-' };
        let path = path.map(|path| format!("{path}{mark}")).unwrap_or_default();
        format!("{path}{}{mark}", line.number)
    }
}

impl GrepAnswer {
    /// Returns the rows of the page.
    pub fn rows(&self, mode: GrepMode, form: GrepLayout) -> Vec<GrepRow<'_>> {
        let mut rows = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            let path = file.path.as_str();
            match mode {
                GrepMode::Files => rows.push(GrepRow::File { path, hits: None }),
                GrepMode::Count => rows.push(GrepRow::File { path, hits: Some(file.hits) }),
                GrepMode::Content => push_file_rows(&mut rows, file, form, at == 0),
            }
        }
        rows
    }
}

impl ListAnswer {
    /// Returns the tree as rows: one per entry, indented by two blanks a level, with file sizes and
    /// the number of files in folders.
    pub fn rows(&self) -> Vec<String> {
        let name = if self.path.is_empty() { "." } else { &self.path };
        let mut rows = vec![format!("{name}/ ({})", PlainCount::new(self.files, "file"))];
        for (at, entry) in self.entries.iter().enumerate() {
            let indent = "  ".repeat(entry.level);
            let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
            rows.push(match entry.kind {
                ListEntryKind::Folder { files: count, left_out } => {
                    let next = self.entries.get(at + 1);
                    let is_open = next.is_some_and(|next| next.level > entry.level);
                    let told = match left_out {
                        0 => String::new(),
                        _ if !is_open => String::new(),
                        1 => ", 1 more entry here".to_owned(),
                        more => format!(", {more} more entries here"),
                    };
                    format!("{indent}{name}/ ({}{told})", PlainCount::new(count, "file"))
                }
                ListEntryKind::File(Some(size)) => format!("{indent}{name} {}", format_size(size)),
                ListEntryKind::File(None) | ListEntryKind::Other => format!("{indent}{name}"),
            });
        }
        rows
    }
}

fn push_file_rows<'a>(
    rows: &mut Vec<GrepRow<'a>>,
    file: &'a FileHits,
    form: GrepLayout,
    is_first: bool,
) {
    if form == GrepLayout::Headings {
        rows.extend((!is_first).then_some(GrepRow::Blank));
        rows.push(GrepRow::File { path: &file.path, hits: None });
    }
    let path = (form == GrepLayout::Lines).then_some(file.path.as_str());
    let has_context = file.lines.iter().any(|line| !line.is_hit);
    let mut last: Option<&GrepLine> = None;
    for line in &file.lines {
        let follows = last.is_none_or(|last| last.number.0 + 1 == line.number.0);
        rows.extend((has_context && !follows).then_some(GrepRow::Gap));
        rows.push(GrepRow::Line { path, line });
        last = Some(line);
    }
}

/// Formats a size for people: `812 B`, `1.5 kB`, `23 MB`.
fn format_size(size: u64) -> String {
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
