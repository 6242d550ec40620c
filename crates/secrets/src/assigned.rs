//! What is assigned to a name, in whatever language, format or command line.

use std::ops::Range;

/// Longest value.
const VALUE_BYTES_MAX: usize = 16 << 10;

/// Blanks on either side of a sign that assigns.
const BLANKS_MAX: usize = 8;

/// Bytes of a type between a name and its value.
const TYPE_BYTES_MAX: usize = 48;

/// Bytes of the beginning of an element that are looked at.
const TAG_BYTES_MAX: usize = 160;

/// Longest value in quotes as HTML spells them.
const ENTITY_BYTES_MAX: usize = 400;

/// Lines of a value in lines of its own.
const BLOCK_LINES_MAX: usize = 6;

/// How a value is assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// `name=value`, with nothing in between.
    Tight,
    /// `name = value`, and the same with other signs.
    Loose,
    /// `name: value`.
    Colon,
    /// `<name>value<`.
    Element,
}

/// A value.
#[derive(Debug, Clone)]
pub(crate) struct Assigned {
    pub(crate) range: Range<usize>,
    pub(crate) how: How,
    pub(crate) is_quoted: bool,
}

/// What is assigned to the name that stands at `name`.
pub(crate) fn assigned(text: &[u8], name: &Range<usize>) -> Option<Assigned> {
    let byte = |at: usize| text.get(at).copied();
    let closing = quote(text, name.end).or_else(|| entity(text, name.end));
    let mut at = closing.as_ref().map_or(name.end, |quote| quote.end);
    if byte(name.start.wrapping_sub(1)) == Some(b'<') && byte(at) == Some(b'>') {
        return element(text, at + 1);
    }
    if let Some(at) = element_beside(text, name, at) {
        return element(text, at);
    }
    if closing.is_some() && byte(at) == Some(b']') {
        at += 1;
    }
    if let Some(at) = value_beside(text, name, at) {
        let at = skip(text, at, false);
        return quoted(text, at, How::Loose).or_else(|| rest(text, at));
    }
    let blank = skip(text, at, false);
    if blank > at && closing.is_none() && is_set_in_image(text, name.start) {
        return all_of_line(text, blank);
    }
    let (how, length) = match (byte(blank)?, byte(blank + 1)) {
        (b':' | b'?', Some(b'=')) | (b'=', Some(b'>')) => (How::Loose, 2),
        (b'=', Some(b'=' | b'~')) | (b':', Some(b':')) => return None,
        (b'=', Some(b' ' | b'\t' | b'\n' | b'\r')) => (How::Loose, 1),
        (b'=', _) if blank > at => (How::Loose, 1),
        (b'=', _) => (How::Tight, 1),
        (b':', _) => (How::Colon, 1),
        (b'(', _) => return quoted(text, blank + 1, How::Loose),
        (b'"' | b'\'', _) if blank > at && closing.is_none() => {
            return quoted(text, blank, How::Loose);
        }
        (b',', _) if closing.is_some() => {
            return quoted(text, skip(text, blank + 1, true), How::Loose);
        }
        _ => return None,
    };
    let at = blank + length;
    let value = skip(text, at, false);
    let value_below = skip(text, at, true);
    if let Some(value) =
        quoted(text, value_below, how).or_else(|| in_entities(text, value_below, how))
    {
        return Some(value);
    }
    match how {
        How::Tight => tight(text, at),
        How::Colon => {
            let rest = || rest(text, value).map(|value| Assigned { how, ..value });
            block(text, value, name.start).or_else(rest).or_else(|| typed(text, value))
        }
        How::Loose | How::Element => rest(text, value),
    }
}

/// Where the value begins of `key="NAME" value="…"`, and of the same in lines: `name: NAME`,
/// `value: …`.
fn value_beside(text: &[u8], name: &Range<usize>, at: usize) -> Option<usize> {
    const NAMES: [&[u8]; 6] = [b"name:", b"key:", b"name=", b"key=", b"name\":", b"key\":"];
    let before = &text[name.start.saturating_sub(12)..name.start];
    let trimmed = before.trim_ascii_end().strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
    if !NAMES.iter().any(|key| trimmed.ends_with(key)) {
        return None;
    }
    let gap = text[at..]
        .iter()
        .take(60)
        .take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'"'));
    let at = at + gap.count();
    let rest = text.get(at..)?.strip_prefix(b"value")?;
    let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    matches!(rest.first(), Some(b':' | b'=')).then(|| text.len() - rest.len() + 1)
}

/// Behind blanks, and behind one line feed where `feeds` may be among them.
fn skip(text: &[u8], at: usize, feeds: bool) -> usize {
    let is_blank =
        |byte: &&u8| matches!(byte, b' ' | b'\t') || feeds && matches!(byte, b'\n' | b'\r');
    let most = if feeds { 4 * BLANKS_MAX } else { BLANKS_MAX };
    at + text.get(at..).unwrap_or_default().iter().take(most).take_while(is_blank).count()
}

/// The quote at `at`, with what escapes it.
fn quote(text: &[u8], at: usize) -> Option<Range<usize>> {
    let escapes = text.get(at..)?.iter().take(3).take_while(|byte| **byte == b'\\').count();
    let end = at + escapes;
    matches!(text.get(end), Some(b'"' | b'\'' | b'`')).then_some(at..end + 1)
}

/// The quote at `at`, as HTML spells it.
fn entity(text: &[u8], at: usize) -> Option<Range<usize>> {
    const QUOTES: [&[u8]; 4] = [b"&quot;", b"&#34;", b"&#39;", b"&apos;"];
    let rest = text.get(at..)?;
    let quote = QUOTES.into_iter().find(|quote| rest.starts_with(quote))?;
    Some(at..at + quote.len())
}

/// A value in quotes as HTML spells them, that begin at `at`.
fn in_entities(text: &[u8], at: usize, how: How) -> Option<Assigned> {
    let open = entity(text, at)?;
    let most = text.len().min(open.end + ENTITY_BYTES_MAX);
    let rest = &text[open.end..most];
    let rest = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let end = open.end + memchr::memmem::find(rest, &text[open.clone()])?;
    Some(Assigned { range: open.end..end, how, is_quoted: true })
}

/// Whether a name at `name` stands where a Dockerfile sets it: `ENV NAME value`.
fn is_set_in_image(text: &[u8], name: usize) -> bool {
    const WORD: &[u8] = b"ENV";
    let before = &text[name.saturating_sub(BLANKS_MAX + WORD.len() + 1)..name];
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let before = before[..before.len() - blanks].strip_suffix(WORD);
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    blanks > 0 && before.is_some_and(|before| !before.last().is_some_and(is_sign))
}

/// All of a line from `at` on; of several words it counts as one in quotes.
fn all_of_line(text: &[u8], at: usize) -> Option<Assigned> {
    if let Some(value) = quoted(text, at, How::Loose) {
        return Some(value);
    }
    let rest = &text[at..text.len().min(at + VALUE_BYTES_MAX)];
    let rest = &rest[..memchr::memchr3(b'\n', b'\\', b'"', rest).unwrap_or(rest.len())];
    let value = rest.trim_ascii_end();
    let is_quoted = value.iter().any(u8::is_ascii_whitespace);
    let range = at..at + value.len();
    (!value.is_empty()).then_some(Assigned { range, how: How::Tight, is_quoted })
}

/// A value in quotes that begin at `at`.
fn quoted(text: &[u8], at: usize, how: How) -> Option<Assigned> {
    // Letters that say what sort of string it is.
    let is_prefix = matches!(text.get(at), Some(b'b' | b'r' | b'f' | b'u' | b'B' | b'@' | b'L'));
    let at = at + usize::from(is_prefix && quote(text, at + 1).is_some());
    let open = quote(text, at)?;
    let mark = &text[open.clone()];
    let last = *mark.last()?;
    let most = text.len().min(open.end + VALUE_BYTES_MAX);
    if mark.len() == 1 && text[open.end..most].starts_with(&[last, last]) {
        // Three of them, on one line.
        let start = open.end + 2;
        let end = memchr::memmem::find(&text[start..most], &[last; 3]).map(|end| start + end);
        let three = end.filter(|end| !text[start..*end].contains(&b'\n') && *end > start);
        if let Some(end) = three {
            return Some(Assigned { range: start..end, how, is_quoted: true });
        }
    }
    let mut end = open.end;
    loop {
        let found = memchr::memchr2(last, b'\n', text.get(end..most)?)?;
        let at = end + found;
        if text[at] == b'\n' {
            return None;
        }
        let escapes = text[open.end..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if escapes % 2 == (mark.len() - 1) % 2 {
            let value = open.end..at - escapes.min(mark.len() - 1);
            return Some(Assigned { range: value, how, is_quoted: true });
        }
        end = at + 1;
    }
}

/// A value right behind `=`, as in commands and addresses.
fn tight(text: &[u8], at: usize) -> Option<Assigned> {
    let is_sign = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'+' | b'/'
                    | b'_'
                    | b'.'
                    | b'~'
                    | b'!'
                    | b'@'
                    | b'%'
                    | b'^'
                    | b'*'
                    | b'#'
                    | b'-'
                    | b'$'
                    | b'?'
                    | b':'
            )
    };
    let signs = &text[at..text.len().min(at + VALUE_BYTES_MAX)];
    let body = signs.iter().take_while(|byte| is_sign(**byte)).count();
    let padding = signs[body..].iter().take(2).take_while(|byte| **byte == b'=').count();
    let end = at + body + padding;
    let ends = match text.get(end) {
        None => true,
        Some(b'&') => text.get(end + 1).is_none_or(|next| {
            next.is_ascii_whitespace() || next.is_ascii_alphabetic() || matches!(next, b'&' | b'_')
        }),
        Some(byte) => byte.is_ascii_whitespace() || b";|\"'`<>\\,)]}".contains(byte),
    };
    let is_value = ends && body > 0;
    is_value.then_some(Assigned { range: at..end, how: How::Tight, is_quoted: false })
}

/// A value that is all of the rest of its line, but for a remark; or of a string. No colon is in
/// it: in a row of names and colons each would be read to the end of the row.
fn rest(text: &[u8], at: usize) -> Option<Assigned> {
    let is_sign = |byte: &&u8| byte.is_ascii_graphic() && !b"\"'`<>(){}[],;:\\".contains(byte);
    let signs = &text[at.min(text.len())..text.len().min(at + VALUE_BYTES_MAX)];
    let end = at + signs.iter().take_while(is_sign).count();
    let behind = &text[end.min(text.len())..];
    let blanks = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let ends = match behind.get(blanks..)? {
        [] | [b'\n', ..] => true,
        [b'\\', b'n' | b'r', ..] => blanks == 0,
        [b'"' | b'\'' | b'`', ..] => blanks == 0,
        [b'#', ..] | [b'/', b'/', ..] | [b';', b' ', ..] => blanks > 0,
        _ => false,
    };
    (ends && end > at).then_some(Assigned { range: at..end, how: How::Loose, is_quoted: false })
}

/// Where the text of an element begins whose name stands at `name`, which ends at `at`: behind
/// attributes, in another element, or in the one behind it (`<key>NAME</key><string>`).
fn element_beside(text: &[u8], name: &Range<usize>, at: usize) -> Option<usize> {
    let line = &text[at..text.len().min(at + TAG_BYTES_MAX)];
    if let Some(rest) = line.strip_prefix(b"></").or_else(|| line.strip_prefix(b"</")) {
        let behind = rest.strip_prefix(b"key>")?.trim_ascii_start().strip_prefix(b"<string>")?;
        return Some(at + line.len() - behind.len());
    }
    if line.starts_with(b"><value>") {
        return Some(at + b"><value>".len());
    }
    let before = &text[name.start.saturating_sub(TAG_BYTES_MAX)..name.start];
    let space =
        before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b':');
    let space = space.count();
    let is_tag = before[..before.len() - space].last() == Some(&b'<')
        && (space == 0 || before.last() == Some(&b':'));
    if !is_tag || !matches!(line.first(), Some(b' ' | b'>')) {
        return None;
    }
    let end = memchr::memchr3(b'>', b'<', b'\n', line)?;
    (line[end] == b'>').then_some(at + end + 1)
}

/// A value of YAML that stands in lines of its own below its name, which stands at `name`.
fn block(text: &[u8], at: usize, name: usize) -> Option<Assigned> {
    let header = text.get(at..)?;
    let end = memchr::memchr(b'\n', &header[..header.len().min(8)])?;
    let is_header = matches!(header[0], b'|' | b'>')
        && header[1..end].iter().all(|byte| b"+-0123456789 \r".contains(byte));
    if !is_header {
        return None;
    }
    let before = &text[name.saturating_sub(TAG_BYTES_MAX)..name];
    let outer = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'-' | b'"')).count();
    let most = text.len().min(at + VALUE_BYTES_MAX);
    let (mut line, mut range) = (at + end + 1, None);
    for _ in 0..BLOCK_LINES_MAX {
        let end = memchr::memchr(b'\n', &text[line..most]).map_or(most, |end| line + end);
        let body = text[line..end].trim_ascii_end();
        let indent = body.iter().take_while(|byte| **byte == b' ').count();
        if !body.is_empty() {
            if indent <= outer {
                break;
            }
            let start = range.map_or(line + indent, |range: (usize, usize)| range.0);
            range = Some((start, line + body.len()));
        }
        if end >= most {
            break;
        }
        line = end + 1;
    }
    let (start, end) = range?;
    Some(Assigned { range: start..end, how: How::Colon, is_quoted: true })
}

/// A value in quotes behind the type of what it is assigned to.
fn typed(text: &[u8], at: usize) -> Option<Assigned> {
    let rest = &text[at..text.len().min(at + TYPE_BYTES_MAX)];
    let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_<>&|[]?. '".contains(byte);
    let end = at + rest.iter().take_while(is_type).count();
    if text.get(end) != Some(&b'=') {
        return None;
    }
    quoted(text, skip(text, end + 1, false), How::Loose)
}

/// The text of an element.
fn element(text: &[u8], at: usize) -> Option<Assigned> {
    let signs = &text[at..text.len().min(at + VALUE_BYTES_MAX)];
    let end = at + memchr::memchr2(b'<', b'\n', signs)?;
    (text[end] == b'<' && end > at).then_some(Assigned {
        range: at..end,
        how: How::Element,
        is_quoted: true,
    })
}
