//! The text that clients put around a tool's output: one row of a table for each form of a client.

use super::output_body::{OutputBody, parse_exit_code};
use super::result_lines::ClientPrefix;
use super::result_lines_builder::ResultLinesBuilder;

/// The place at which the output begins.
enum OutputStart {
    /// After the first line of the result.
    FirstLine,
    /// After the first line that is one of these.
    Line(&'static [&'static str]),
    /// After the first line that begins with a tag and ends with one of these.
    Tag(&'static [&'static str]),
    /// After `word` at the start of the line that follows a line that begins with `line`.
    Word { line: &'static str, word: &'static str },
}

/// One form in which a client wraps a tool's output.
struct ClientWrapper {
    /// Possible beginnings of the first line.
    first_line_prefixes: &'static [&'static str],
    output_start: OutputStart,
    /// Beginnings of the lines between the heading and the output, in order. Each line may be
    /// missing; an empty string stands for an empty line.
    heading_end_prefixes: &'static [&'static str],
    /// Beginnings of the lines after the output, in order. Each line may be missing.
    trailer_prefixes: &'static [&'static str],
    /// Whether another form may be nested in this one.
    nests: bool,
}

/// A form whose output directly follows the first line and ends with the result.
const FIRST_LINE_WRAPPER: ClientWrapper = ClientWrapper {
    first_line_prefixes: &[],
    output_start: OutputStart::FirstLine,
    heading_end_prefixes: &[],
    trailer_prefixes: &[],
    nests: false,
};

const WRAPPERS: &[ClientWrapper] = &[
    // Claude Code and Qwen Code: the beginning of output that was written to a file.
    ClientWrapper {
        first_line_prefixes: &["<persisted-output>", "Output too large (", "Preview (first 2KB):"],
        output_start: OutputStart::Line(&["Preview (first 2KB):", "Preview (up to 2000 chars):"]),
        trailer_prefixes: &["...", "</persisted-output>"],
        nests: true,
        ..FIRST_LINE_WRAPPER
    },
    // Qwen Code's shell. Its heading begins like some headings of Codex.
    ClientWrapper {
        first_line_prefixes: &["Command: ", "Directory: "],
        output_start: OutputStart::Word { line: "Directory: ", word: "Output: " },
        trailer_prefixes: &["Error: ", "Exit Code: ", "Signal: ", "Process Group PGID: "],
        ..FIRST_LINE_WRAPPER
    },
    // Codex.
    ClientWrapper {
        first_line_prefixes: &[
            "Chunk ID: ",
            "Command: ",
            "Exit code: ",
            "Process exited with code ",
            "Total output lines: ",
            "Wall time: ",
        ],
        output_start: OutputStart::Line(&["Output:"]),
        heading_end_prefixes: &[CODEX_WARNING, TOTAL_LINES, ""],
        ..FIRST_LINE_WRAPPER
    },
    // Codex, with only the warning before the output.
    ClientWrapper {
        first_line_prefixes: &[CODEX_WARNING],
        heading_end_prefixes: &[TOTAL_LINES, ""],
        ..FIRST_LINE_WRAPPER
    },
    // Cline, after a failed command.
    ClientWrapper { first_line_prefixes: &["[Command exited with code "], ..FIRST_LINE_WRAPPER },
    // Gemini CLI: both ends of output that was written to a file, with other forms nested.
    ClientWrapper {
        first_line_prefixes: &["Output too large. Showing first "],
        nests: true,
        ..FIRST_LINE_WRAPPER
    },
    // Gemini CLI's shell.
    ClientWrapper {
        first_line_prefixes: &["<untrusted_context>"],
        output_start: OutputStart::Word { line: "<untrusted_context>", word: "Output: " },
        trailer_prefixes: &[
            "Error: ",
            "Exit Code: ",
            "Signal: ",
            "Background PIDs: ",
            "Process Group PGID: ",
            "</untrusted_context>",
        ],
        ..FIRST_LINE_WRAPPER
    },
    // Gemini CLI's answers of MCP servers, and its web pages.
    ClientWrapper {
        first_line_prefixes: &["<untrusted_context>"],
        trailer_prefixes: &["</untrusted_context>"],
        ..FIRST_LINE_WRAPPER
    },
    // Gemini CLI's reads of a part of a file.
    ClientWrapper {
        first_line_prefixes: &["IMPORTANT: The file content has been truncated.", ""],
        output_start: OutputStart::Line(&["--- FILE CONTENT (truncated) ---"]),
        ..FIRST_LINE_WRAPPER
    },
    // Qwen Code: both ends of output that was written to a file, with other forms nested.
    ClientWrapper {
        first_line_prefixes: &["Tool output was too large and has been truncated"],
        output_start: OutputStart::Line(&["Truncated part of the output:"]),
        nests: true,
        ..FIRST_LINE_WRAPPER
    },
    // opencode and mini-SWE-agent.
    ClientWrapper {
        first_line_prefixes: &["<"],
        output_start: OutputStart::Tag(&["<output>", "<output_head>", "<file>", "<content>"]),
        ..FIRST_LINE_WRAPPER
    },
];

const CODEX_WARNING: &str = "Warning: truncated output (original token count: ";
const TOTAL_LINES: &str = "Total output lines: ";

/// Largest depth of nested forms.
const NESTED_MAX: usize = 3;

/// Largest number of lines of a heading: some repeat the command, which may be a script.
const HEADING_LINES_MAX: usize = 400;

/// Removes the client's lines from both ends of a body.
pub(super) fn strip_wrappers(page: &mut ResultLinesBuilder<'_>, body: &mut OutputBody) {
    for _ in 0..NESTED_MAX {
        let found = WRAPPERS
            .iter()
            .find_map(|wrapper| Some((wrapper, wrapper.find_output_start(page, body)?)));
        let Some((wrapper, (mut start, skip))) = found else { return };
        let (heading, begin) = (body.lines.start, start);
        for then in wrapper.heading_end_prefixes {
            let line = page.line_text(start);
            // An empty line belongs to the output if no line of the client precedes it.
            let is_next = match then.is_empty() {
                true => line.is_empty() && start > begin,
                false => line.starts_with(then),
            };
            start += usize::from(is_next && start < body.lines.end);
        }
        (heading..start).for_each(|at| parse_heading_line(page.line_text(at), body));
        body.lines.start = start;
        strip_trailer(wrapper, page, body);
        if skip > 0 {
            let (line, bytes) = (start as u32, skip as u32);
            page.printed.client_prefix = Some(ClientPrefix { line, bytes });
        }
        if !wrapper.nests {
            return;
        }
    }
}

/// Parses a line of the client's heading.
fn parse_heading_line(line: &str, body: &mut OutputBody) {
    if let Some(code) = parse_exit_code(line) {
        body.failed |= code != "0";
    }
    if let Some(rest) = line.strip_prefix("Status: Showing lines ") {
        body.first_number = rest.split('-').next().and_then(|number| number.parse().ok());
    }
    if let Some(total) = line.strip_prefix(TOTAL_LINES) {
        body.total = total.trim().parse().ok();
    }
}

fn strip_trailer(wrapper: &ClientWrapper, page: &ResultLinesBuilder<'_>, body: &mut OutputBody) {
    for end in wrapper.trailer_prefixes.iter().rev() {
        let Some(last) = body.lines.end.checked_sub(1).filter(|last| *last >= body.lines.start)
        else {
            return;
        };
        let Some(rest) = page.line_text(last).strip_prefix(end) else { continue };
        body.failed |= match *end {
            "Exit Code: " => rest != "0",
            "Error: " => rest != "(none)",
            _ => false,
        };
        body.lines.end = last;
    }
}

impl ClientWrapper {
    /// Returns the line at which the output begins and the number of bytes of the client in it;
    /// `None` if the result does not have this form.
    fn find_output_start(
        &self,
        page: &ResultLinesBuilder<'_>,
        body: &OutputBody,
    ) -> Option<(usize, usize)> {
        let first = page.line_text(body.lines.start);
        let is_first = |start: &&str| match start.is_empty() {
            true => first.is_empty(),
            false => first.starts_with(*start),
        };
        if !self.first_line_prefixes.iter().any(is_first) {
            return None;
        }
        let mut heading =
            body.lines.start..body.lines.end.min(body.lines.start + HEADING_LINES_MAX);
        match &self.output_start {
            OutputStart::FirstLine => Some((body.lines.start + 1, 0)),
            OutputStart::Line(lines) => {
                let at = heading.find(|at| lines.contains(&page.line_text(*at)))?;
                Some((at + 1, 0))
            }
            OutputStart::Tag(tags) => {
                let mut heading = heading.take(TAGGED_LINES_MAX);
                let at = heading.find(|at| {
                    let line = page.line_text(*at);
                    line.starts_with('<') && tags.iter().any(|tag| line.ends_with(tag))
                })?;
                Some((at + 1, 0))
            }
            OutputStart::Word { line, word } => {
                let is_before = |at: &usize| {
                    page.line_text(*at).starts_with(line)
                        && page.line_text(*at + 1).starts_with(word)
                };
                let at = heading.find(is_before).filter(|at| *at + 1 < body.lines.end)?;
                Some((at + 1, word.len()))
            }
        }
    }
}

/// Largest number of lines of a heading that begins with a tag; other texts begin with tags, too.
const TAGGED_LINES_MAX: usize = 12;
