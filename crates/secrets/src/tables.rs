//! Tables with a column of secrets: separated values, those of Markdown and of programs for
//! databases, and `INSERT` of SQL.

use std::ops::Range;

use crate::assigned::{Assigned, How};
use crate::named::is_secret;
use crate::names::{Sound, sound};

/// What `INSERT` begins with.
pub(crate) const WORDS: &[&str] = &["insert into "];

/// Signs that separate cells.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// Longest line of a table, most cells of one, longest name of a column.
const LINE_BYTES_MAX: usize = 2_048;
const CELLS_MAX: usize = 64;
const NAME_BYTES_MAX: usize = 48;

/// Bytes between the words of an `INSERT` and its columns, and those of a row.
const TABLE_BYTES_MAX: usize = 160;
const TUPLE_BYTES_MAX: usize = 8 << 10;

/// What was read: where it ends, and the secrets in it.
pub(crate) type Read = (usize, Vec<Range<usize>>);

/// A column: its name, what that says, its place.
type Column = (Range<usize>, Sound, usize);

/// The secrets below a line that names columns, of which one is `name`; `None` if it names none.
pub(crate) fn below(text: &[u8], name: &Range<usize>) -> Option<Read> {
    let is_around = |byte: &&u8| matches!(**byte, b' ' | b'"' | b'\'' | b'`' | b'*');
    let around = |sign: Option<&u8>| match sign {
        None | Some(b'\n' | b'\r') => Some(None),
        Some(sign) if SEPARATORS.contains(sign) => Some(Some(*sign)),
        Some(_) => None,
    };
    let behind = text[name.end..].iter().take(NAME_BYTES_MAX).find(|byte| !is_around(byte));
    let before = text[..name.start].iter().rev().take(NAME_BYTES_MAX).find(|byte| !is_around(byte));
    let separator = match (around(before)?, around(behind)?) {
        (Some(one), Some(other)) if one != other => return None,
        (one, other) => one.or(other)?,
    };
    let from = name.start.saturating_sub(LINE_BYTES_MAX);
    let feed = memchr::memrchr(b'\n', &text[from..name.start]).map(|at| from + at + 1);
    let Some(start) = feed.or((from == 0).then_some(0)) else {
        return Some((line(text, name.end).end, Vec::new()));
    };
    let head = line(text, start);
    if head.end < name.end {
        return Some((line(text, name.end).end, Vec::new()));
    }
    let cells = cells(text, head.clone(), separator);
    let is_name = |cell: &Range<usize>| {
        let name = &text[cell.clone()];
        let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. ".contains(byte);
        name.len() <= NAME_BYTES_MAX
            && name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.iter().all(is_sign)
    };
    let columns = columns(text, &cells);
    if cells.len() < 2 || columns.is_empty() || !cells.iter().all(is_name) {
        return Some((head.end, Vec::new()));
    }
    let (mut at, mut found) = (head.end + 1, Vec::new());
    while at < text.len() {
        let row = line(text, at);
        let is_rule = |byte: &u8| b"-+:=| \r".contains(byte);
        if !text[row.clone()].iter().all(is_rule) || row.is_empty() {
            let values = self::cells(text, row.clone(), separator);
            if values.len() != cells.len() {
                break;
            }
            found.extend(secrets(text, &columns, &values));
        }
        at = row.end + 1;
    }
    Some((at.min(text.len()), found))
}

/// The secrets in the values of an `INSERT` whose words stand at `hit`.
pub(crate) fn inserted(text: &[u8], hit: &Range<usize>) -> Read {
    let most = text.len().min(hit.end + TABLE_BYTES_MAX);
    let open = memchr::memchr3(b'(', b';', b'\n', &text[hit.end..most]).map(|at| hit.end + at);
    let Some(open) = open else { return (hit.end, Vec::new()) };
    let Some(names) = tuple(text, open) else {
        let is_open = text[open] == b'(';
        let end = if is_open { text.len().min(open + TUPLE_BYTES_MAX) } else { open };
        return (end, Vec::new());
    };
    let columns = columns(text, &names.cells);
    let mut at = blanks(text, names.end);
    let word = text.get(at..at + 6).unwrap_or_default();
    if columns.is_empty() || !word.eq_ignore_ascii_case(b"values") {
        return (names.end, Vec::new());
    }
    at = blanks(text, at + 6);
    let mut found = Vec::new();
    while let Some(values) = tuple(text, at) {
        if values.cells.len() == names.cells.len() {
            let values = secrets(text, &columns, &values.cells).into_iter();
            found.extend(values.filter(|value| matches!(text[value.start - 1], b'"' | b'\'')));
        }
        at = blanks(text, values.end);
        if text.get(at) != Some(&b',') {
            break;
        }
        at = blanks(text, at + 1);
    }
    (at.min(text.len()), found)
}

/// Those of `cells` whose names are names of secrets.
fn columns(text: &[u8], cells: &[Range<usize>]) -> Vec<Column> {
    let cells = cells.iter().enumerate();
    cells.filter_map(|(at, cell)| Some((cell.clone(), sound(&text[cell.clone()])?, at))).collect()
}

/// The values of a row that are secrets.
fn secrets(text: &[u8], columns: &[Column], values: &[Range<usize>]) -> Vec<Range<usize>> {
    let secret = |(name, sound, at): &Column| {
        let range = values.get(*at)?.clone();
        let value = Assigned { range, how: How::Colon, is_quoted: true };
        is_secret(text, name, *sound, &value).then_some(value.range)
    };
    columns.iter().filter_map(secret).collect()
}

/// The line that begins at `start`, without its feed, as far as it is looked at.
fn line(text: &[u8], start: usize) -> Range<usize> {
    let most = text.len().min(start + LINE_BYTES_MAX);
    let end = memchr::memchr(b'\n', &text[start..most]).map_or(most, |at| start + at);
    start..end
}

/// The cells of a line, without blanks and quotes around them. Bars may stand around a line.
fn cells(text: &[u8], line: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let mut line = without(text, line, |byte| byte.is_ascii_whitespace() && byte != separator);
    if separator == b'|' {
        line.start += usize::from(text[line.clone()].starts_with(b"|"));
        line.end -= usize::from(text[line.clone()].ends_with(b"|"));
    }
    split(text, line, separator)
}

fn split(text: &[u8], line: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let (mut cells, mut start, mut quote) = (Vec::new(), line.start, None);
    let mut is_empty = true;
    for at in line.clone() {
        let sign = text[at];
        let is_first = is_empty;
        is_empty &= sign.is_ascii_whitespace();
        match quote {
            Some(mark) if sign == mark => quote = None,
            Some(_) => {}
            None if is_first && matches!(sign, b'"' | b'\'') => quote = Some(sign),
            None if sign == separator && cells.len() < CELLS_MAX => {
                cells.push(start..at);
                (start, is_empty) = (at + 1, true);
            }
            None => {}
        }
    }
    cells.push(start..line.end);
    let is_around = |byte: u8| byte.is_ascii_whitespace() || b"\"'`*".contains(&byte);
    cells.into_iter().map(|cell| without(text, cell, is_around)).collect()
}

fn without(text: &[u8], range: Range<usize>, is_around: impl Fn(u8) -> bool) -> Range<usize> {
    let signs = &text[range.clone()];
    let start = signs.iter().position(|byte| !is_around(*byte)).unwrap_or(signs.len());
    let end = signs.iter().rposition(|byte| !is_around(*byte)).map_or(start, |at| at + 1);
    range.start + start..range.start + end
}

/// Names or values between brackets.
struct Tuple {
    cells: Vec<Range<usize>>,
    end: usize,
}

/// The one that begins at `open`, as far as it is looked at.
fn tuple(text: &[u8], open: usize) -> Option<Tuple> {
    if text.get(open) != Some(&b'(') {
        return None;
    }
    let most = text.len().min(open + TUPLE_BYTES_MAX);
    let (mut depth, mut quote) = (0, None);
    let is_close = |sign: &u8| {
        match (quote, *sign) {
            (Some(mark), sign) if sign == mark => quote = None,
            (None, b'"' | b'\'' | b'`') => quote = Some(*sign),
            (None, b'(') => depth += 1,
            (None, b')') => depth -= 1,
            _ => {}
        }
        depth == 0
    };
    let close = open + text[open..most].iter().position(is_close)?;
    Some(Tuple { cells: split(text, open + 1..close, b','), end: close + 1 })
}

fn blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take(LINE_BYTES_MAX).take_while(|byte| byte.is_ascii_whitespace()).count()
}
