//! What was found as text, in the forms that searches are printed in.

use std::fmt::{self, Write as _};

use super::answer::{FileHits, GrepAnswer, HitLine, Passed, Unit};
use super::glob::GlobAnswer;
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
    /// What is not shown, or was not searched.
    Said(String),
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

impl fmt::Display for GrepRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, hits: None } => f.write_str(path),
            Self::File { path, hits: Some(hits) } => write!(f, "{path}:{hits}"),
            Self::Line { line, .. } => write!(f, "{}{}", self.gutter(), line.text),
            Self::Blank => Ok(()),
            Self::Apart => f.write_str("--"),
            Self::Said(text) => f.write_str(text),
        }
    }
}

impl GrepAnswer {
    /// The page as text. Whatever is not on it is told in a last line in brackets.
    pub fn render(&self, mode: GrepMode, form: Form) -> String {
        self.rows(mode, form).iter().map(|row| format!("{row}\n")).collect()
    }

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
        let mut closing = String::new();
        self.close(&mut closing).expect("writing to a string does not fail");
        rows.extend(closing.split_terminator('\n').map(|line| GrepRow::Said(line.to_owned())));
        rows
    }

    /// What is not shown, and what was not searched.
    fn close(&self, text: &mut String) -> fmt::Result {
        let (total, offset, shown) = (self.total, self.offset, self.shown);
        let unit = match self.unit {
            Unit::Hits => "lines",
            Unit::Files => "files",
        };
        if shown == 0 {
            let more = if offset > 0 && total > 0 {
                format!("there are {total} {unit}, none from offset {offset}")
            } else {
                match (total, self.files_searched) {
                    (0, 0) => "no file was searched: none is there, or none fits path, glob and type, or all are ignored".to_owned(),
                    (0, files) => format!("nothing found in {files} files"),
                    _ => format!("{total} {unit} found in {} files", self.files_with_hits),
                }
            };
            let binary = match self.passed.binary {
                0 => String::new(),
                1 => "; 1 binary file was passed over".to_owned(),
                binary => format!("; {binary} binary files were passed over"),
            };
            writeln!(text, "[{more}{binary}]")?;
        } else if (shown as u64) < total {
            let files = match self.unit {
                Unit::Hits => format!(" in {} files", self.files_with_hits),
                Unit::Files => String::new(),
            };
            write!(text, "[{unit} {}-{} of {total} found{files}", offset + 1, offset + shown)?;
            if let Some(next) = self.next_offset() {
                write!(text, "; the next from offset {next}")?;
            }
            writeln!(text, "]")?;
        }
        self.passed.write(text)
    }
}

impl GlobAnswer {
    /// One path a line. Whatever is not on the page is told in a last line in brackets.
    pub fn render(&self) -> String {
        let mut text = String::new();
        for path in &self.paths {
            text.push_str(path);
            text.push('\n');
        }
        let (total, offset, shown) = (self.total, self.offset, self.shown);
        let told = match (shown, total) {
            (0, 0) => Some("no file fits; hidden and ignored files are not looked at".to_owned()),
            (0, total) => Some(format!("there are {total} files, none from offset {offset}")),
            (shown, total) if (shown as u64) < total => {
                let next = self.next_offset();
                let next = next.map(|next| format!("; the next from offset {next}"));
                let (from, to) = (offset + 1, offset + shown);
                Some(format!("files {from}-{to} of {total}{}", next.unwrap_or_default()))
            }
            _ => None,
        };
        if let Some(told) = told {
            writeln!(text, "[{told}]").expect("writing to a string does not fail");
        }
        self.passed.write(&mut text).expect("writing to a string does not fail");
        text
    }
}

impl ListAnswer {
    /// The tree as text: a line for each entry, further in by two blanks a level, with sizes,
    /// and the number of files in folders.
    pub fn render(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("writing to a string does not fail");
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let name = if self.path.is_empty() { "." } else { &self.path };
        writeln!(text, "{name}/ ({})", files(self.files))?;
        for (at, entry) in self.entries.iter().enumerate() {
            let indent = "  ".repeat(entry.level);
            let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
            match entry.kind {
                EntryKind::Folder { files: count, left_out } => {
                    let next = self.entries.get(at + 1);
                    let is_open = next.is_some_and(|next| next.level > entry.level);
                    let told = match left_out {
                        0 => String::new(),
                        _ if !is_open => String::new(),
                        more => format!(", {more} more entries here"),
                    };
                    writeln!(text, "{indent}{name}/ ({}{told})", files(count))?;
                }
                EntryKind::File(Some(size)) => writeln!(text, "{indent}{name} {}", bytes(size))?,
                EntryKind::File(None) | EntryKind::Other => writeln!(text, "{indent}{name}")?,
            }
        }
        if self.left_out > 0 {
            writeln!(text, "[{} more entries here]", self.left_out)?;
        }
        self.passed.write(text)
    }
}

impl Passed {
    /// What could not be read. Binary files are passed over by everyone's leave.
    fn write(&self, text: &mut String) -> fmt::Result {
        let more = |all: u64, named: usize| match all - named as u64 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        if self.as_bytes > 0 {
            let (named, more) =
                (&self.as_bytes_first, more(self.as_bytes, self.as_bytes_first.len()));
            let named = named.join(", ");
            writeln!(
                text,
                "[no UTF-8 and not decoded, so letters beyond ASCII may be missed: {named}{more}]"
            )?;
        }
        if self.unreadable == 0 {
            return Ok(());
        }
        let named: Vec<String> =
            self.reasons.iter().map(|(path, why)| format!("{path} ({why})")).collect();
        let more = more(self.unreadable, self.reasons.len());
        writeln!(text, "[not read: {}{more}]", named.join(", "))
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
