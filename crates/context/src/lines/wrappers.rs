//! What clients put around what a tool printed: one row for each form of a client. A new form is a
//! row.

use super::output_body::{Body, exit_code};
use super::page::Page;
use super::printed::ClientPrefix;

/// Where the output begins.
enum OutputStart {
    /// Behind the first line of the result.
    FirstLine,
    /// Behind the first line that is one of these.
    Line(&'static [&'static str]),
    /// Behind the first line that begins with a tag and ends with one of these.
    Tag(&'static [&'static str]),
    /// Behind `word`, with which the line begins that follows one that begins with `line`.
    Word { line: &'static str, word: &'static str },
}

/// One form in which a client passes on what was printed.
struct Wrapper {
    /// How the first line begins.
    first: &'static [&'static str],
    begin: OutputStart,
    /// How lines between the beginning and the output begin, in order. Each may be missing; an empty
    /// one stands for an empty line.
    then: &'static [&'static str],
    /// How the lines behind the output begin, in order. Each may be missing.
    end: &'static [&'static str],
    /// Whether another form may stand in it.
    nests: bool,
}

/// A form without lines of its own behind its beginning and the output.
const BARE: Wrapper =
    Wrapper { first: &[], begin: OutputStart::FirstLine, then: &[], end: &[], nests: false };

const WRAPPERS: &[Wrapper] = &[
    // Claude Code and Qwen Code: the beginning of what was put into a file.
    Wrapper {
        first: &["<persisted-output>", "Output too large (", "Preview (first 2KB):"],
        begin: OutputStart::Line(&["Preview (first 2KB):", "Preview (up to 2000 chars):"]),
        end: &["...", "</persisted-output>"],
        nests: true,
        ..BARE
    },
    // Qwen Code's shell. Its heading begins as some of Codex do.
    Wrapper {
        first: &["Command: ", "Directory: "],
        begin: OutputStart::Word { line: "Directory: ", word: "Output: " },
        end: &["Error: ", "Exit Code: ", "Signal: ", "Process Group PGID: "],
        ..BARE
    },
    // Codex.
    Wrapper {
        first: &[
            "Chunk ID: ",
            "Command: ",
            "Exit code: ",
            "Process exited with code ",
            "Total output lines: ",
            "Wall time: ",
        ],
        begin: OutputStart::Line(&["Output:"]),
        then: &[CODEX_WARNING, TOTAL_LINES, ""],
        ..BARE
    },
    // Codex, where nothing but the warning stands in front.
    Wrapper { first: &[CODEX_WARNING], then: &[TOTAL_LINES, ""], ..BARE },
    // Cline, where a command failed.
    Wrapper { first: &["[Command exited with code "], ..BARE },
    // Gemini CLI: both ends of what was put into a file, the other forms inside.
    Wrapper { first: &["Output too large. Showing first "], nests: true, ..BARE },
    // Gemini CLI's shell.
    Wrapper {
        first: &["<untrusted_context>"],
        begin: OutputStart::Word { line: "<untrusted_context>", word: "Output: " },
        end: &[
            "Error: ",
            "Exit Code: ",
            "Signal: ",
            "Background PIDs: ",
            "Process Group PGID: ",
            "</untrusted_context>",
        ],
        ..BARE
    },
    // Gemini CLI's answers of servers, and its pages.
    Wrapper { first: &["<untrusted_context>"], end: &["</untrusted_context>"], ..BARE },
    // Gemini CLI's reads of a part of a file.
    Wrapper {
        first: &["IMPORTANT: The file content has been truncated.", ""],
        begin: OutputStart::Line(&["--- FILE CONTENT (truncated) ---"]),
        ..BARE
    },
    // Qwen Code: both ends of what was put into a file, the other forms inside.
    Wrapper {
        first: &["Tool output was too large and has been truncated"],
        begin: OutputStart::Line(&["Truncated part of the output:"]),
        nests: true,
        ..BARE
    },
    // opencode and mini-SWE-agent.
    Wrapper {
        first: &["<"],
        begin: OutputStart::Tag(&["<output>", "<output_head>", "<file>", "<content>"]),
        ..BARE
    },
];

const CODEX_WARNING: &str = "Warning: truncated output (original token count: ";
const TOTAL_LINES: &str = "Total output lines: ";

/// Forms that stand in one another.
const NESTED_MAX: usize = 3;

/// Lines of a heading: some repeat the command, which may be a script.
const HEADING_LINES_MAX: usize = 400;

/// Takes the lines of the client off both ends of a body.
pub(super) fn strip(page: &mut Page<'_>, body: &mut Body) {
    for _ in 0..NESTED_MAX {
        let found = WRAPPERS.iter().find_map(|wrapper| Some((wrapper, wrapper.begin(page, body)?)));
        let Some((wrapper, (mut start, skip))) = found else { return };
        let (heading, begin) = (body.lines.start, start);
        for then in wrapper.then {
            let line = page.line(start);
            // Without a line of the client before it, an empty one is the output's.
            let is_next = match then.is_empty() {
                true => line.is_empty() && start > begin,
                false => line.starts_with(then),
            };
            start += usize::from(is_next && start < body.lines.end);
        }
        (heading..start).for_each(|at| read_heading(page.line(at), body));
        body.lines.start = start;
        strip_end(wrapper, page, body);
        if skip > 0 {
            let (line, bytes) = (start as u32, skip as u32);
            page.printed.client_prefix = Some(ClientPrefix { line, bytes });
        }
        if !wrapper.nests {
            return;
        }
    }
}

/// Notes what a line in front of the output says of it.
fn read_heading(line: &str, body: &mut Body) {
    if let Some(code) = exit_code(line) {
        body.failed |= code != "0";
    }
    if let Some(rest) = line.strip_prefix("Status: Showing lines ") {
        body.first = rest.split('-').next().and_then(|number| number.parse().ok());
    }
    if let Some(total) = line.strip_prefix(TOTAL_LINES) {
        body.total = total.trim().parse().ok();
    }
}

fn strip_end(wrapper: &Wrapper, page: &Page<'_>, body: &mut Body) {
    for end in wrapper.end.iter().rev() {
        let Some(last) = body.lines.end.checked_sub(1).filter(|last| *last >= body.lines.start)
        else {
            return;
        };
        let Some(rest) = page.line(last).strip_prefix(end) else { continue };
        body.failed |= match *end {
            "Exit Code: " => rest != "0",
            "Error: " => rest != "(none)",
            _ => false,
        };
        body.lines.end = last;
    }
}

impl Wrapper {
    /// The line at which the output begins, and how much of that line is not the output; `None`
    /// where the result has not this form.
    fn begin(&self, page: &Page<'_>, body: &Body) -> Option<(usize, usize)> {
        let first = page.line(body.lines.start);
        let is_first = |start: &&str| match start.is_empty() {
            true => first.is_empty(),
            false => first.starts_with(*start),
        };
        if !self.first.iter().any(is_first) {
            return None;
        }
        let mut heading =
            body.lines.start..body.lines.end.min(body.lines.start + HEADING_LINES_MAX);
        match &self.begin {
            OutputStart::FirstLine => Some((body.lines.start + 1, 0)),
            OutputStart::Line(lines) => {
                let at = heading.find(|at| lines.contains(&page.line(*at)))?;
                Some((at + 1, 0))
            }
            OutputStart::Tag(tags) => {
                let mut heading = heading.take(TAGGED_LINES_MAX);
                let at = heading.find(|at| {
                    let line = page.line(*at);
                    line.starts_with('<') && tags.iter().any(|tag| line.ends_with(tag))
                })?;
                Some((at + 1, 0))
            }
            OutputStart::Word { line, word } => {
                let is_before = |at: &usize| {
                    page.line(*at).starts_with(line) && page.line(*at + 1).starts_with(word)
                };
                let at = heading.find(is_before).filter(|at| *at + 1 < body.lines.end)?;
                Some((at + 1, word.len()))
            }
        }
    }
}

/// Lines of a heading that begins with a tag: other texts do so too.
const TAGGED_LINES_MAX: usize = 12;
