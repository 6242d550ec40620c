//! Numbers lines that a search printed: `12:text`, `path:12:text` with their context lines, or
//! under headings.

use super::gutter::{self, GutterStyle};
use super::output_body::OutputBody;
use super::result_lines_builder::ResultLinesBuilder;
use foveal_tool_effects::Effect;

/// Longest path that is recognised, in bytes.
const PATH_BYTES_MAX: usize = 1024;

/// Numbers the hits of a search.
pub(super) fn number_hits(page: &mut ResultLinesBuilder<'_>, body: &OutputBody, effect: &Effect) {
    if page.has_announced_excerpts {
        return;
    }
    let sole = match &effect.scopes[..] {
        [scope] => Some(scope.as_str()),
        _ => None,
    };
    if sole.is_some_and(|scope| number_single_file(page, body, scope)) {
        return;
    }
    number_by_path(page, body);
    number_context(page, body);
    number_headed_hits(page, body);
}

/// Numbers hits of one file that are printed without its name. Returns whether the result has this
/// form.
fn number_single_file(page: &mut ResultLinesBuilder<'_>, body: &OutputBody, scope: &str) -> bool {
    let mut last = 0u32;
    let (mut with, mut without) = (0usize, 0usize);
    for at in body.complete_lines() {
        let line = page.line_text(at);
        match gutter::parse_gutter(line).filter(|gutter| is_hit_style(gutter.style)) {
            Some(gutter) if gutter.number > last => {
                last = gutter.number;
                with += 1;
            }
            // Numbers that start again belong to another file.
            Some(_) => return false,
            None if line == "--" || line.is_empty() => {}
            // A folder was searched: hits are listed under file names.
            None if is_heading_of_other(page, at, scope) => return false,
            None => without += 1,
        }
    }
    if with == 0 || without > with / 8 {
        return false;
    }
    let Some(place) = page.intern_path(scope) else { return true };
    for at in body.complete_lines() {
        if let Some(gutter) =
            gutter::parse_gutter(page.line_text(at)).filter(|gutter| is_hit_style(gutter.style))
        {
            // A search prints no space between the colon and the text.
            let space = usize::from(gutter.style == GutterStyle::ColonSpace);
            page.assign_number(at, place, Some(gutter.number), gutter.skip - space);
        }
    }
    true
}

/// Returns whether a line names another file than `scope` and has hits under it.
fn is_heading_of_other(page: &ResultLinesBuilder<'_>, at: usize, scope: &str) -> bool {
    let name = page.line_text(at).strip_suffix(':').unwrap_or(page.line_text(at));
    looks_like_path(name)
        && parse_headed_hit(page.line_text(at + 1)).is_some()
        && !page.matches_path(name, scope)
}

fn is_hit_style(style: GutterStyle) -> bool {
    matches!(
        style,
        GutterStyle::Colon
            | GutterStyle::ColonSpace
            | GutterStyle::Dash
            | GutterStyle::Tab
            | GutterStyle::Arrow
    )
}

/// Numbers hits of the form `path:12:text`.
fn number_by_path(page: &mut ResultLinesBuilder<'_>, body: &OutputBody) {
    for at in body.complete_lines() {
        let line = page.line_text(at);
        if let Some((path, number, skip)) = split_hit(line, b':')
            && let Some(place) = page.intern_spelling(path)
        {
            page.assign_number(at, place, Some(number), skip);
        }
    }
}

/// Splits `path:12:text` at the first number between two `mark`s.
fn split_hit(line: &str, mark: u8) -> Option<(&str, u32, usize)> {
    let bytes = line.as_bytes();
    let limit = bytes.len().min(PATH_BYTES_MAX);
    let mut at = 0;
    while at < limit {
        at += bytes[at..limit].iter().position(|byte| *byte == mark)?;
        if let Some((number, after)) = parse_number_between(bytes, at, mark) {
            // A prefix that is no path does not become one by more text.
            return looks_like_path(&line[..at]).then(|| (&line[..at], number, after));
        }
        at += 1;
    }
    None
}

/// Returns the number after `bytes[at]`, if another `mark` follows it, and the start of the text.
fn parse_number_between(bytes: &[u8], at: usize, mark: u8) -> Option<(u32, usize)> {
    let mut end = at + 1;
    let mut number = 0u32;
    while let Some(digit) = bytes.get(end).filter(|byte| byte.is_ascii_digit()) {
        number = number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
        end += 1;
    }
    (end > at + 1 && bytes.get(end) == Some(&mark)).then_some((number, end + 1))
}

fn looks_like_path(text: &str) -> bool {
    let first = text.bytes().next().unwrap_or(b' ');
    !first.is_ascii_whitespace()
        && !text.contains(['"', '\'', '(', '{', '\t', '<', '>'])
        && (text.contains(['.', '/']) || !text.contains(' '))
        && !text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Numbers context lines of the form `path-12-text` around hits of the same file.
fn number_context(page: &mut ResultLinesBuilder<'_>, body: &OutputBody) {
    let forward = body.complete_lines();
    let mut near: Option<(u16, &str)> = None;
    for at in forward {
        near = number_context_line(page, at, near);
    }
    near = None;
    for at in body.complete_lines().rev() {
        near = number_context_line(page, at, near);
    }
}

/// Numbers line `at` if it is context of the file `near` it; returns the value of `near` for the
/// next line.
fn number_context_line<'a>(
    page: &mut ResultLinesBuilder<'a>,
    at: usize,
    near: Option<(u16, &'a str)>,
) -> Option<(u16, &'a str)> {
    let line = page.line_text(at);
    let known = page
        .printed
        .lines
        .get(at)
        .and_then(|line| Some((line.path?, line.text.start - line.whole.start)));
    if let Some((place, _)) = known {
        // The spelling is the text before the number.
        return match near {
            Some((near_place, spelling)) if near_place == place => Some((place, spelling)),
            _ => Some((place, "")),
        };
    }
    let (place, spelling) = near?;
    if line == "--" {
        return None;
    }
    if !spelling.is_empty()
        && let Some(rest) = line.strip_prefix(spelling)
        && rest.starts_with('-')
        && let Some((number, skip)) = parse_number_between(line.as_bytes(), spelling.len(), b'-')
    {
        page.assign_number(at, place, Some(number), skip);
        return near;
    }
    let bytes = line.as_bytes();
    // A path can contain numbers between dashes, though hardly many.
    const NUMBERS_MAX: usize = 8;
    let limit = bytes.len().min(PATH_BYTES_MAX);
    let dashes = (1..limit).filter(|at| bytes[*at] == b'-');
    let numbers = dashes.filter_map(|dash| {
        let (number, skip) = parse_number_between(bytes, dash, b'-')?;
        Some((dash, number, skip))
    });
    for (dash, number, skip) in numbers.take(NUMBERS_MAX) {
        let named = &line[..dash];
        if page
            .printed
            .paths
            .get(usize::from(place))
            .is_some_and(|path| page.matches_path(named, path))
        {
            page.assign_number(at, place, Some(number), skip);
            return Some((place, named));
        }
    }
    near
}

/// Numbers hits under a line with the file's name.
fn number_headed_hits(page: &mut ResultLinesBuilder<'_>, body: &OutputBody) {
    let mut place: Option<u16> = None;
    for at in body.complete_lines() {
        if page.printed.lines.get(at).is_some_and(|line| line.path.is_some()) {
            place = None;
            continue;
        }
        let line = page.line_text(at);
        if line.is_empty() {
            continue;
        }
        if let Some((number, skip)) = parse_headed_hit(line) {
            if let Some(place) = place {
                page.assign_number(at, place, Some(number), skip);
            }
            continue;
        }
        let next = page.line_text(at + 1);
        place = match parse_file_heading(line) {
            Some(path) if parse_headed_hit(next).is_some() => page.intern_spelling(path),
            _ if line == "--" || line == "---" => place,
            _ => None,
        };
    }
}

fn parse_file_heading(line: &str) -> Option<&str> {
    let path = line.strip_prefix("File: ").unwrap_or(line);
    let path = path.rsplit(" in ").next().unwrap_or(path);
    let path = path.strip_suffix(':').unwrap_or(path);
    (looks_like_path(path) && path.contains(['.', '/']) && !path.contains(' ')).then_some(path)
}

/// Parses `12:text`, `12-text`, `L12: text` and `  Line 12: text`; returns the number and the start
/// of the text.
fn parse_headed_hit(line: &str) -> Option<(u32, usize)> {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    if let Some(rest) = line[spaces..].strip_prefix("Line ") {
        let before = line.len() - rest.len();
        let (number, after) = parse_number_between(line.as_bytes(), before - 1, b':')?;
        return match (spaces, line.as_bytes().get(after)) {
            (0, _) => Some((number, after)),
            (_, Some(b' ')) => Some((number, after + 1)),
            // This is a position (`Line 12:6`), not text.
            _ => None,
        };
    }
    let gutter = gutter::parse_gutter(line)?;
    match gutter.style {
        GutterStyle::Colon | GutterStyle::Dash | GutterStyle::Letter => {
            Some((gutter.number, gutter.skip))
        }
        GutterStyle::ColonSpace => Some((gutter.number, gutter.skip - 1)),
        GutterStyle::Arrow | GutterStyle::Tab | GutterStyle::Bar | GutterStyle::TightBar => None,
    }
}
