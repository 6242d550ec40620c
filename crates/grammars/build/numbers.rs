//! The tables of a generated parser as numbers of 16 bits, read from their C source.

use std::collections::HashMap;

use crate::parser_source::SourceError;

/// What names of symbols stand for.
pub(crate) type Names<'a> = HashMap<&'a str, usize>;

/// `7`, `STATE(7)`, `ACTIONS(7)`, `SMALL_STATE(7)` or a symbol's name.
fn number(text: &str, names: &Names<'_>) -> Result<usize, SourceError> {
    let inner = match text.split_once('(') {
        Some(("STATE" | "ACTIONS" | "SMALL_STATE", rest)) => rest.strip_suffix(')').unwrap_or(rest),
        _ => text,
    };
    let known = names.get(inner).copied().or_else(|| inner.parse().ok());
    known.ok_or_else(|| SourceError::Number(text.to_owned()))
}

fn short(number: usize) -> Result<u16, SourceError> {
    u16::try_from(number).map_err(|_| SourceError::Place)
}

/// Lines of `[place] = value`: the place, and the value as text.
fn placed<'a>(
    body: &'a str,
    names: &Names<'_>,
) -> impl Iterator<Item = Result<(usize, &'a str), SourceError>> {
    body.lines().filter_map(|line| line.trim().split_once("] = ")).map(move |(place, value)| {
        Ok((number(place.trim_start_matches('['), names)?, value.trim_end_matches(',')))
    })
}

/// Rows of `[symbol] = number`, each row in braces behind its own number.
pub(crate) fn dense(
    body: &str,
    names: &Names<'_>,
    rows: usize,
    width: usize,
) -> Result<Vec<u16>, SourceError> {
    let mut table = vec![0; rows * width];
    let mut row = 0;
    for one in placed(body, names) {
        let (place, value) = one?;
        if value == "{" {
            row = place;
            continue;
        }
        let inside = place < width && row < rows;
        let cell = table.get_mut(row * width + place).filter(|_| inside);
        *cell.ok_or(SourceError::Place)? = short(number(value, names)?)?;
    }
    Ok(table)
}

/// Numbers in order; `[place] = ` before one says what place it has.
pub(crate) fn sparse(body: &str, names: &Names<'_>) -> Result<Vec<u16>, SourceError> {
    let mut table = Vec::new();
    for line in body.lines() {
        let mut rest = line.trim();
        if let Some((place, values)) = rest.split_once("] = ") {
            if number(place.trim_start_matches('['), names)? != table.len() {
                return Err(SourceError::Place);
            }
            rest = values;
        }
        for value in rest.split(',').map(str::trim).filter(|value| !value.is_empty()) {
            table.push(short(number(value, names)?)?);
        }
    }
    Ok(table)
}

/// Numbers for the states from `first` on, each as what it has more than the one before.
pub(crate) fn rising(body: &str, first: usize) -> Result<Vec<u16>, SourceError> {
    let mut table = Vec::new();
    let mut before = 0;
    for one in placed(body, &Names::new()) {
        let (place, value) = one?;
        let value = number(value, &Names::new())?;
        if place != first + table.len() {
            return Err(SourceError::Place);
        }
        table.push(short(value.checked_sub(before).ok_or(SourceError::Place)?)?);
        before = value;
    }
    Ok(table)
}

/// `[place] = number`, each as what it has more than its place.
pub(crate) fn near_their_places(body: &str, states: usize) -> Result<Vec<u16>, SourceError> {
    let more = |value: u16, place: usize| short(place).map(|place| value.wrapping_sub(place));
    let mut table = (0..states).map(|place| more(0, place)).collect::<Result<Vec<_>, _>>()?;
    for one in placed(body, &Names::new()) {
        let (place, value) = one?;
        let value = short(number(value, &Names::new())?)?;
        *table.get_mut(place).ok_or(SourceError::Place)? = more(value, place)?;
    }
    Ok(table)
}

/// The lexer's state for each state of the parser: two numbers, or three where there are reserved
/// words.
pub(crate) fn modes(body: &str, states: usize, kind: &str) -> Result<Vec<u16>, SourceError> {
    const FIELDS: &[&str] = &[".lex_state", ".external_lex_state", ".reserved_word_set_id"];
    let width = match kind {
        "TSLexMode" => 2,
        "TSLexerMode" => 3,
        _ => return Err(SourceError::Number(kind.to_owned())),
    };
    let mut table = vec![0; states * width];
    for one in placed(body, &Names::new()) {
        let (place, value) = one?;
        let unknown = || SourceError::Number(value.to_owned());
        let row = table.get_mut(place * width..(place + 1) * width).ok_or(SourceError::Place)?;
        let inner = value.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
        for field in inner.ok_or_else(unknown)?.split(',').map(str::trim) {
            if field == "(TSStateId)(-1)" {
                row[0] = u16::MAX;
            } else if let Some((name, number)) = field.split_once(" = ") {
                let at = FIELDS.iter().position(|field| *field == name).ok_or_else(unknown)?;
                *row.get_mut(at).ok_or_else(unknown)? = number.parse().map_err(|_| unknown())?;
            } else if !field.is_empty() {
                return Err(unknown());
            }
        }
    }
    Ok(table)
}

/// Lists of actions, four numbers for each action and for what stands before a list. The low three
/// bits of the first say which, as `foveal_make_actions` in `unpack.h` reads them.
pub(crate) fn actions(body: &str, names: &Names<'_>) -> Result<Vec<u16>, SourceError> {
    let mut table = Vec::new();
    for one in placed(body, names) {
        let (place, value) = one?;
        let unknown = || SourceError::Number(value.to_owned());
        if 4 * place != table.len() {
            return Err(SourceError::Place);
        }
        let about = value.strip_prefix("{.entry = {.count = ").ok_or_else(unknown)?;
        let (count, rest) = about.split_once(", .reusable = ").ok_or_else(unknown)?;
        let (reusable, mut rest) = rest.split_once("}}").ok_or_else(unknown)?;
        let count: u8 = count.parse().map_err(|_| unknown())?;
        table.extend([u16::from(reusable == "true") << 3, u16::from(count), 0, 0]);
        let mut found = 0;
        while let Some((name, behind)) = rest.split_once('(') {
            let (arguments, behind) = behind.split_once(')').ok_or_else(unknown)?;
            let name = name.trim_start_matches([',', ' ']);
            table.extend(action(name, arguments, names).ok_or_else(unknown)?);
            rest = behind;
            found += 1;
        }
        if found != count || !rest.trim_matches([',', ' ']).is_empty() {
            return Err(unknown());
        }
    }
    Ok(table)
}

fn action(name: &str, arguments: &str, names: &Names<'_>) -> Option<[u16; 4]> {
    let mut arguments = arguments.split(',').map(str::trim);
    let made = match name {
        "SHIFT" => [1, arguments.next()?.parse().ok()?, 0, 0],
        "SHIFT_EXTRA" => [1, 0, 1, 0],
        "SHIFT_REPEAT" => [1, arguments.next()?.parse().ok()?, 0, 1],
        "REDUCE" => {
            let symbol = short(number(arguments.next()?, names).ok()?).ok()?;
            let children: u8 = arguments.next()?.parse().ok()?;
            let precedence: i16 = arguments.next()?.parse().ok()?;
            let production = arguments.next()?.parse().ok()?;
            [2 | u16::from(children) << 3, symbol, precedence.cast_unsigned(), production]
        }
        "ACCEPT_INPUT" => [3, 0, 0, 0],
        "RECOVER" => [4, 0, 0, 0],
        _ => return None,
    };
    arguments.all(str::is_empty).then_some(made)
}
