//! Notes on the shown lines of a file or of stored content, and on the omitted rest.

use std::fmt::{self, Display, Formatter};

use foveal_engine::note::LineNumberRange;
use foveal_screen::numbers::PlainCount;

/// A note on the lines of a file or of stored content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileNote {
    /// The rest of the file is omitted.
    Rest {
        /// The omitted lines.
        lines: LineNumberRange,
        /// The reason.
        why: OmissionReason,
    },
    /// This many bytes of a line are omitted.
    LineCut(u32),
    /// The rest of a line is omitted.
    LineRest {
        /// The number of omitted bytes.
        bytes: u32,
        /// The tool that returns them.
        tool: ContinuationTool,
        /// The number of the line, as the tool counts.
        line: u32,
        /// The byte of the line at which the rest begins.
        from_byte: u64,
    },
    /// More lines follow from this number on.
    GoOn(u64),
    /// The file ends before the requested lines; the number of its lines.
    Ends(u32),
    /// The lines are a part of a content.
    PartOf {
        /// The lines.
        lines: LineNumberRange,
        /// The number of lines of the content.
        all: u32,
    },
    /// Other programs changed these lines since they were shown.
    ChangedByOthers(LineNumberRange),
    /// The file is unchanged since it was placed in the system prompt.
    InSystemPrompt {
        /// The file, as spelled.
        file: Box<str>,
        /// The number of its lines.
        all: u32,
    },
    /// The file is unchanged since it was shown.
    Unchanged {
        /// The file, as spelled.
        file: Box<str>,
        /// The number of its lines.
        all: u32,
        /// The number of its lines that are visible, if not all are.
        shown: Option<u32>,
        /// Whether the file is longer than one answer.
        is_long: bool,
    },
}

/// The tool that returns the rest of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContinuationTool {
    /// `read_lines`, of a file.
    ReadLines,
    /// `expand`, of stored content.
    Expand,
}

/// The reason why the rest of a file is omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OmissionReason {
    /// The answer is full.
    Full,
    /// The file is too long to be curated.
    Uncurated,
    /// The file is too long to be parsed.
    Unparsed,
    /// The file is too large to be read at once.
    Large,
}

impl Display for FileNote {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rest { lines, why } => write_file_rest(f, *lines, *why),
            Self::LineCut(bytes) => {
                write!(f, "[… {} of this line left out]", PlainCount::new(*bytes, "byte"))
            }
            Self::LineRest { bytes, tool, line, from_byte } => {
                let tool = match tool {
                    ContinuationTool::ReadLines => "read_lines",
                    ContinuationTool::Expand => "expand with",
                };
                write!(f, "[… {} of this line left out; ", PlainCount::new(*bytes, "byte"))?;
                write!(f, "{tool} start {line}, from_byte {from_byte}]")
            }
            Self::GoOn(next) => write!(f, "[go on with start {next}]"),
            Self::Ends(all) => write!(f, "[the file has {}]", PlainCount::new(*all, "line")),
            Self::PartOf { lines, all } => {
                let next = u64::from(lines.1) + 1;
                write!(f, "[lines {lines} of {all}; go on with start {next}]")
            }
            Self::ChangedByOthers(lines) => {
                let (were, them) = match lines.0 == lines.1 {
                    true => ("was", "it"),
                    false => ("were", "them"),
                };
                write!(f, "[{lines} {were} changed by others since you saw {them}: ")?;
                write!(f, "read_lines, start {}]", lines.0)
            }
            Self::InSystemPrompt { file, all } => {
                write!(f, "[{file}: unchanged, its {} in the system prompt]", lines_with_verb(*all))
            }
            Self::Unchanged { file, all, shown: None, .. } => {
                write!(f, "[{file}: unchanged, its {} shown above]", lines_with_verb(*all))
            }
            Self::Unchanged { file, all, shown: Some(shown), is_long } => {
                write!(f, "[{file}: unchanged; {shown} of its {all} lines are shown above. ")?;
                let rest = if *is_long { "as many as one answer holds" } else { "all" };
                write!(f, "Get others with read_lines, or ask again at once for {rest}]")
            }
        }
    }
}

/// Returns a count of lines with the verb: `1 line is`, `2 lines are`.
fn lines_with_verb(count: u32) -> String {
    let lines = PlainCount::new(count, "line");
    format!("{lines} {}", lines.verb())
}

fn write_file_rest(
    f: &mut Formatter<'_>,
    lines: LineNumberRange,
    why: OmissionReason,
) -> fmt::Result {
    let first = lines.0;
    match why {
        OmissionReason::Full => write!(f, "[{lines} left out")?,
        OmissionReason::Uncurated => {
            write!(f, "[{lines} left out: the file is too long to be curated")?;
        }
        OmissionReason::Unparsed => {
            write!(f, "[{lines} left out: the file is too long to be parsed")?;
        }
        OmissionReason::Large => {
            write!(f, "[lines from {first} on left out: ")?;
            f.write_str("the file is too large to be read at once")?;
        }
    }
    write!(f, "; find lines with grep, go on with read_lines, start {first}]")
}
