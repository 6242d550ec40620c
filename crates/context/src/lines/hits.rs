//! Lines that a search printed: `12:text`, `path:12:text` with their context lines, or
//! under headings.

use super::gutter::{self, Style};
use super::output_body::Body;
use super::page::Page;
use foveal_effects::Effect;

/// Longer paths are not looked for.
const PATH_BYTES_MAX: usize = 1024;

/// Numbers the hits of a search.
pub(super) fn number(page: &mut Page<'_>, body: &Body, effect: &Effect) {
    if page.windows {
        return;
    }
    let sole = match &effect.scopes[..] {
        [scope] => Some(scope.as_str()),
        _ => None,
    };
    if sole.is_some_and(|scope| single(page, body, scope)) {
        return;
    }
    by_path(page, body);
    context(page, body);
    headed(page, body);
}

/// Hits of one file, without its name. Says whether the result is of this form.
fn single(page: &mut Page<'_>, body: &Body, scope: &str) -> bool {
    let mut last = 0u32;
    let (mut with, mut without) = (0usize, 0usize);
    for at in body.kept() {
        let line = page.line(at);
        match gutter::parse(line).filter(|gutter| numbers_hit(gutter.style)) {
            Some(gutter) if gutter.number > last => {
                last = gutter.number;
                with += 1;
            }
            // Where the numbers begin anew, another file does.
            Some(_) => return false,
            None if line == "--" || line.is_empty() => {}
            // A folder was searched, and hits stand under the names of files.
            None if is_heading_of_other(page, at, scope) => return false,
            None => without += 1,
        }
    }
    if with == 0 || without > with / 8 {
        return false;
    }
    let Some(place) = page.resolved(scope) else { return true };
    for at in body.kept() {
        if let Some(gutter) =
            gutter::parse(page.line(at)).filter(|gutter| numbers_hit(gutter.style))
        {
            // A search prints nothing between the colon and the text.
            let space = usize::from(gutter.style == Style::ColonSpace);
            page.set(at, place, Some(gutter.number), gutter.skip - space);
        }
    }
    true
}

/// Whether a line names another file than `scope`, and hits stand under it.
fn is_heading_of_other(page: &Page<'_>, at: usize, scope: &str) -> bool {
    let name = page.line(at).strip_suffix(':').unwrap_or(page.line(at));
    looks_like_path(name) && headed_hit(page.line(at + 1)).is_some() && !page.names(name, scope)
}

fn numbers_hit(style: Style) -> bool {
    matches!(style, Style::Colon | Style::ColonSpace | Style::Dash | Style::Tab | Style::Arrow)
}

/// `path:12:text`.
fn by_path(page: &mut Page<'_>, body: &Body) {
    for at in body.kept() {
        let line = page.line(at);
        if let Some((path, number, skip)) = hit(line, b':')
            && let Some(place) = page.spelt(path)
        {
            page.set(at, place, Some(number), skip);
        }
    }
}

/// Splits `path:12:text` at the first number between two `mark`s.
fn hit(line: &str, mark: u8) -> Option<(&str, u32, usize)> {
    let bytes = line.as_bytes();
    let limit = bytes.len().min(PATH_BYTES_MAX);
    let mut at = 0;
    while at < limit {
        at += bytes[at..limit].iter().position(|byte| *byte == mark)?;
        if let Some((number, after)) = number_between(bytes, at, mark) {
            // What is no path does not become one by more text.
            return looks_like_path(&line[..at]).then(|| (&line[..at], number, after));
        }
        at += 1;
    }
    None
}

/// The number after `bytes[at]`, if another `mark` follows it, and where the text starts.
fn number_between(bytes: &[u8], at: usize, mark: u8) -> Option<(u32, usize)> {
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

/// `path-12-text`: what stands around hits of the same file.
fn context(page: &mut Page<'_>, body: &Body) {
    let forward = body.kept();
    let mut near: Option<(u16, &str)> = None;
    for at in forward {
        near = around(page, at, near);
    }
    near = None;
    for at in body.kept().rev() {
        near = around(page, at, near);
    }
}

/// Numbers line `at` if it is context of the file `near` it; gives what is near the next.
fn around<'a>(
    page: &mut Page<'a>,
    at: usize,
    near: Option<(u16, &'a str)>,
) -> Option<(u16, &'a str)> {
    let line = page.line(at);
    let known = page
        .printed
        .lines
        .get(at)
        .and_then(|line| Some((line.path?, line.text.start - line.whole.start)));
    if let Some((place, _)) = known {
        // The spelling is what precedes the number.
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
        && let Some((number, skip)) = number_between(line.as_bytes(), spelling.len(), b'-')
    {
        page.set(at, place, Some(number), skip);
        return near;
    }
    let bytes = line.as_bytes();
    // A path can hold numbers between dashes, though hardly many.
    const NUMBERS_MAX: usize = 8;
    let limit = bytes.len().min(PATH_BYTES_MAX);
    let dashes = (1..limit).filter(|at| bytes[*at] == b'-');
    let numbers = dashes.filter_map(|dash| {
        let (number, skip) = number_between(bytes, dash, b'-')?;
        Some((dash, number, skip))
    });
    for (dash, number, skip) in numbers.take(NUMBERS_MAX) {
        let named = &line[..dash];
        if page.printed.paths.get(usize::from(place)).is_some_and(|path| page.names(named, path)) {
            page.set(at, place, Some(number), skip);
            return Some((place, named));
        }
    }
    near
}

/// Hits under a line with the file's name.
fn headed(page: &mut Page<'_>, body: &Body) {
    let mut place: Option<u16> = None;
    for at in body.kept() {
        if page.printed.lines.get(at).is_some_and(|line| line.path.is_some()) {
            place = None;
            continue;
        }
        let line = page.line(at);
        if line.is_empty() {
            continue;
        }
        if let Some((number, skip)) = headed_hit(line) {
            if let Some(place) = place {
                page.set(at, place, Some(number), skip);
            }
            continue;
        }
        let next = page.line(at + 1);
        place = match heading(line) {
            Some(path) if headed_hit(next).is_some() => page.spelt(path),
            _ if line == "--" || line == "---" => place,
            _ => None,
        };
    }
}

fn heading(line: &str) -> Option<&str> {
    let path = line.strip_prefix("File: ").unwrap_or(line);
    let path = path.rsplit(" in ").next().unwrap_or(path);
    let path = path.strip_suffix(':').unwrap_or(path);
    (looks_like_path(path) && path.contains(['.', '/']) && !path.contains(' ')).then_some(path)
}

/// `12:text`, `12-text`, `L12: text`, `  Line 12: text`.
fn headed_hit(line: &str) -> Option<(u32, usize)> {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    if let Some(rest) = line[spaces..].strip_prefix("Line ") {
        let before = line.len() - rest.len();
        let (number, after) = number_between(line.as_bytes(), before - 1, b':')?;
        return match (spaces, line.as_bytes().get(after)) {
            (0, _) => Some((number, after)),
            (_, Some(b' ')) => Some((number, after + 1)),
            // A position (`Line 12:6`), no text.
            _ => None,
        };
    }
    let gutter = gutter::parse(line)?;
    match gutter.style {
        Style::Colon | Style::Dash | Style::Letter => Some((gutter.number, gutter.skip)),
        Style::ColonSpace => Some((gutter.number, gutter.skip - 1)),
        Style::Arrow | Style::Tab | Style::Bar | Style::TightBar => None,
    }
}
