//! Numbers lines that were printed without a gutter, by the range that the call requested.

use std::ops::Range;

use super::output_body::OutputBody;
use super::result_lines_builder::ResultLinesBuilder;
use super::truncation;
use foveal_tool_effects::{Effect, OutputPart, ReadSpan, ReadTarget, path};

/// Numbers the body of a read that printed bare lines, as far as the call says at which lines each
/// file starts and ends.
pub(super) fn number_by_requested_range(
    page: &mut ResultLinesBuilder<'_>,
    body: &OutputBody,
    effect: &Effect,
) {
    if body.failed || body.lines.is_empty() || is_error_message(page, body, effect) {
        return;
    }
    let end = truncation::first_mark_line(page, body);
    let is_sole = matches!(effect.output[..], [OutputPart::Lines(_)]);
    // It is not known of which file the missing lines are.
    if body.skipped != Some(0) && !is_sole {
        return;
    }
    if effect.reads.len() > 1 && number_under_headings(page, body, effect) {
        return;
    }
    let mut at = body.lines.start;
    for (place, part) in effect.output.iter().enumerate() {
        match part {
            OutputPart::Unknown => return,
            OutputPart::Text(text) => match has_text_at(page, at, body.lines.end, text) {
                true => at += text.split('\n').count(),
                false => return,
            },
            OutputPart::Lines(index) => {
                let Some(read) = effect.reads.get(*index) else { return };
                let rest = &effect.output[place + 1..];
                let Some(stop) = find_read_end(page, at..body.lines.end, read, rest, effect) else {
                    return;
                };
                let known = match at == body.lines.start {
                    true => first_body_number(body, effect, read, stop - at),
                    false => first_span_number(read.span),
                };
                assign_numbers(page, at..stop, end, read, known);
                if let (true, Some(known), Some(total)) = (is_sole, known, body.total) {
                    let mark = truncation::last_mark_line(page, body).unwrap_or(stop);
                    number_tail(page, mark..stop, read, known, total);
                }
                for at in body.gap.clone() {
                    page.clear_number(at);
                }
                at = stop;
            }
        }
    }
}

/// Returns the number of the first line of a body that begins with lines of `read`.
pub(super) fn first_number(body: &OutputBody, effect: &Effect, read: &ReadTarget) -> Option<u32> {
    first_body_number(body, effect, read, body.lines.len())
}

/// Returns the number of the first line of a body that begins with `count` lines of `read`.
fn first_body_number(
    body: &OutputBody,
    effect: &Effect,
    read: &ReadTarget,
    count: usize,
) -> Option<u32> {
    let known = match body.first_number {
        None if effect.trims_start => first_number_if_complete(read.span, count),
        None => first_span_number(read.span),
        known => known,
    };
    known?.checked_add(body.skipped?)
}

/// Numbers the lines after a client's truncation mark, if the client says how many lines the output
/// had in all: they are its last.
fn number_tail(
    page: &mut ResultLinesBuilder<'_>,
    lines: Range<usize>,
    read: &ReadTarget,
    first: u32,
    total: u32,
) {
    let Some(place) = page.intern_read_path(read) else { return };
    // The line of the mark holds the rest of a truncated line.
    for at in lines.clone().skip(1) {
        let behind = u32::try_from(lines.end - at).unwrap_or(u32::MAX);
        let number = total.checked_sub(behind).and_then(|before| first.checked_add(before));
        page.assign_number(at, place, number, 0);
    }
}

/// Numbers the output of `head` and `tail` for several files, each under `==> path <==`. Returns
/// whether the body has this form.
fn number_under_headings(
    page: &mut ResultLinesBuilder<'_>,
    body: &OutputBody,
    effect: &Effect,
) -> bool {
    let named = |line: &str, read: &ReadTarget| {
        let path = line.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <=="));
        path.is_some_and(|path| is_path_of_read(effect, path, read))
    };
    if !named(page.line_text(body.lines.start), &effect.reads[0]) {
        return false;
    }
    let mut reads = effect.reads.iter().peekable();
    for at in body.lines.clone() {
        if reads.peek().is_some_and(|read| named(page.line_text(at), read)) {
            let start = at + 1;
            if let Some(read) = reads.next() {
                // An empty line separates the next heading.
                let next = (start..body.lines.end)
                    .find(|at| reads.peek().is_some_and(|read| named(page.line_text(*at), read)));
                let stop = next.map_or(body.lines.end, |next| next.saturating_sub(1).max(start));
                assign_numbers(page, start..stop, usize::MAX, read, first_span_number(read.span));
            }
        }
    }
    true
}

fn is_path_of_read(effect: &Effect, spelling: &str, read: &ReadTarget) -> bool {
    path::resolve(spelling, effect.directory.as_deref()) == read.path
}

/// Returns the end of the lines of `read`, given the output after them.
fn find_read_end(
    page: &ResultLinesBuilder<'_>,
    lines: Range<usize>,
    read: &ReadTarget,
    rest: &[OutputPart],
    effect: &Effect,
) -> Option<usize> {
    let count = max_line_count(read.span);
    let fits = |stop: usize| count.is_none_or(|count| stop - lines.start <= count);
    match rest.first() {
        None => fits(lines.end).then_some(lines.end),
        Some(OutputPart::Text(text)) => {
            let limit = count.map_or(lines.end, |count| lines.end.min(lines.start + count + 1));
            (lines.start..limit).find(|at| has_text_at(page, *at, lines.end, text))
        }
        Some(OutputPart::Lines(_)) => {
            // The border is known only if every file had all requested lines.
            let mut total = count?;
            for part in rest {
                let OutputPart::Lines(index) = part else { return None };
                total += max_line_count(effect.reads.get(*index)?.span)?;
            }
            (total == lines.len()).then_some(lines.start + count?)
        }
        Some(OutputPart::Unknown) => None,
    }
}

/// Returns the largest number of lines that a span can hold.
fn max_line_count(span: ReadSpan) -> Option<usize> {
    match span {
        ReadSpan::Lines(first, Some(last)) => {
            Some((last.0 as usize + 1).saturating_sub(first.0 as usize))
        }
        ReadSpan::Tail(count) => Some(count as usize),
        ReadSpan::All | ReadSpan::Lines(_, None) | ReadSpan::Unknown => None,
    }
}

/// Returns the number of the first line that a span requests.
fn first_span_number(span: ReadSpan) -> Option<u32> {
    match span {
        ReadSpan::All => Some(1),
        ReadSpan::Lines(first, _) => Some(first.0),
        ReadSpan::Tail(_) | ReadSpan::Unknown => None,
    }
}

/// Returns the number of the first line of a span if empty lines at the start may be missing: it is
/// known if all requested lines were printed. A whole file that begins with an empty line is too
/// rare to leave all others without numbers.
fn first_number_if_complete(span: ReadSpan, count: usize) -> Option<u32> {
    first_span_number(span).filter(|_| span == ReadSpan::All || max_line_count(span) == Some(count))
}

fn assign_numbers(
    page: &mut ResultLinesBuilder<'_>,
    lines: Range<usize>,
    end: usize,
    read: &ReadTarget,
    first: Option<u32>,
) {
    let Some(place) = page.intern_read_path(read) else { return };
    for at in lines.clone() {
        if at == end {
            continue;
        }
        let offset = u32::try_from(at - lines.start).unwrap_or(u32::MAX);
        let number = first.filter(|_| at < end).and_then(|first| first.checked_add(offset));
        page.assign_number(at, place, number, 0);
    }
}

fn has_text_at(page: &ResultLinesBuilder<'_>, at: usize, end: usize, text: &str) -> bool {
    (at..)
        .zip(text.split('\n'))
        .all(|(at, line)| at < end && page.line_text(at).trim_end() == line.trim_end())
}

/// Returns whether a short body is an error message of the tool.
fn is_error_message(page: &ResultLinesBuilder<'_>, body: &OutputBody, effect: &Effect) -> bool {
    const STARTS: &[&str] = &[
        "Error",
        "ERROR",
        "error:",
        "ENOENT",
        "EISDIR",
        "File not found",
        "File does not exist",
        "<tool_use_error>",
        "[Request interrupted",
        "Operation aborted",
        "Read image",
        "[image",
        "Command aborted",
        "Path does not exist",
        "(no output)",
        "(empty)",
        "The user doesn't want",
        "Here's the files and directories",
    ];
    const SAYS: &[&str] = &[
        ": No such file or directory",
        ": Is a directory",
        ": Permission denied",
        ": command not found",
        ": Not a directory",
        "beyond end of file",
        "unknown option",
    ];
    // The only line of a file ends in a line break; a client's sentence does not.
    let is_sentence =
        page.len() == 1 && matches!(effect.reads[..], [ReadTarget { span: ReadSpan::All, .. }]);
    let complains = |line: &str| SAYS.iter().any(|words| line.contains(words)) && line.len() < 400;
    let first = page.line_text(body.lines.start);
    let short = body.lines.len() <= 3;
    is_sentence
        || (short && STARTS.iter().any(|start| first.starts_with(start)))
        || complains(first) && first.contains(": ")
        || complains(page.line_text(body.lines.end - 1))
}
