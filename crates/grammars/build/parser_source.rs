//! A generated `parser.c`: its tables read, and the same with the tables packed.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::packing::pack;

/// Why a parser cannot be packed: it is not of the form that is known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("no `{0}` in it")]
    Missing(&'static str),
    #[error("`{0}` is no number that is known")]
    Number(String),
    #[error("a number stands outside the table")]
    Place,
}

/// The text before a table's numbers, and the text after them.
const DENSE: &str = "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {\n";
const SPARSE: &str = "static const uint16_t ts_small_parse_table[] = {\n";
const END: &str = "\n};\n";

/// Where the function begins that gives out the language.
const LANGUAGE: &str = "(void) {\n  static const TSLanguage language = {";

/// `source` with its two tables packed, and unpacked by the function that gives out the language.
pub(crate) fn packed(source: &str) -> Result<String, SourceError> {
    let symbols = symbols(source)?;
    let (head, rest) = source.split_once(DENSE).ok_or(SourceError::Missing("ts_parse_table"))?;
    let (dense, rest) =
        rest.split_once(END).ok_or(SourceError::Missing("end of ts_parse_table"))?;
    let (between, rest) =
        rest.split_once(SPARSE).ok_or(SourceError::Missing("ts_small_parse_table"))?;
    let (sparse, tail) =
        rest.split_once(END).ok_or(SourceError::Missing("end of ts_small_parse_table"))?;
    let (tail, language) =
        tail.split_once(LANGUAGE).ok_or(SourceError::Missing("function of the language"))?;

    let rows = defined(source, "LARGE_STATE_COUNT")?;
    let width = defined(source, "SYMBOL_COUNT")?;
    let dense = dense_table(dense, &symbols, rows, width)?;
    let sparse = sparse_table(sparse, &symbols)?;

    let mut made = format!("#include \"unpack.h\"\n{head}");
    put_table(&mut made, "ts_parse_table", &pack(&dense, width));
    made += "static uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT];\n";
    made += between;
    put_table(&mut made, "ts_small_parse_table", &pack(&sparse, 0));
    let _ = writeln!(made, "static uint16_t ts_small_parse_table[{}];", sparse.len());
    made += tail;
    let _ = write!(
        made,
        "(void) {{\n  static bool is_unpacked = false;\n  if (!is_unpacked) {{\n    \
         foveal_unpack(&ts_parse_table[0][0], {}, ts_parse_table_packed, \
         sizeof ts_parse_table_packed);\n    \
         foveal_unpack(ts_small_parse_table, {}, ts_small_parse_table_packed, \
         sizeof ts_small_parse_table_packed);\n    is_unpacked = true;\n  }}\n  \
         static const TSLanguage language = {{{language}",
        dense.len(),
        sparse.len(),
    );
    Ok(made)
}

/// What each symbol's name stands for.
fn symbols(source: &str) -> Result<HashMap<&str, usize>, SourceError> {
    let missing = SourceError::Missing("ts_symbol_identifiers");
    let (_, rest) = source.split_once("enum ts_symbol_identifiers {\n").ok_or(missing)?;
    let (body, _) =
        rest.split_once(END).ok_or(SourceError::Missing("end of ts_symbol_identifiers"))?;
    let mut symbols = HashMap::from([("ts_builtin_sym_end", 0)]);
    for line in body.lines() {
        let Some((name, number)) = line.trim().trim_end_matches(',').split_once(" = ") else {
            continue;
        };
        symbols.insert(name, number.parse().map_err(|_| SourceError::Number(number.to_owned()))?);
    }
    Ok(symbols)
}

/// The number that `#define` gives `name`.
fn defined(source: &str, name: &'static str) -> Result<usize, SourceError> {
    let line = source.lines().find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name));
    let number = line.ok_or(SourceError::Missing(name))?.trim();
    number.parse().map_err(|_| SourceError::Number(number.to_owned()))
}

/// `7`, `STATE(7)`, `ACTIONS(7)`, `SMALL_STATE(7)` or a symbol's name.
fn number(text: &str, symbols: &HashMap<&str, usize>) -> Result<usize, SourceError> {
    let inner = match text.split_once('(') {
        Some(("STATE" | "ACTIONS", rest)) => rest.strip_suffix(')').unwrap_or(rest),
        _ => text,
    };
    let known = symbols.get(inner).copied().or_else(|| inner.parse().ok());
    known.ok_or_else(|| SourceError::Number(text.to_owned()))
}

/// Rows of `[symbol] = number`, each row in braces behind its own number.
fn dense_table(
    body: &str,
    symbols: &HashMap<&str, usize>,
    rows: usize,
    width: usize,
) -> Result<Vec<u16>, SourceError> {
    let mut table = vec![0; rows * width];
    let mut row = 0;
    for line in body.lines() {
        let Some((place, value)) = line.trim().split_once("] = ") else { continue };
        let place = number(place.trim_start_matches('['), symbols)?;
        if value == "{" {
            row = place;
            continue;
        }
        let value = number(value.trim_end_matches(','), symbols)?;
        let inside = place < width && row < rows;
        let cell = table.get_mut(row * width + place).filter(|_| inside);
        *cell.ok_or(SourceError::Place)? = u16::try_from(value).map_err(|_| SourceError::Place)?;
    }
    Ok(table)
}

/// Numbers in order; `[place] = ` before one says what place it has.
fn sparse_table(body: &str, symbols: &HashMap<&str, usize>) -> Result<Vec<u16>, SourceError> {
    let mut table = Vec::new();
    for line in body.lines() {
        let mut rest = line.trim();
        if let Some((place, values)) = rest.split_once("] = ") {
            if number(place.trim_start_matches('['), symbols)? != table.len() {
                return Err(SourceError::Place);
            }
            rest = values;
        }
        for value in rest.split(',').map(str::trim).filter(|value| !value.is_empty()) {
            let value = number(value, symbols)?;
            table.push(u16::try_from(value).map_err(|_| SourceError::Place)?);
        }
    }
    Ok(table)
}

fn put_table(made: &mut String, name: &str, bytes: &[u8]) {
    let _ = write!(made, "static const uint8_t {name}_packed[] = {{");
    for (at, byte) in bytes.iter().enumerate() {
        let _ = write!(made, "{}{byte},", if at % 32 == 0 { "\n" } else { "" });
    }
    *made += "\n};\n";
}
