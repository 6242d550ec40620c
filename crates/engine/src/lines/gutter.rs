//! Line numbers that tools print in front of a file's lines.

use super::output_body::OutputBody;
use super::result_lines_builder::ResultLinesBuilder;
use foveal_tool_effects::{Effect, EffectKind, ReadSpan};

/// The form of a gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GutterStyle {
    /// `     1→`
    Arrow,
    /// `     1\t`
    Tab,
    /// `12:`
    Colon,
    /// `12: `
    ColonSpace,
    /// `12-`
    Dash,
    /// `12 | `
    Bar,
    /// `00012| `
    TightBar,
    /// `L12: `
    Letter,
}

/// The gutter of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gutter {
    pub(super) style: GutterStyle,
    pub(super) number: u32,
    /// Number of bytes before the file's text.
    pub(super) skip: usize,
    /// Whether the number is padded to a width; text that is no gutter hardly ever is.
    pub(super) padded: bool,
}

/// Parses the gutter of `line`, if it can be one.
pub(super) fn parse_gutter(line: &str) -> Option<Gutter> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < 12 && bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    let spaces = at;
    let letter = bytes.get(at) == Some(&b'L');
    at += usize::from(letter);
    let start = at;
    let mut number = 0u32;
    while let Some(digit) = bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
        number = number.checked_mul(10)?.checked_add(u32::from(digit - b'0'))?;
        at += 1;
    }
    if at == start {
        return None;
    }
    let rest = &bytes[at..];
    let (style, length) = match rest {
        [b':', b' ', ..] if letter => (GutterStyle::Letter, 2),
        [b':', ..] if letter => (GutterStyle::Letter, 1),
        _ if letter => return None,
        [0xE2, 0x86, 0x92, ..] => (GutterStyle::Arrow, 3),
        [b'\t', ..] => (GutterStyle::Tab, 1),
        [b':', b' ', ..] => (GutterStyle::ColonSpace, 2),
        [b':', ..] => (GutterStyle::Colon, 1),
        [b'-', ..] => (GutterStyle::Dash, 1),
        [b' ', b'|', b' ', ..] => (GutterStyle::Bar, 3),
        [b' ', b'|'] => (GutterStyle::Bar, 2),
        [b'|', b' ', ..] => (GutterStyle::TightBar, 2),
        [b'|'] => (GutterStyle::TightBar, 1),
        _ => return None,
    };
    let padded = at >= 5 && (spaces > 0 || bytes[start] == b'0' || at >= 6);
    Some(Gutter { style, number, skip: at + length, padded })
}

/// Numbers the excerpts that a tool announces with the file's name: SWE-agent's
/// `[File: … (n lines total)]` and the `cat -n` snippets of editors. Returns whether there were
/// any.
pub(super) fn number_announced_excerpts(
    page: &mut ResultLinesBuilder<'_>,
    body: &OutputBody,
    effect: &Effect,
) -> bool {
    let mut found = false;
    let mut at = body.lines.start;
    let mut hypothetical = false;
    while at < body.lines.end {
        let line = page.line_text(at);
        at += 1;
        match line.as_bytes().first() {
            Some(b'[' | b'T' | b'H' | b'I') => {}
            _ => continue,
        }
        if line.starts_with("This is how your edit would have looked") {
            hypothetical = true;
        } else if line.starts_with("This is the original code") {
            hypothetical = false;
        } else if let Some(path) = parse_excerpt_path(line) {
            let place = page.intern_spelling(path);
            while page.line_text(at).starts_with('(')
                && page.line_text(at).contains(" more lines above")
            {
                at += 1;
            }
            let target = place.filter(|_| !hypothetical);
            at = number_run(page, at, body.lines.end, target, |style| {
                matches!(style, GutterStyle::Colon | GutterStyle::ColonSpace)
            });
            found = true;
        } else if line.ends_with(':') && line.contains("`cat -n` on ") {
            let named = line.rsplit("`cat -n` on ").next().unwrap_or_default();
            let named = named.trim_end_matches(':').trim_start_matches("a snippet of ");
            let own = effect.writes.first().map(|write| write.path.as_str());
            let own = own.or(effect.reads.first().map(|read| read.path.as_str()));
            let place = match own {
                _ if named.contains('/') => page.intern_spelling(named),
                Some(own) => page.intern_path(own),
                None => None,
            };
            at = number_run(page, at, body.lines.end, place, |style| {
                matches!(style, GutterStyle::Tab | GutterStyle::Arrow)
            });
            found = true;
        }
    }
    found
}

/// Parses the path in `[File: path (12 lines total)]`.
fn parse_excerpt_path(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("[File: ")?.strip_suffix(" lines total)]")?;
    Some(&rest[..rest.rfind(" (")?])
}

/// Numbers lines from `at` on while their numbers rise by one; returns the line after them.
fn number_run(
    page: &mut ResultLinesBuilder<'_>,
    at: usize,
    end: usize,
    place: Option<u16>,
    style: impl Fn(GutterStyle) -> bool,
) -> usize {
    let mut at = at;
    let mut last: Option<u32> = None;
    while at < end {
        let Some(gutter) = parse_gutter(page.line_text(at)) else { break };
        if !style(gutter.style) || last.is_some_and(|last| gutter.number != last.wrapping_add(1)) {
            break;
        }
        last = Some(gutter.number);
        // The editors' excerpts have no space between colon and text.
        let space = usize::from(gutter.style == GutterStyle::ColonSpace);
        if let Some(place) = place {
            page.assign_number(at, place, Some(gutter.number), gutter.skip - space);
        }
        at += 1;
    }
    at
}

/// Numbers the body of a read by its gutter. Returns whether it has one.
///
/// The first line must have a gutter, all gutters must have one style, and the few lines without
/// are the tool's: text of a file that merely starts with digits does not pass.
pub(super) fn number_by_gutter(
    page: &mut ResultLinesBuilder<'_>,
    body: &OutputBody,
    effect: &Effect,
) -> bool {
    if page.has_announced_excerpts {
        return true;
    }
    let Some(start) = (body.lines.start..body.lines.end.min(body.lines.start + 4))
        .find(|at| parse_gutter(page.line_text(*at)).is_some())
    else {
        return false;
    };
    let Some(first) = parse_gutter(page.line_text(start)) else { return false };
    if !is_plausible_gutter(page, body, effect, start, first) {
        return false;
    }
    let sole = effect.reads.iter().all(|read| read.path == effect.reads[0].path);
    let mut target = 0usize;
    let mut last: Option<u32> = None;
    for at in body.complete_lines().skip_while(|at| *at < start) {
        let Some(gutter) =
            parse_gutter(page.line_text(at)).filter(|gutter| gutter.style == first.style)
        else {
            continue;
        };
        if !sole && last.is_some_and(|last| gutter.number <= last) {
            target += 1;
        }
        last = Some(gutter.number);
        let Some(read) = effect.reads.get(if sole { 0 } else { target }) else { break };
        if let Some(place) = page.intern_read_path(read) {
            page.assign_number(at, place, Some(gutter.number), gutter.skip);
        }
    }
    true
}

fn is_plausible_gutter(
    page: &ResultLinesBuilder<'_>,
    body: &OutputBody,
    effect: &Effect,
    start: usize,
    first: Gutter,
) -> bool {
    let (mut with, mut without, mut breaks) = (0usize, start - body.lines.start, 0usize);
    let mut last: Option<u32> = None;
    for at in body.complete_lines().skip_while(|at| *at < start) {
        match parse_gutter(page.line_text(at)).filter(|gutter| gutter.style == first.style) {
            Some(gutter) => {
                breaks += usize::from(last.is_some_and(|last| gutter.number != last + 1));
                last = Some(gutter.number.min(u32::MAX - 1));
                with += 1;
            }
            None => without += 1,
        }
    }
    let strong = match first.style {
        GutterStyle::Arrow => true,
        GutterStyle::Tab | GutterStyle::TightBar => first.padded,
        GutterStyle::Bar
        | GutterStyle::Letter
        | GutterStyle::Colon
        | GutterStyle::ColonSpace
        | GutterStyle::Dash => false,
    };
    let expected = effect.reads.iter().any(|read| match read.span {
        ReadSpan::All => first.number == 1,
        ReadSpan::Lines(line, _) => first.number == line.0,
        ReadSpan::Tail(_) | ReadSpan::Unknown => strong,
    });
    let allowed = effect.reads.len() + with / 20 + usize::from(!body.gap.is_empty());
    if strong {
        without <= allowed + 2 && breaks <= allowed && (expected || with > 1)
    } else {
        let plain = first.style != GutterStyle::Dash && effect.kind == EffectKind::Read;
        plain && without == 0 && breaks < effect.reads.len() && (expected && with > 1)
    }
}

#[cfg(test)]
mod tests;
