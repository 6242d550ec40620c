//! Line numbers printed in front of a file's lines.

use super::output_body::Body;
use super::page::Page;
use foveal_effects::{Effect, EffectKind, Span};

/// How a gutter ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
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

/// One line's gutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gutter {
    pub(super) style: Style,
    pub(super) number: u32,
    /// Bytes before the file's text.
    pub(super) skip: usize,
    /// Padded to a width, as text that is no gutter hardly ever is.
    pub(super) padded: bool,
}

/// Reads the gutter of `line`, if it can be one.
pub(super) fn parse(line: &str) -> Option<Gutter> {
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
        [b':', b' ', ..] if letter => (Style::Letter, 2),
        [b':', ..] if letter => (Style::Letter, 1),
        _ if letter => return None,
        [0xE2, 0x86, 0x92, ..] => (Style::Arrow, 3),
        [b'\t', ..] => (Style::Tab, 1),
        [b':', b' ', ..] => (Style::ColonSpace, 2),
        [b':', ..] => (Style::Colon, 1),
        [b'-', ..] => (Style::Dash, 1),
        [b' ', b'|', b' ', ..] => (Style::Bar, 3),
        [b' ', b'|'] => (Style::Bar, 2),
        [b'|', b' ', ..] => (Style::TightBar, 2),
        [b'|'] => (Style::TightBar, 1),
        _ => return None,
    };
    let padded = at >= 5 && (spaces > 0 || bytes[start] == b'0' || at >= 6);
    Some(Gutter { style, number, skip: at + length, padded })
}

/// Numbers the excerpts that a tool announces: SWE-agent's `[File: … (n lines total)]` and
/// the `cat -n` snippets of editors. Says whether there were any.
pub(super) fn windows(page: &mut Page<'_>, body: &Body, effect: &Effect) -> bool {
    let mut found = false;
    let mut at = body.lines.start;
    let mut hypothetical = false;
    while at < body.lines.end {
        let line = page.line(at);
        at += 1;
        match line.as_bytes().first() {
            Some(b'[' | b'T' | b'H' | b'I') => {}
            _ => continue,
        }
        if line.starts_with("This is how your edit would have looked") {
            hypothetical = true;
        } else if line.starts_with("This is the original code") {
            hypothetical = false;
        } else if let Some(path) = window_path(line) {
            let place = page.spelt(path);
            while page.line(at).starts_with('(') && page.line(at).contains(" more lines above") {
                at += 1;
            }
            let target = place.filter(|_| !hypothetical);
            at = run(page, at, body.lines.end, target, |style| {
                matches!(style, Style::Colon | Style::ColonSpace)
            });
            found = true;
        } else if line.ends_with(':') && line.contains("`cat -n` on ") {
            let named = line.rsplit("`cat -n` on ").next().unwrap_or_default();
            let named = named.trim_end_matches(':').trim_start_matches("a snippet of ");
            let own = effect.writes.first().map(|write| write.path.as_str());
            let own = own.or(effect.reads.first().map(|read| read.path.as_str()));
            let place = match own {
                _ if named.contains('/') => page.spelt(named),
                Some(own) => page.resolved(own),
                None => None,
            };
            at = run(page, at, body.lines.end, place, |style| {
                matches!(style, Style::Tab | Style::Arrow)
            });
            found = true;
        }
    }
    found
}

/// The path in `[File: path (12 lines total)]`.
fn window_path(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("[File: ")?.strip_suffix(" lines total)]")?;
    Some(&rest[..rest.rfind(" (")?])
}

/// Numbers lines from `at` on while their numbers rise by one; gives the line after them.
fn run(
    page: &mut Page<'_>,
    at: usize,
    end: usize,
    place: Option<u16>,
    style: impl Fn(Style) -> bool,
) -> usize {
    let mut at = at;
    let mut last: Option<u32> = None;
    while at < end {
        let Some(gutter) = parse(page.line(at)) else { break };
        if !style(gutter.style) || last.is_some_and(|last| gutter.number != last.wrapping_add(1)) {
            break;
        }
        last = Some(gutter.number);
        // The editors' windows put nothing between colon and text.
        let space = usize::from(gutter.style == Style::ColonSpace);
        if let Some(place) = place {
            page.set(at, place, Some(gutter.number), gutter.skip - space);
        }
        at += 1;
    }
    at
}

/// Numbers the body of a read by its gutter. Says whether it has one.
///
/// The first line must have it, all gutters must be of one style, and the few lines
/// without are the tool's: text of a file that merely starts with digits does not pass.
pub(super) fn number(page: &mut Page<'_>, body: &Body, effect: &Effect) -> bool {
    if page.windows {
        return true;
    }
    let Some(start) = (body.lines.start..body.lines.end.min(body.lines.start + 4))
        .find(|at| parse(page.line(*at)).is_some())
    else {
        return false;
    };
    let Some(first) = parse(page.line(start)) else { return false };
    if !accepted(page, body, effect, start, first) {
        return false;
    }
    let sole = effect.reads.iter().all(|read| read.path == effect.reads[0].path);
    let mut target = 0usize;
    let mut last: Option<u32> = None;
    for at in body.kept().skip_while(|at| *at < start) {
        let Some(gutter) = parse(page.line(at)).filter(|gutter| gutter.style == first.style) else {
            continue;
        };
        if !sole && last.is_some_and(|last| gutter.number <= last) {
            target += 1;
        }
        last = Some(gutter.number);
        let Some(read) = effect.reads.get(if sole { 0 } else { target }) else { break };
        if let Some(place) = page.resolved_read(read) {
            page.set(at, place, Some(gutter.number), gutter.skip);
        }
    }
    true
}

fn accepted(page: &Page<'_>, body: &Body, effect: &Effect, start: usize, first: Gutter) -> bool {
    let (mut with, mut without, mut breaks) = (0usize, start - body.lines.start, 0usize);
    let mut last: Option<u32> = None;
    for at in body.kept().skip_while(|at| *at < start) {
        match parse(page.line(at)).filter(|gutter| gutter.style == first.style) {
            Some(gutter) => {
                breaks += usize::from(last.is_some_and(|last| gutter.number != last + 1));
                last = Some(gutter.number.min(u32::MAX - 1));
                with += 1;
            }
            None => without += 1,
        }
    }
    let strong = match first.style {
        Style::Arrow => true,
        Style::Tab | Style::TightBar => first.padded,
        Style::Bar | Style::Letter | Style::Colon | Style::ColonSpace | Style::Dash => false,
    };
    let expected = effect.reads.iter().any(|read| match read.span {
        Span::All => first.number == 1,
        Span::Lines(line, _) => first.number == line.0,
        Span::Tail(_) | Span::Unknown => strong,
    });
    let allowed = effect.reads.len() + with / 20 + usize::from(!body.gap.is_empty());
    if strong {
        without <= allowed + 2 && breaks <= allowed && (expected || with > 1)
    } else {
        let plain = first.style != Style::Dash && effect.kind == EffectKind::Read;
        plain && without == 0 && breaks < effect.reads.len() && (expected && with > 1)
    }
}

#[cfg(test)]
mod tests;
