//! Tables with a column of secrets: separated values, Markdown tables, tables of database clients,
//! and `INSERT` statements.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::assignment::{AssignedValue, classify_name, is_secret_value};
use crate::bytes_regex::compile;
use crate::secret_rules::NameClass;

/// The beginning of an `INSERT` statement.
pub(crate) const INSERT_KEYWORDS: &[&str] = &["insert into "];

/// Characters that separate cells.
const SEPARATORS: &[u8] = b",;\t|";

/// The longest line of a table, the largest number of cells, and the longest column name.
const LINE_BYTES_MAX: usize = 2_048;
const CELLS_MAX: usize = 64;
const NAME_BYTES_MAX: usize = 48;

static COLUMN_NAME: LazyLock<Regex> = LazyLock::new(|| compile(r"^[A-Za-z][\w. -]{0,47}$"));
static RULE_LINE: LazyLock<Regex> = LazyLock::new(|| compile(r"^[-+:=| \r]+$"));
static COLUMNS: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^(?i)insert into [^(;\n]{1,160}\(([^()]*)\)\s*values\s*"));
static ROW: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"^,?\s*\(((?:[^()'"]|'[^']*'|"[^"]*"|\([^()]*\))*)\)\s*"#));

/// The secrets of a table, and the end of its rows.
pub(crate) struct TableSecrets {
    pub(crate) end: usize,
    pub(crate) secrets: Vec<Range<usize>>,
}

/// A column of secrets.
struct SecretColumn {
    name: Range<usize>,
    class: NameClass,
    place: usize,
}

/// Returns the secrets below a header line with the column `name`; `None` if it is not a header
/// line.
pub(crate) fn find_column_secrets(text: &[u8], name: &Range<usize>) -> Option<TableSecrets> {
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
        return Some(TableSecrets { end: line_range(text, name.end).end, secrets: Vec::new() });
    };
    let head = line_range(text, start);
    let names = split_cells(text, head.clone(), separator);
    let is_name = |cell: &Range<usize>| COLUMN_NAME.is_match(&text[cell.clone()]);
    let columns = secret_columns(text, &names);
    let mut rows = TableSecrets { end: head.end.max(name.end), secrets: Vec::new() };
    if names.len() < 2 || columns.is_empty() || !names.iter().all(is_name) {
        return Some(rows);
    }
    while rows.end < text.len() {
        let row = line_range(text, rows.end + 1);
        if !RULE_LINE.is_match(&text[row.clone()]) {
            let values = split_cells(text, row.clone(), separator);
            if values.len() != names.len() {
                break;
            }
            rows.secrets.extend(row_secrets(text, &columns, &values));
        }
        rows.end = row.end;
    }
    Some(rows)
}

/// Returns the secrets in the values of an `INSERT` whose keyword stands at `hit`.
pub(crate) fn find_insert_secrets(text: &[u8], hit: &Range<usize>) -> Option<TableSecrets> {
    let mut groups = COLUMNS.capture_locations();
    let end = COLUMNS.captures_read(&mut groups, &text[hit.start..])?.end();
    let (from, to) = groups.get(1)?;
    let names = split_cells(text, hit.start + from..hit.start + to, b',');
    let columns = secret_columns(text, &names);
    let mut rows = TableSecrets { end: hit.start + end, secrets: Vec::new() };
    let mut groups = ROW.capture_locations();
    while !columns.is_empty()
        && let Some(row) = ROW.captures_read(&mut groups, &text[rows.end..])
        && let Some((from, to)) = groups.get(1)
    {
        let values = split_cells(text, rows.end + from..rows.end + to, b',');
        if values.len() == names.len() {
            let values = row_secrets(text, &columns, &values);
            let is_string = |it: &Range<usize>| matches!(text[it.start - 1], b'"' | b'\'');
            rows.secrets.extend(values.into_iter().filter(is_string));
        }
        rows.end += row.end();
    }
    Some(rows)
}

/// Returns those of `cells` that name secrets.
fn secret_columns(text: &[u8], cells: &[Range<usize>]) -> Vec<SecretColumn> {
    let column = |(place, name): (usize, &Range<usize>)| {
        Some(SecretColumn { name: name.clone(), class: classify_name(&text[name.clone()])?, place })
    };
    cells.iter().enumerate().filter_map(column).collect()
}

/// Returns the values of a row that are secrets.
fn row_secrets(
    text: &[u8],
    columns: &[SecretColumn],
    values: &[Range<usize>],
) -> Vec<Range<usize>> {
    let secret = |column: &SecretColumn| {
        let range = values.get(column.place)?.clone();
        let value = AssignedValue { range, is_quoted: true, is_tight: false };
        is_secret_value(text, &column.name, column.class, &value).then_some(value.range)
    };
    columns.iter().filter_map(secret).collect()
}

/// Returns the line that begins at `start`, without its line feed and up to the maximum length.
fn line_range(text: &[u8], start: usize) -> Range<usize> {
    let start = start.min(text.len());
    let most = text.len().min(start + LINE_BYTES_MAX);
    start..memchr::memchr(b'\n', &text[start..most]).map_or(most, |at| start + at)
}

/// Returns the cells of a line, without surrounding blanks and quotes. The line may be enclosed in
/// bars.
fn split_cells(text: &[u8], line: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let is_blank = |byte: u8| byte.is_ascii_whitespace() && byte != separator;
    let mut line = trim_range(text, line, is_blank);
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
    cells.into_iter().map(|cell| trim_range(text, cell, is_around)).collect()
}

fn trim_range(text: &[u8], range: Range<usize>, is_around: impl Fn(u8) -> bool) -> Range<usize> {
    let signs = &text[range.clone()];
    let start = signs.iter().position(|byte| !is_around(*byte)).unwrap_or(signs.len());
    let end = signs.iter().rposition(|byte| !is_around(*byte)).map_or(start, |at| at + 1);
    range.start + start..range.start + end
}
