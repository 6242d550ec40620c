//! Which part of a result a tool printed, and what its client wrapped around it.

use std::ops::Range;

use foveal_effects::Effect;

use super::output_body::{Body, exit_code};
use super::page::Page;
use super::wrappers;

/// Lines looked at before and after the body.
const MARGIN: usize = 12;

/// Finds the body of a result.
pub(super) fn find(page: &mut Page<'_>, effect: &Effect) -> Body {
    let mut body = Body {
        lines: 0..page.len(),
        failed: false,
        first: None,
        gap: 0..0,
        skipped: Some(0),
        total: None,
    };
    // What follows the last line break is no line.
    if page.line(page.len() - 1).is_empty() {
        body.lines.end -= 1;
    }
    strip_start(page, &mut body);
    strip_end(page, &mut body, effect);
    // What is left of a line that was cut is not the line.
    if body.lines.end > body.lines.start
        && page.line(body.lines.end - 1).ends_with("... [truncated]")
    {
        body.lines.end -= 1;
    }
    body.gap = gap(page, &body);
    if body.lines.end < body.lines.start {
        body.lines.end = body.lines.start;
    }
    body
}

fn strip_start(page: &mut Page<'_>, body: &mut Body) {
    let first = page.line(body.lines.start);
    if first.starts_with("<tool_use_error>") {
        body.failed = true;
        return;
    }
    if let Some(number) = headed(page) {
        body.first = Some(number);
        body.lines.start += HEADING_LINES;
        return;
    }
    if let Some(code) = exit_code(first) {
        body.failed = code != "0";
        body.lines.start += 1;
    }
    let start = body.lines.start;
    wrappers::strip(page, body);
    if body.lines.start == start && first.starts_with("<returncode>") {
        // Where the output starts is not known.
        body.failed = true;
    }
}

/// Lines of the heading that [`headed`] knows.
const HEADING_LINES: usize = 4;

/// The number of the first line under Qwen Code's heading of a part of a file.
fn headed(page: &Page<'_>) -> Option<u32> {
    if page.len() <= HEADING_LINES {
        return None;
    }
    let lines = page.line(0).strip_prefix("Showing lines ")?.strip_suffix(" total lines.")?;
    let is_rule = page.line(1).is_empty() && page.line(2) == "---" && page.line(3).is_empty();
    is_rule.then(|| lines.split('-').next()?.parse().ok())?
}

/// Where a client cut the middle out, lines and all.
fn gap(page: &Page<'_>, body: &Body) -> Range<usize> {
    let opening = body.lines.start.checked_sub(1).map_or("", |at| page.line(at));
    if !opening.ends_with("<output_head>") {
        return 0..0;
    }
    let find = |from: usize, tag: &str| (from..body.lines.end).find(|at| page.line(*at) == tag);
    match find(body.lines.start, "</output_head>") {
        None => 0..0,
        Some(head) => {
            let tail = find(head, "<output_tail>").unwrap_or(body.lines.end);
            head.saturating_sub(1)..(tail + 2).min(body.lines.end)
        }
    }
}

fn strip_end(page: &Page<'_>, body: &mut Body, effect: &Effect) {
    // A reminder takes everything after it along.
    let tail = body.lines.start.max(body.lines.end.saturating_sub(2 * MARGIN));
    let reminder = (tail..body.lines.end).find(|at| {
        let line = page.line(*at);
        line.starts_with("<system-reminder>")
            || line.starts_with("<bash_metadata>")
            || line == "</output>"
            || line == "</file>"
            || line == "</content>"
            || line == "</output_tail>"
            || line == "</persisted-output>"
    });
    // Closing tags follow the text at once, notices after an empty line.
    let mut noticed = reminder.is_some_and(|at| !page.line(at).starts_with("</"));
    body.lines.end = reminder.unwrap_or(body.lines.end);
    loop {
        let mut last = body.lines.end;
        // Clients set their notices off with empty lines.
        let mut blank = 0;
        while last > body.lines.start && page.line(last - 1).is_empty() && blank < 2 {
            last -= 1;
            blank += 1;
        }
        if last == body.lines.start || !is_notice(page.line(last - 1)) {
            break;
        }
        body.failed |= page.line(last - 1).starts_with("[The command completed with exit code ")
            && !page.line(last - 1).contains("code 0");
        if effect.command.is_some() {
            note_skipped(page.line(last - 1), body);
        }
        body.lines.end = last - 1;
        noticed = true;
    }
    if noticed && body.lines.end > body.lines.start && page.line(body.lines.end - 1).is_empty() {
        body.lines.end -= 1;
    }
}

/// Notes what pi says of an output of which it shows the end: `[Showing lines 9-20 of 20…`.
fn note_skipped(notice: &str, body: &mut Body) {
    let Some(rest) = notice.strip_prefix("[Showing l") else { return };
    let first = rest.strip_prefix("ines ").and_then(|rest| rest.split('-').next());
    // Else only the end of a line is shown.
    let first: Option<u32> = first.and_then(|first| first.parse().ok());
    body.skipped = first.and_then(|first| first.checked_sub(1));
}

/// The working directory that a client printed at the end of `content`, where it did.
///
/// Some shells report it with every result, and Claude Code says when it moved back.
pub fn printed_directory(content: &str) -> Option<&str> {
    content.trim_end().rsplit('\n').take(MARGIN).find_map(|line| {
        let bracketed = line
            .strip_prefix("(Current directory: ")
            .and_then(|rest| rest.strip_suffix(')'))
            .or_else(|| line.strip_prefix("[Current working directory: ")?.strip_suffix(']'));
        bracketed.or_else(|| line.strip_prefix("Shell cwd was reset to "))
    })
}

/// Whether a line at the end of a result is the client's.
fn is_notice(line: &str) -> bool {
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
