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

impl GrepAnswer {
    /// The page as text. Whatever is not on it is told in a last line in brackets.
    pub fn render(&self, mode: GrepMode, form: Form) -> String {
        let mut text = String::new();
        for (at, file) in self.files.iter().enumerate() {
            let written = match mode {
                GrepMode::Files => writeln!(text, "{}", file.path),
                GrepMode::Count => writeln!(text, "{}:{}", file.path, file.hits),
                GrepMode::Content => lines(&mut text, file, form, at == 0),
            };
            written.expect("writing to a string does not fail");
        }
        self.close(&mut text).expect("writing to a string does not fail");
        text
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

fn lines(text: &mut String, file: &FileHits, form: Form, is_first: bool) -> fmt::Result {
    let mut last: Option<&HitLine> = None;
    if form == Form::Headings {
        if !is_first {
            writeln!(text)?;
        }
        writeln!(text, "{}", file.path)?;
    }
    let has_context = file.lines.iter().any(|line| !line.is_hit);
    for line in &file.lines {
        let HitLine { number, is_hit, text: shown } = line;
        let follows = last.is_none_or(|last| last.number.0 + 1 == number.0);
        if has_context && !follows {
            writeln!(text, "--")?;
        }
        last = Some(line);
        let mark = if *is_hit { ':' } else { '-' };
        match form {
            Form::Headings => writeln!(text, "{number}{mark}{shown}")?,
            Form::Lines => writeln!(text, "{}{mark}{number}{mark}{shown}", file.path)?,
        }
    }
    Ok(())
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
