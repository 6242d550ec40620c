//! Finds the part of a result that the tool printed, without the client's wrapping.

use std::ops::Range;

use foveal_tool_effects::Effect;

use super::output_body::{OutputBody, parse_exit_code};
use super::result_lines_builder::ResultLinesBuilder;
use super::wrappers;

/// Number of lines that are examined before and after the body.
const MARGIN_LINES: usize = 12;

/// Finds the part of a result that the tool printed.
pub(super) fn find_body(page: &mut ResultLinesBuilder<'_>, effect: &Effect) -> OutputBody {
    let mut body = OutputBody {
        lines: 0..page.len(),
        failed: false,
        first_number: None,
        gap: 0..0,
        skipped: Some(0),
        total: None,
    };
    // The empty text after the last line break is no line.
    if page.line_text(page.len() - 1).is_empty() {
        body.lines.end -= 1;
    }
    strip_client_heading(page, &mut body);
    strip_client_notices(page, &mut body, effect);
    // The rest of a truncated line is not the file's line.
    if body.lines.end > body.lines.start
        && page.line_text(body.lines.end - 1).ends_with("... [truncated]")
    {
        body.lines.end -= 1;
    }
    body.gap = find_client_gap(page, &body);
    if body.lines.end < body.lines.start {
        body.lines.end = body.lines.start;
    }
    body
}

fn strip_client_heading(page: &mut ResultLinesBuilder<'_>, body: &mut OutputBody) {
    let first = page.line_text(body.lines.start);
    if first.starts_with("<tool_use_error>") {
        body.failed = true;
        return;
    }
    if let Some(number) = parse_part_heading(page) {
        body.first_number = Some(number);
        body.lines.start += HEADING_LINES;
        return;
    }
    if let Some(code) = parse_exit_code(first) {
        body.failed = code != "0";
        body.lines.start += 1;
    }
    let start = body.lines.start;
    wrappers::strip_wrappers(page, body);
    if body.lines.start == start && first.starts_with("<returncode>") {
        // The start of the output is not known.
        body.failed = true;
    }
}

/// Number of lines of the heading that [`parse_part_heading`] recognises.
const HEADING_LINES: usize = 4;

/// Returns the number of the first line under Qwen Code's heading of a part of a file.
fn parse_part_heading(page: &ResultLinesBuilder<'_>) -> Option<u32> {
    if page.len() <= HEADING_LINES {
        return None;
    }
    let lines = page.line_text(0).strip_prefix("Showing lines ")?.strip_suffix(" total lines.")?;
    let is_rule =
        page.line_text(1).is_empty() && page.line_text(2) == "---" && page.line_text(3).is_empty();
    is_rule.then(|| lines.split('-').next()?.parse().ok())?
}

/// Returns the lines at which a client cut out the middle of the output.
fn find_client_gap(page: &ResultLinesBuilder<'_>, body: &OutputBody) -> Range<usize> {
    let opening = body.lines.start.checked_sub(1).map_or("", |at| page.line_text(at));
    if !opening.ends_with("<output_head>") {
        return 0..0;
    }
    let find =
        |from: usize, tag: &str| (from..body.lines.end).find(|at| page.line_text(*at) == tag);
    match find(body.lines.start, "</output_head>") {
        None => 0..0,
        Some(head) => {
            let tail = find(head, "<output_tail>").unwrap_or(body.lines.end);
            head.saturating_sub(1)..(tail + 2).min(body.lines.end)
        }
    }
}

fn strip_client_notices(page: &ResultLinesBuilder<'_>, body: &mut OutputBody, effect: &Effect) {
    // A reminder ends the output: everything after it is the client's.
    let tail = body.lines.start.max(body.lines.end.saturating_sub(2 * MARGIN_LINES));
    let reminder = (tail..body.lines.end).find(|at| {
        let line = page.line_text(*at);
        line.starts_with("<system-reminder>")
            || line.starts_with("<bash_metadata>")
            || line == "</output>"
            || line == "</file>"
            || line == "</content>"
            || line == "</output_tail>"
            || line == "</persisted-output>"
    });
    // Closing tags follow the text directly, notices after an empty line.
    let mut noticed = reminder.is_some_and(|at| !page.line_text(at).starts_with("</"));
    body.lines.end = reminder.unwrap_or(body.lines.end);
    loop {
        let mut last = body.lines.end;
        // Clients separate their notices by empty lines.
        let mut blank = 0;
        while last > body.lines.start && page.line_text(last - 1).is_empty() && blank < 2 {
            last -= 1;
            blank += 1;
        }
        if last == body.lines.start || !is_client_notice(page.line_text(last - 1)) {
            break;
        }
        body.failed |=
            page.line_text(last - 1).starts_with("[The command completed with exit code ")
                && !page.line_text(last - 1).contains("code 0");
        if effect.command.is_some() {
            parse_skipped_lines(page.line_text(last - 1), body);
        }
        body.lines.end = last - 1;
        noticed = true;
    }
    if noticed && body.lines.end > body.lines.start && page.line_text(body.lines.end - 1).is_empty()
    {
        body.lines.end -= 1;
    }
}

/// Parses the notice of pi on an output of which only the end is shown:
/// `[Showing lines 9-20 of 20…`.
fn parse_skipped_lines(notice: &str, body: &mut OutputBody) {
    let Some(rest) = notice.strip_prefix("[Showing l") else { return };
    let first = rest.strip_prefix("ines ").and_then(|rest| rest.split('-').next());
    // In the other form, only the end of a line is shown.
    let first: Option<u32> = first.and_then(|first| first.parse().ok());
    body.skipped = first.and_then(|first| first.checked_sub(1));
}

/// Returns the working directory that a client printed at the end of `content`, if it did.
///
/// Some shells report it with every result, and Claude Code reports when it moved back.
pub fn parse_working_directory(content: &str) -> Option<&str> {
    content.trim_end().rsplit('\n').take(MARGIN_LINES).find_map(|line| {
        let bracketed = line
            .strip_prefix("(Current directory: ")
            .and_then(|rest| rest.strip_suffix(')'))
            .or_else(|| line.strip_prefix("[Current working directory: ")?.strip_suffix(']'));
        bracketed.or_else(|| line.strip_prefix("Shell cwd was reset to "))
    })
}

/// Returns whether a line at the end of a result is a notice of the client.
fn is_client_notice(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "(Open file: ",
        "(Current directory: ",
        "bash-$",
        "(Results are truncated",
        "(End of file",
        "(File has more lines",
        "(Output capped",
        "(Output truncated",
        "[Showing lines ",
        "[Showing last ",
        "[Truncated",
        "[Full output",
        "[The command completed with exit code ",
        "[Current working directory: ",
        "[Python interpreter: ",
        "[Command finished with exit code ",
        "[Line truncated",
        "Shell cwd was reset to ",
        "Command exited with code ",
        "Review the changes and make sure",
        "Command timed out",
    ];
    if STARTS.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let more = line.starts_with('[') || line.starts_with("... (") || line.starts_with('(');
    more && line.contains(" more line")
}
