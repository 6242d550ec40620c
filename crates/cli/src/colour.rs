//! Colours for text on a terminal: codes beside what is printed, and nothing else changed. Of the sixteen basic colours only those that can be read on dark and on light.

use std::borrow::Cow;

use foveal_code::highlight::{Highlight, HighlightClass, highlights, highlights_of_piece};
use foveal_code::listing::ListingRow;
use foveal_screen::in_one_line;
use foveal_tools::answer::{AnswerRow, RowKind};

use crate::shown::Shown;

/// Pieces of one output that have highlights; further ones are plain.
const PIECES_MAX: usize = 2_000;

/// When to print in colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColourChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How something is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Where something is.
    Place,
    /// What it is about.
    Name,
    /// What is said beside it.
    Aside,
    /// Words of ours in a text of others.
    Note,
    /// Code.
    Code(HighlightClass),
}

impl Style {
    /// What stands between `ESC [` and `m`.
    fn code(self) -> &'static str {
        match self {
            Self::Place
            | Self::Code(HighlightClass::Type | HighlightClass::Escape | HighlightClass::Key) => {
                "36"
            }
            Self::Name | Self::Code(HighlightClass::Function) => "1",
            Self::Note => "33",
            Self::Aside | Self::Code(HighlightClass::Comment) => "2",
            Self::Code(HighlightClass::Keyword | HighlightClass::Attribute) => "35",
            Self::Code(HighlightClass::Text) => "32",
            Self::Code(HighlightClass::Constant) => "31",
        }
    }
}

/// Prints in colours, or not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Painter {
    /// Whether there are colours.
    pub(crate) on: bool,
    /// Whether a person sees what is printed; without one every name stays as it is.
    pub(crate) for_person: bool,
}

impl Painter {
    /// `text`, which is a name or the like, in a style. For a person it has one line.
    pub(crate) fn paint(self, style: Style, text: &str) -> Shown {
        let text = if self.for_person { in_one_line(text) } else { text.into() };
        if self.on && !text.is_empty() {
            Shown::coloured(style.code(), &text)
        } else {
            text.into_owned().into()
        }
    }

    /// Words that stand in a row as they are, tabs too.
    pub(crate) fn in_lines(self, style: Style, text: &str) -> Shown {
        match self.on && !text.is_empty() {
            true => Shown::coloured(style.code(), text),
            false => text.into(),
        }
    }

    /// The whole text of the file at `path`.
    pub(crate) fn file(self, path: &str, text: &str) -> Shown {
        if self.on { painted(text, 0, &highlights(path, text)) } else { text.into() }
    }

    /// A part of the file at `path`, such as a signature.
    pub(crate) fn piece(self, path: &str, piece: &str) -> Shown {
        if self.on { painted(piece, 0, &highlights_of_piece(path, piece)) } else { piece.into() }
    }

    /// Rows of the file at `path` that holds `text`, and notes between them.
    pub(crate) fn listing<'a>(
        self,
        path: &str,
        text: &str,
        rows: impl IntoIterator<Item = Row<'a>>,
    ) -> Shown {
        let found = if self.on { highlights(path, text) } else { Vec::new() };
        let mut starts = vec![0];
        for line in text.split_inclusive('\n') {
            starts.push(starts.last().map_or(0, |start| start + line.len()));
        }
        self.rows(rows, |number, line| {
            let start = (number as usize).checked_sub(1).and_then(|row| starts.get(row));
            start.map_or_else(|| line.into(), |start| painted(line, *start, &found))
        })
    }

    /// Rows of several files, each below its path. Only so many lines have highlights.
    pub(crate) fn files<'a>(self, rows: impl IntoIterator<Item = Row<'a>>) -> Shown {
        let rows: Vec<Row<'a>> = rows.into_iter().collect();
        let mut pieces = 0;
        let mut path = String::new();
        let mut out = Shown::default();
        for row in rows {
            if let Row::File { path: next, .. } = &row {
                path = next.to_string();
            }
            pieces += usize::from(matches!(row, Row::Line { .. }));
            let is_plain = path.is_empty() || pieces > PIECES_MAX;
            out.push(self.rows([row], |_, line| match is_plain {
                true => line.into(),
                false => self.piece(&path, line),
            }));
        }
        out
    }

    /// Numbers as asides, code as `paint_line` says.
    fn rows<'a>(
        self,
        rows: impl IntoIterator<Item = Row<'a>>,
        mut paint_line: impl FnMut(u32, &str) -> Shown,
    ) -> Shown {
        let mut out = Shown::default();
        for row in rows {
            match row {
                Row::File { path, aside } => {
                    out.push(self.paint(Style::Place, &path));
                    out.push(self.paint(Style::Aside, &aside));
                }
                Row::Line { number, gutter, text } => {
                    out.push(self.paint(Style::Aside, &gutter));
                    out.push(match self.on {
                        true => paint_line(number, &text),
                        false => text.into_owned().into(),
                    });
                }
                Row::Said(text) => out.push(self.in_lines(Style::Aside, &text)),
            }
            out.push_str("\n");
        }
        out
    }
}

/// A row of what is printed, without its line break.
#[derive(Debug, Clone)]
pub(crate) enum Row<'a> {
    /// The path of a file, whose lines follow, and what is said beside it.
    File { path: Cow<'a, str>, aside: Cow<'a, str> },
    /// A line of a file behind its number.
    Line { number: u32, gutter: Cow<'a, str>, text: Cow<'a, str> },
    /// Anything else.
    Said(Cow<'a, str>),
}

/// Columns of a line that stay however narrow a terminal is.
const COLUMNS_MIN: usize = 20;

impl Row<'_> {
    /// The row with its line cut to so many columns of a terminal, its number included.
    pub(crate) fn within(self, columns: usize) -> Self {
        match self {
            Self::Line { number, gutter, text } => {
                let room = columns.saturating_sub(gutter.chars().count()).max(COLUMNS_MIN);
                let text = match text.chars().count() > room {
                    true => format!("{}…", text.chars().take(room - 1).collect::<String>()).into(),
                    false => text,
                };
                Self::Line { number, gutter, text }
            }
            Self::File { .. } | Self::Said(_) => self,
        }
    }
}

impl<'a> From<&'a ListingRow> for Row<'a> {
    fn from(row: &'a ListingRow) -> Self {
        match row {
            ListingRow::File { path, .. } => {
                let aside = row.to_string().split_off(path.len());
                Self::File { path: (&**path).into(), aside: aside.into() }
            }
            ListingRow::Line { number, text, .. } => {
                Self::Line { number: number.0, gutter: row.gutter().into(), text: (&**text).into() }
            }
            ListingRow::Note { .. } => Self::Said(row.to_string().into()),
        }
    }
}

/// The rows of an answer with this text.
pub(crate) fn rows_of<'a>(text: &'a str, rows: &'a [AnswerRow]) -> impl Iterator<Item = Row<'a>> {
    let kinds = rows.iter().map(|row| row.kind).chain(std::iter::repeat(RowKind::Content));
    text.split_terminator('\n').zip(kinds).map(|(text, kind)| match kind {
        RowKind::File => Row::File { path: text.into(), aside: "".into() },
        RowKind::Line { number, gutter } => {
            let (gutter, text) = text.split_at_checked(gutter as usize).unwrap_or(("", text));
            Row::Line { number, gutter: gutter.into(), text: text.into() }
        }
        RowKind::Content | RowKind::Said | RowKind::Error => Row::Said(text.into()),
    })
}

/// `text`, which begins at byte `start` of what `found` was found in, with codes around each
/// highlight in each line.
fn painted(text: &str, start: usize, found: &[Highlight]) -> Shown {
    let mut out = Shown::default();
    let from = found.partition_point(|highlight| highlight.bytes.end <= start);
    let mut at = 0;
    for highlight in &found[from..] {
        let begin = highlight.bytes.start.saturating_sub(start).max(at);
        let end = (highlight.bytes.end - start).min(text.len());
        if begin >= end {
            break;
        }
        let (Some(before), Some(inside)) = (text.get(at..begin), text.get(begin..end)) else {
            break;
        };
        out.push_str(before);
        for line in inside.split_inclusive('\n') {
            // A colour that is left on at the end of a line can fill the rest of it.
            let shown = line.trim_end_matches(['\n', '\r']);
            if !shown.is_empty() {
                out.push(Shown::coloured(Style::Code(highlight.class).code(), shown));
            }
            out.push_str(&line[shown.len()..]);
        }
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests;
