//! A generated `parser.c`: its tables read, and the same with the tables packed.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::numbers::{self, Names};
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

/// The text behind a table's numbers.
const END: &str = "\n};\n";

/// Where the function begins that gives out the language.
const LANGUAGE: &str = "(void) {\n  static const TSLanguage language = {";

/// A table of a generated parser.
struct Table {
    name: &'static str,
    /// Whether a parser of which it cannot be read is left as it comes. Else the table is.
    is_needed: bool,
    read: fn(&Body<'_>) -> Result<Vec<u16>, SourceError>,
    /// How many numbers a row has that is much like the one above; 0 where there are no rows.
    row: fn(&Body<'_>) -> usize,
    /// How the room for it is declared, of so many numbers.
    room: fn(usize) -> String,
    /// Where its numbers go, if not to where it begins.
    to: fn(usize) -> String,
    /// What is done with the numbers, so many, once they are there.
    finish: fn(usize) -> String,
}

/// All that is packed, in the order in which it is.
const TABLES: &[Table] = &[
    Table {
        name: "ts_parse_table",
        is_needed: true,
        read: |body| numbers::dense(body.text, body.names, body.rows, body.width),
        row: |body| body.width,
        room: |_| "[LARGE_STATE_COUNT][SYMBOL_COUNT]".to_owned(),
        to: |_| "ts_parse_table".to_owned(),
        finish: |_| String::new(),
    },
    Table {
        name: "ts_small_parse_table",
        is_needed: true,
        read: |body| numbers::sparse(body.text, body.names),
        row: |_| 0,
        room: |count| format!("[{count}]"),
        to: |_| "ts_small_parse_table".to_owned(),
        finish: |_| String::new(),
    },
    Table {
        name: "ts_small_parse_table_map",
        is_needed: false,
        read: |body| numbers::rising(body.text, body.rows),
        row: |_| 0,
        room: |count| format!("[{count}]"),
        to: |count| format!("(char *)ts_small_parse_table_map + {}", 2 * count),
        finish: |count| format!("foveal_add_up(ts_small_parse_table_map, {count});"),
    },
    Table {
        name: "ts_lex_modes",
        is_needed: false,
        read: |body| numbers::modes(body.text, body.states, body.kind),
        row: |_| 0,
        room: |_| "[STATE_COUNT]".to_owned(),
        to: |_| "ts_lex_modes".to_owned(),
        finish: |_| String::new(),
    },
    Table {
        name: "ts_primary_state_ids",
        is_needed: false,
        read: |body| numbers::near_their_places(body.text, body.states),
        row: |_| 0,
        room: |_| "[STATE_COUNT]".to_owned(),
        to: |_| "ts_primary_state_ids".to_owned(),
        finish: |count| format!("foveal_add_places(ts_primary_state_ids, {count});"),
    },
    Table {
        name: "ts_parse_actions",
        is_needed: false,
        read: |body| numbers::actions(body.text, body.names),
        row: |_| 0,
        room: |count| format!("[{}]", count / 4),
        to: |_| "ts_parse_actions".to_owned(),
        finish: |count| format!("foveal_make_actions(ts_parse_actions, {});", count / 4),
    },
];

/// The numbers of a table as text, and what is needed to read them.
struct Body<'a> {
    text: &'a str,
    /// The type of what it holds.
    kind: &'a str,
    names: &'a Names<'a>,
    states: usize,
    rows: usize,
    width: usize,
}

/// `source` with its tables packed, and unpacked by the function that gives out the language.
pub(crate) fn packed(source: &str) -> Result<String, SourceError> {
    let names = symbols(source)?;
    let states = defined(source, "STATE_COUNT")?;
    let rows = defined(source, "LARGE_STATE_COUNT")?;
    let width = defined(source, "SYMBOL_COUNT")?;
    let mut made = source.to_owned();
    let (mut bytes, mut tables, mut finish) = (Vec::new(), String::new(), String::new());
    for table in TABLES {
        let Some((before, kind, text, after)) = declared(&made, table.name) else {
            if table.is_needed {
                return Err(SourceError::Missing(table.name));
            }
            continue;
        };
        let body = Body { text, kind, names: &names, states, rows, width };
        let numbers = match (table.read)(&body) {
            Ok(numbers) => numbers,
            Err(error) if table.is_needed => return Err(error),
            Err(_) => continue,
        };
        let count = numbers.len();
        bytes.extend(pack(&numbers, (table.row)(&body)));
        let _ = writeln!(tables, "      {{{}, {count}}},", (table.to)(count));
        let _ = writeln!(finish, "    {}", (table.finish)(count));
        made = format!("{before}static {kind} {}{};\n{after}", table.name, (table.room)(count));
    }
    let missing = SourceError::Missing("function of the language");
    let (head, language) = made.rsplit_once(LANGUAGE).ok_or(missing)?;
    // Before what says who may see the function.
    let at = head.rfind("#ifdef TREE_SITTER_HIDE_SYMBOLS").or_else(|| head.rfind('\n'));
    let (head, function) = head.split_at(at.unwrap_or(0));
    let mut text = format!("#include \"unpack.h\"\n{head}\n");
    put_bytes(&mut text, &miniz_oxide::deflate::compress_to_vec(&bytes, 10));
    let _ = write!(
        text,
        "{function}(void) {{\n  static bool is_unpacked = false;\n  if (!is_unpacked) {{\n    \
         const foveal_table tables[] = {{\n{tables}    }};\n    \
         foveal_unpack(foveal_packed, sizeof foveal_packed, {}, tables, \
         sizeof tables / sizeof tables[0]);\n{finish}    is_unpacked = true;\n  }}\n  \
         static const TSLanguage language = {{{language}",
        bytes.len(),
    );
    Ok(text)
}

/// Where a table stands: the text before it, the type of what it holds, its numbers and the text
/// after it.
fn declared<'a>(source: &'a str, name: &str) -> Option<(&'a str, &'a str, &'a str, &'a str)> {
    let at = source.find(&format!(" {name}["))?;
    let line = source[..at].rfind('\n')? + 1;
    let kind = source[line..at].strip_prefix("static const ")?;
    let (_, rest) = source[at..].split_once("] = {\n")?;
    let (numbers, after) = rest.split_once(END)?;
    Some((&source[..line], kind, numbers, after))
}

/// What each symbol's name stands for.
fn symbols(source: &str) -> Result<Names<'_>, SourceError> {
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

fn put_bytes(made: &mut String, bytes: &[u8]) {
    *made += "static const uint8_t foveal_packed[] = {";
    for (at, byte) in bytes.iter().enumerate() {
        let _ = write!(made, "{}{byte},", if at % 32 == 0 { "\n" } else { "" });
    }
    *made += "\n};\n";
}
