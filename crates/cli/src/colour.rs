//! Terminal colours: codes beside the printed text, which itself stays unchanged.
//! Of the sixteen basic colours only those readable on dark and on light backgrounds are used.

use std::borrow::Cow;

use foveal_relevance::numbered_listing::ListingRow;
use foveal_screen::escape_one_line;
use foveal_syntax::highlighting::{Highlight, HighlightClass, highlight_file, highlight_fragment};
use foveal_tools::answer::{AnswerRow, RowKind};

use crate::coloured_text::ColouredText;

/// Limit of lines of one output that get syntax highlighting; further lines are plain.
const HIGHLIGHTED_LINES_MAX: usize = 2_000;

/// When to print in colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum TerminalColourChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The meaning of a printed piece, which selects its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputStyle {
    /// A path or another location.
    Location,
    /// The name of the subject.
    Name,
    /// Secondary information.
    Secondary,
    /// foveal's words inside a text of others.
    Note,
    /// Code of this highlight class.
    Code(HighlightClass),
}

impl OutputStyle {
    /// Returns the SGR parameters, which stand between `ESC [` and `m`.
    fn sgr_code(self) -> &'static str {
        match self {
            Self::Location
            | Self::Code(HighlightClass::Type | HighlightClass::Escape | HighlightClass::Key) => {
                "36"
            }
            Self::Name | Self::Code(HighlightClass::Function) => "1",
            Self::Note => "33",
            Self::Secondary | Self::Code(HighlightClass::Comment) => "2",
            Self::Code(HighlightClass::Keyword | HighlightClass::Attribute) => "35",
            Self::Code(HighlightClass::Text) => "32",
            Self::Code(HighlightClass::Constant) => "31",
        }
    }
}

/// Applies colours to text, if colours are on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Painter {
    /// True if colours are on.
    pub(crate) on: bool,
    /// True if a person reads the output; otherwise names stay byte for byte.
    pub(crate) for_person: bool,
}

impl Painter {
    /// Paints a name or another short text. For a person the result is one line.
    pub(crate) fn paint(self, style: OutputStyle, text: &str) -> ColouredText {
        let text = if self.for_person { escape_one_line(text) } else { text.into() };
        if self.on && !text.is_empty() {
            ColouredText::coloured(style.sgr_code(), &text)
        } else {
            text.into_owned().into()
        }
    }

    /// Paints text that keeps its lines and tabs.
    pub(crate) fn paint_lines(self, style: OutputStyle, text: &str) -> ColouredText {
        match self.on && !text.is_empty() {
            true => ColouredText::coloured(style.sgr_code(), text),
            false => text.into(),
        }
    }

    /// Highlights the whole text of the file at `path`.
    pub(crate) fn highlight_file(self, path: &str, text: &str) -> ColouredText {
        if self.on { paint_highlights(text, 0, &highlight_file(path, text)) } else { text.into() }
    }

    /// Highlights a fragment of the file at `path`, such as a signature.
    pub(crate) fn highlight_fragment(self, path: &str, piece: &str) -> ColouredText {
        if self.on {
            paint_highlights(piece, 0, &highlight_fragment(path, piece))
        } else {
            piece.into()
        }
    }

    /// Paints rows of the file at `path` with content `text`, and the notes between them.
    pub(crate) fn paint_file_rows<'a>(
        self,
        path: &str,
        text: &str,
        rows: impl IntoIterator<Item = OutputRow<'a>>,
    ) -> ColouredText {
        let found = if self.on { highlight_file(path, text) } else { Vec::new() };
        let mut starts = vec![0];
        for line in text.split_inclusive('\n') {
            starts.push(starts.last().map_or(0, |start| start + line.len()));
        }
        self.paint_rows(rows, |number, line| {
            let start = (number as usize).checked_sub(1).and_then(|row| starts.get(row));
            start.map_or_else(|| line.into(), |start| paint_highlights(line, *start, &found))
        })
    }

    /// Paints rows of several files, each below its path. At most `HIGHLIGHTED_LINES_MAX` lines are
    /// highlighted.
    pub(crate) fn paint_rows_of_files<'a>(
        self,
        rows: impl IntoIterator<Item = OutputRow<'a>>,
    ) -> ColouredText {
        let rows: Vec<OutputRow<'a>> = rows.into_iter().collect();
        let mut pieces = 0;
        let mut path = String::new();
        let mut out = ColouredText::default();
        for row in rows {
            if let OutputRow::File { path: next, .. } = &row {
                path = next.to_string();
            }
            pieces += usize::from(matches!(row, OutputRow::Line { .. }));
            let is_plain = path.is_empty() || pieces > HIGHLIGHTED_LINES_MAX;
            out.push(self.paint_rows([row], |_, line| match is_plain {
                true => line.into(),
                false => self.highlight_fragment(&path, line),
            }));
        }
        out
    }

    /// Paints line numbers as secondary information and code with `paint_line`.
    fn paint_rows<'a>(
        self,
        rows: impl IntoIterator<Item = OutputRow<'a>>,
        mut paint_line: impl FnMut(u32, &str) -> ColouredText,
    ) -> ColouredText {
        let mut out = ColouredText::default();
        for row in rows {
            match row {
                OutputRow::File { path, aside } => {
                    out.push(self.paint(OutputStyle::Location, &path));
                    out.push(self.paint(OutputStyle::Secondary, &aside));
                }
                OutputRow::Line { number, gutter, text } => {
                    out.push(self.paint(OutputStyle::Secondary, &gutter));
                    out.push(match self.on {
                        true => paint_line(number, &text),
                        false => text.into_owned().into(),
                    });
                }
                OutputRow::Text(text) => out.push(self.paint_lines(OutputStyle::Secondary, &text)),
            }
            out.push_str("\n");
        }
        out
    }
}

/// A row of the output, without its line break.
#[derive(Debug, Clone)]
pub(crate) enum OutputRow<'a> {
    /// The path of a file, whose lines follow, and the information beside it.
    File { path: Cow<'a, str>, aside: Cow<'a, str> },
    /// A line of a file, with its number.
    Line { number: u32, gutter: Cow<'a, str>, text: Cow<'a, str> },
    /// Any other text.
    Text(Cow<'a, str>),
}

/// Smallest number of columns for the text of a line, however narrow the terminal is.
const COLUMNS_MIN: usize = 20;

impl OutputRow<'_> {
    /// Returns the row with its line cut to `columns` columns, including the number.
    pub(crate) fn truncate_to_columns(self, columns: usize) -> Self {
        match self {
            Self::Line { number, gutter, text } => {
                let room = columns.saturating_sub(gutter.chars().count()).max(COLUMNS_MIN);
                let text = match text.chars().count() > room {
                    true => format!("{}…", text.chars().take(room - 1).collect::<String>()).into(),
                    false => text,
                };
                Self::Line { number, gutter, text }
            }
            Self::File { .. } | Self::Text(_) => self,
        }
    }
}

impl<'a> From<&'a ListingRow> for OutputRow<'a> {
    fn from(row: &'a ListingRow) -> Self {
        match row {
            ListingRow::File { path, .. } => {
                let aside = row.to_string().split_off(path.len());
                Self::File { path: (&**path).into(), aside: aside.into() }
            }
            ListingRow::Line { number, text, .. } => {
                Self::Line { number: number.0, gutter: row.gutter().into(), text: (&**text).into() }
            }
            ListingRow::Note { .. } => Self::Text(row.to_string().into()),
        }
    }
}

/// Returns the rows of an answer with this text.
pub(crate) fn answer_rows<'a>(
    text: &'a str,
    rows: &'a [AnswerRow],
) -> impl Iterator<Item = OutputRow<'a>> {
    let kinds = rows.iter().map(|row| row.kind).chain(std::iter::repeat(RowKind::Content));
    text.split_terminator('\n').zip(kinds).map(|(text, kind)| match kind {
        RowKind::File => OutputRow::File { path: text.into(), aside: "".into() },
        RowKind::Line { number, gutter } => {
            let (gutter, text) = text.split_at_checked(gutter as usize).unwrap_or(("", text));
            OutputRow::Line { number, gutter: gutter.into(), text: text.into() }
        }
        RowKind::Content | RowKind::Note | RowKind::Error => OutputRow::Text(text.into()),
    })
}

/// Paints each highlight of `text`, line by line. `text` begins at byte `start` of the text that
/// was highlighted.
fn paint_highlights(text: &str, start: usize, found: &[Highlight]) -> ColouredText {
    let mut out = ColouredText::default();
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
            // A colour that stays on at the end of a line can fill the rest of the terminal's line.
            let shown = line.trim_end_matches(['\n', '\r']);
            if !shown.is_empty() {
                out.push(ColouredText::coloured(
                    OutputStyle::Code(highlight.class).sgr_code(),
                    shown,
                ));
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
