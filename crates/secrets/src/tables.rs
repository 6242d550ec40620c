//! Tables with a column of secrets: separated values, those of Markdown and of programs for
//! databases, and `INSERT` of SQL.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::assignment::{Value, class, is_secret};
use crate::pattern::compile;
use crate::rules::NameClass;

/// The beginning of an `INSERT`.
pub(crate) const KEYWORDS: &[&str] = &["insert into "];

/// Signs that separate cells.
const SEPARATORS: &[u8] = b",;\t|";

/// Longest line of a table, most cells of one, longest name of a column.
const LINE_BYTES_MAX: usize = 2_048;
const CELLS_MAX: usize = 64;
const NAME_BYTES_MAX: usize = 48;

static COLUMN_NAME: LazyLock<Regex> = LazyLock::new(|| compile(r"^[A-Za-z][\w. -]{0,47}$"));
static RULE_LINE: LazyLock<Regex> = LazyLock::new(|| compile(r"^[-+:=| \r]+$"));
static COLUMNS: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^(?i)insert into [^(;\n]{1,160}\(([^()]*)\)\s*values\s*"));
static ROW: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"^,?\s*\(((?:[^()'"]|'[^']*'|"[^"]*"|\([^()]*\))*)\)\s*"#));

/// The secrets of a table, and where its rows end.
pub(crate) struct Rows {
    pub(crate) end: usize,
    pub(crate) secrets: Vec<Range<usize>>,
}

/// A column of secrets.
struct Column {
    name: Range<usize>,
    class: NameClass,
    place: usize,
}

/// The secrets below a line that names columns, of which one is `name`; `None` if it names none.
pub(crate) fn column_secrets(text: &[u8], name: &Range<usize>) -> Option<Rows> {
    let is_around = |byte: &&u8| matches!(**byte, b' ' | b'"' | b'\'' | b'`' | b'*');
    let behind = text[name.end..].iter().take(NAME_BYTES_MAX).find(|byte| !is_around(byte));
    let before = text[..name.start].iter().rev().take(NAME_BYTES_MAX).find(|byte| !is_around(byte));
    let is_feed = |sign: Option<&u8>| sign.is_none_or(|sign| matches!(sign, b'\n' | b'\r'));
    let separator = match (is_feed(before), is_feed(behind)) {
        (false, true) => *before?,
        (true, false) => *behind?,
        (false, false) if before == behind => *before?,
        _ => return None,
    };
    if !SEPARATORS.contains(&separator) {
        return None;
    }
    let from = name.start.saturating_sub(LINE_BYTES_MAX);
    let feed = memchr::memrchr(b'\n', &text[from..name.start]).map(|at| from + at + 1);
    let Some(start) = feed.or((from == 0).then_some(0)) else {
        return Some(Rows { end: line(text, name.end).end, secrets: Vec::new() });
    };
    let head = line(text, start);
    let names = cells(text, head.clone(), separator);
    let is_name = |cell: &Range<usize>| COLUMN_NAME.is_match(&text[cell.clone()]);
    let columns = columns(text, &names);
    let mut rows = Rows { end: head.end.max(name.end), secrets: Vec::new() };
    if names.len() < 2 || columns.is_empty() || !names.iter().all(is_name) {
        return Some(rows);
    }
    while rows.end < text.len() {
        let row = line(text, rows.end + 1);
        if !RULE_LINE.is_match(&text[row.clone()]) {
            let values = cells(text, row.clone(), separator);
            if values.len() != names.len() {
                break;
            }
            rows.secrets.extend(secrets(text, &columns, &values));
        }
        rows.end = row.end;
    }
    Some(rows)
}

/// The secrets in the values of an `INSERT` whose words stand at `hit`.
pub(crate) fn insert_secrets(text: &[u8], hit: &Range<usize>) -> Option<Rows> {
    let mut groups = COLUMNS.capture_locations();
    let end = COLUMNS.captures_read(&mut groups, &text[hit.start..])?.end();
    let (from, to) = groups.get(1)?;
    let names = cells(text, hit.start + from..hit.start + to, b',');
    let columns = columns(text, &names);
    let mut rows = Rows { end: hit.start + end, secrets: Vec::new() };
    let mut groups = ROW.capture_locations();
    while !columns.is_empty()
        && let Some(row) = ROW.captures_read(&mut groups, &text[rows.end..])
        && let Some((from, to)) = groups.get(1)
    {
        let values = cells(text, rows.end + from..rows.end + to, b',');
        if values.len() == names.len() {
            let values = secrets(text, &columns, &values);
            let is_string = |it: &Range<usize>| matches!(text[it.start - 1], b'"' | b'\'');
            rows.secrets.extend(values.into_iter().filter(is_string));
        }
        rows.end += row.end();
    }
    Some(rows)
}

/// Those of `cells` whose names are names of secrets.
fn columns(text: &[u8], cells: &[Range<usize>]) -> Vec<Column> {
    let column = |(place, name): (usize, &Range<usize>)| {
        Some(Column { name: name.clone(), class: class(&text[name.clone()])?, place })
    };
    cells.iter().enumerate().filter_map(column).collect()
}

/// The values of a row that are secrets.
fn secrets(text: &[u8], columns: &[Column], values: &[Range<usize>]) -> Vec<Range<usize>> {
    let secret = |column: &Column| {
        let range = values.get(column.place)?.clone();
        let value = Value { range, is_quoted: true, is_tight: false };
        is_secret(text, &column.name, column.class, &value).then_some(value.range)
    };
    columns.iter().filter_map(secret).collect()
}

/// The line that begins at `start`, without its feed, as far as it is read.
fn line(text: &[u8], start: usize) -> Range<usize> {
    let start = start.min(text.len());
    let most = text.len().min(start + LINE_BYTES_MAX);
    start..memchr::memchr(b'\n', &text[start..most]).map_or(most, |at| start + at)
}

/// The cells of a line, without blanks and quotes around them. Bars may stand around a line.
fn cells(text: &[u8], line: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let is_blank = |byte: u8| byte.is_ascii_whitespace() && byte != separator;
    let mut line = trimmed(text, line, is_blank);
    if separator == b'|' {
        line.start += usize::from(text[line.clone()].starts_with(b"|"));
        line.end -= usize::from(text[line.clone()].ends_with(b"|"));
    }
    let (mut cells, mut start, mut quote, mut is_empty) = (Vec::new(), line.start, None, true);
    for at in line.clone() {
        match (quote, text[at]) {
            (Some(mark), sign) if sign == mark => quote = None,
            (None, sign @ (b'"' | b'\'')) if is_empty => quote = Some(sign),
            (None, sign) if sign == separator && cells.len() < CELLS_MAX => {
                cells.push(start..at);
                (start, is_empty) = (at + 1, true);
                continue;
            }
            _ => {}
        }
        is_empty &= text[at].is_ascii_whitespace();
    }
    cells.push(start..line.end);
    let is_around = |byte: u8| byte.is_ascii_whitespace() || b"\"'`*".contains(&byte);
    cells.into_iter().map(|cell| trimmed(text, cell, is_around)).collect()
}

fn trimmed(text: &[u8], range: Range<usize>, is_around: impl Fn(u8) -> bool) -> Range<usize> {
    let signs = &text[range.clone()];
    let start = signs.iter().position(|byte| !is_around(*byte)).unwrap_or(signs.len());
    let end = signs.iter().rposition(|byte| !is_around(*byte)).map_or(start, |at| at + 1);
    range.start + start..range.start + end
}
