//! Lines printed without numbers, numbered by what the call asked for.

use std::ops::Range;

use super::output_body::Body;
use super::page::Page;
use super::truncation;
use foveal_effects::{Effect, Output, ReadTarget, Span, path};

/// Numbers the body of a read that printed bare lines, as far as the call tells where each
/// file's lines start and end.
pub(super) fn number(page: &mut Page<'_>, body: &Body, effect: &Effect) {
    if body.failed || body.lines.is_empty() || is_error(page, body, effect) {
        return;
    }
    let end = truncation::mark_line(page, body);
    let is_sole = matches!(effect.output[..], [Output::Lines(_)]);
    // Of which file lines are missing is not known.
    if body.skipped != Some(0) && !is_sole {
        return;
    }
    if effect.reads.len() > 1 && under_headings(page, body, effect) {
        return;
    }
    let mut at = body.lines.start;
    for (place, part) in effect.output.iter().enumerate() {
        match part {
            Output::Unknown => return,
            Output::Text(text) => match matches_at(page, at, body.lines.end, text) {
                true => at += text.split('\n').count(),
                false => return,
            },
            Output::Lines(index) => {
                let Some(read) = effect.reads.get(*index) else { return };
                let rest = &effect.output[place + 1..];
                let Some(stop) = stop(page, at..body.lines.end, read, rest, effect) else { return };
                let known = match at == body.lines.start {
                    true => first_of_body(body, effect, read, stop - at),
                    false => first_of(read.span),
                };
                assign(page, at..stop, end, read, known);
                if let (true, Some(known), Some(total)) = (is_sole, known, body.total) {
                    let mark = truncation::last_mark_line(page, body).unwrap_or(stop);
                    count_back(page, mark..stop, read, known, total);
                }
                for at in body.gap.clone() {
                    page.clear(at);
                }
                at = stop;
            }
        }
    }
}

/// The number of the first line of a body that begins with lines of `read`.
pub(super) fn first_number(body: &Body, effect: &Effect, read: &ReadTarget) -> Option<u32> {
    first_of_body(body, effect, read, body.lines.len())
}

/// The same where so many of the lines are of that file.
fn first_of_body(body: &Body, effect: &Effect, read: &ReadTarget, count: usize) -> Option<u32> {
    let known = match body.first {
        None if effect.trims_start => whole_from(read.span, count),
        None => first_of(read.span),
        known => known,
    };
    known?.checked_add(body.skipped?)
}

/// Numbers the lines behind a client's mark, where it says how many lines the output had in all:
/// they are its last.
fn count_back(page: &mut Page<'_>, lines: Range<usize>, read: &ReadTarget, first: u32, total: u32) {
    let Some(place) = page.resolved_read(read) else { return };
    // With the mark stands what is left of a line.
    for at in lines.clone().skip(1) {
        let behind = u32::try_from(lines.end - at).unwrap_or(u32::MAX);
        let number = total.checked_sub(behind).and_then(|before| first.checked_add(before));
        page.set(at, place, number, 0);
    }
}

/// Numbers what `head` and `tail` print of several files, each under `==> path <==`. Says
/// whether that is what the body is.
fn under_headings(page: &mut Page<'_>, body: &Body, effect: &Effect) -> bool {
    let named = |line: &str, read: &ReadTarget| {
        let path = line.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <=="));
        path.is_some_and(|path| page_names(effect, path, read))
    };
    if !named(page.line(body.lines.start), &effect.reads[0]) {
        return false;
    }
    let mut reads = effect.reads.iter().peekable();
    for at in body.lines.clone() {
        if reads.peek().is_some_and(|read| named(page.line(at), read)) {
            let start = at + 1;
            if let Some(read) = reads.next() {
                // An empty line sets off the next heading.
                let next = (start..body.lines.end)
                    .find(|at| reads.peek().is_some_and(|read| named(page.line(*at), read)));
                let stop = next.map_or(body.lines.end, |next| next.saturating_sub(1).max(start));
                assign(page, start..stop, usize::MAX, read, first_of(read.span));
            }
        }
    }
    true
}

fn page_names(effect: &Effect, spelling: &str, read: &ReadTarget) -> bool {
    path::resolve(spelling, effect.directory.as_deref()) == read.path
}

/// Where the lines of `read` end, given what is printed after them.
fn stop(
    page: &Page<'_>,
    lines: Range<usize>,
    read: &ReadTarget,
    rest: &[Output],
    effect: &Effect,
) -> Option<usize> {
    let count = bound(read.span);
    let fits = |stop: usize| count.is_none_or(|count| stop - lines.start <= count);
    match rest.first() {
        None => fits(lines.end).then_some(lines.end),
        Some(Output::Text(text)) => {
            let limit = count.map_or(lines.end, |count| lines.end.min(lines.start + count + 1));
            (lines.start..limit).find(|at| matches_at(page, *at, lines.end, text))
        }
        Some(Output::Lines(_)) => {
            // Only if every file had all of the lines asked for is the border known.
            let mut total = count?;
            for part in rest {
                let Output::Lines(index) = part else { return None };
                total += bound(effect.reads.get(*index)?.span)?;
            }
            (total == lines.len()).then_some(lines.start + count?)
        }
        Some(Output::Unknown) => None,
    }
}

/// The most lines a span can hold.
fn bound(span: Span) -> Option<usize> {
    match span {
        Span::Lines(first, Some(last)) => {
            Some((last.0 as usize + 1).saturating_sub(first.0 as usize))
        }
        Span::Tail(count) => Some(count as usize),
        Span::All | Span::Lines(_, None) | Span::Unknown => None,
    }
}

/// The number of the first line that a span asks for.
fn first_of(span: Span) -> Option<u32> {
    match span {
        Span::All => Some(1),
        Span::Lines(first, _) => Some(first.0),
        Span::Tail(_) | Span::Unknown => None,
    }
}

/// The same where empty lines at the start may be missing: known if all that were asked for came.
/// A whole file that begins with an empty line is too rare to take the numbers from all others.
fn whole_from(span: Span, count: usize) -> Option<u32> {
    first_of(span).filter(|_| span == Span::All || bound(span) == Some(count))
}

fn assign(
    page: &mut Page<'_>,
    lines: Range<usize>,
    end: usize,
    read: &ReadTarget,
    first: Option<u32>,
) {
    let Some(place) = page.resolved_read(read) else { return };
    for at in lines.clone() {
        if at == end {
            continue;
        }
        let offset = u32::try_from(at - lines.start).unwrap_or(u32::MAX);
        let number = first.filter(|_| at < end).and_then(|first| first.checked_add(offset));
        page.set(at, place, number, 0);
    }
}

fn matches_at(page: &Page<'_>, at: usize, end: usize, text: &str) -> bool {
    (at..)
        .zip(text.split('\n'))
        .all(|(at, line)| at < end && page.line(at).trim_end() == line.trim_end())
}

/// Whether a short body is the tool's complaint.
fn is_error(page: &Page<'_>, body: &Body, effect: &Effect) -> bool {
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
    // A file's only line ends in a line break, the sentence of a client does not.
    let is_sentence =
        page.len() == 1 && matches!(effect.reads[..], [ReadTarget { span: Span::All, .. }]);
    let complains = |line: &str| SAYS.iter().any(|words| line.contains(words)) && line.len() < 400;
    let first = page.line(body.lines.start);
    let short = body.lines.len() <= 3;
    is_sentence
        || (short && STARTS.iter().any(|start| first.starts_with(start)))
        || complains(first) && first.contains(": ")
        || complains(page.line(body.lines.end - 1))
}
