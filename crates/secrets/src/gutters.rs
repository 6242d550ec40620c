//! Lines with their numbers in front (`12→`, `12:`, `  12 | `) or behind the name of their file
//! (`a.yml:12:`, `a.yml-12-`, `a.yml:`), as listings and searches show them.

use crate::view::{View, any_line, lines};

/// Lines without a number behind one that has one: where only every tenth is told, and the lines
/// that were removed in a difference.
const BARE_LINES_MAX: usize = 16;

/// Blanks before a number, and its digits.
const BLANKS_MAX: usize = 12;
const DIGITS_MAX: usize = 9;

/// Blanks between a number and a bar.
const BAR_BLANKS_MAX: usize = 4;

/// Longest name of a file.
const NAME_BYTES_MAX: usize = 200;

/// What stands before the mark of a line without a number where others have one.
const NO_NUMBER: &[u8] = b"      - ";

/// The lines of a text that have numbers or names, without them, and some of those behind.
pub(crate) fn views(text: &[u8]) -> Vec<View> {
    // Most texts have none, which is told faster.
    let has_front = |line: &[u8]| number(line).is_some() || name(line).is_some();
    if !any_line(text, has_front) {
        return Vec::new();
    }
    let lines = lines(text);
    let bodies: Vec<&[u8]> = lines.iter().map(|line| &text[line.clone()]).collect();
    let mut skips: Vec<usize> = bodies
        .iter()
        .map(|line| number(line).or_else(|| named(line)).unwrap_or_default())
        .collect();
    skip_names(&bodies, &mut skips, 0..bodies.len());
    skip_names(&bodies, &mut skips, (0..bodies.len()).rev());
    for (skip, line) in skips.iter_mut().zip(&bodies).filter(|(skip, _)| **skip == 0) {
        *skip = in_folders(line).unwrap_or_default();
    }
    let mut view = View::default();
    // Before the first number there is nothing to be read without one.
    let mut bare = BARE_LINES_MAX;
    for (line, skip) in lines.into_iter().zip(skips) {
        bare = if skip > 0 { 0 } else { bare + 1 };
        if skip > 0 {
            view.push(text, line, skip);
        } else if bare <= BARE_LINES_MAX {
            let is_removed = text[line.clone()].starts_with(NO_NUMBER);
            view.push(text, line, if is_removed { NO_NUMBER.len() - 2 } else { 0 });
        }
    }
    (!view.is_empty()).then_some(view).into_iter().collect()
}

/// Bytes of the number in front of a line, with what ends it.
fn number(line: &[u8]) -> Option<usize> {
    let blanks = line.iter().take(BLANKS_MAX).take_while(|byte| **byte == b' ').count();
    let start = blanks + usize::from(line.get(blanks) == Some(&b'L'));
    let end = start + digits(line.get(start..)?)?;
    let rest = &line[end..];
    // The mark of a difference stands behind the number and a blank, and stays.
    if let [b' ', b' ' | b'+' | b'-', b' ' | b'\r' | b'\n', ..] = rest
        && bar(rest).is_none()
    {
        return Some(end + 1);
    }
    let ends = match rest {
        [b'\t' | b':' | b'-', ..] => Some(1),
        _ if rest.starts_with("→".as_bytes()) => Some("→".len()),
        _ => bar(rest),
    };
    ends.map(|ends| end + ends)
}

/// Bytes of blanks and a bar, and of the blank behind it.
fn bar(rest: &[u8]) -> Option<usize> {
    let blanks = rest.iter().take(BAR_BLANKS_MAX).take_while(|byte| **byte == b' ').count();
    let bars = ["|", "│"].map(str::as_bytes);
    let bar = bars.into_iter().find(|bar| rest[blanks..].starts_with(bar))?;
    let end = blanks + bar.len();
    Some(end + usize::from(rest.get(end) == Some(&b' ')))
}

/// How many digits a number has that begins the text.
fn digits(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take(DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
    (1..=DIGITS_MAX).contains(&digits).then_some(digits)
}

/// Bytes of the name of a file and a number in front of a line.
fn named(line: &[u8]) -> Option<usize> {
    let name = name(line)?;
    behind(line, name).filter(|skip| *skip > name.len() + 1)
}

/// Bytes of what may be the name of a file in folders, where no line beside it tells.
fn in_folders(line: &[u8]) -> Option<usize> {
    name(line).filter(|name| name.contains(&b'/')).map(|name| name.len() + 1)
}

/// The name of a file in front of a line, which a colon ends.
fn name(line: &[u8]) -> Option<&[u8]> {
    let is_sign = |byte: &&u8| byte.is_ascii_graphic() && !b":\"'`(){}<>[],;=".contains(byte);
    let name = &line[..line.iter().take(NAME_BYTES_MAX).take_while(is_sign).count()];
    let is_name = name.iter().any(|byte| matches!(byte, b'.' | b'/' | b'\\'));
    (is_name && line.get(name.len()) == Some(&b':')).then_some(name)
}

/// Bytes of `name` and of the number behind it in front of a line, if it stands there.
fn behind(line: &[u8], name: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(name)?;
    let mark = rest.first().filter(|mark| matches!(mark, b':' | b'-'))?;
    let number = digits(&rest[1..]).filter(|digits| rest.get(1 + digits) == Some(mark));
    Some(name.len() + 1 + number.map_or(0, |digits| digits + 1))
}

/// Skips names of files, where lines beside each other have the same, with and without a number.
fn skip_names(lines: &[&[u8]], skips: &mut [usize], order: impl Iterator<Item = usize>) {
    // The name, and the line that told it.
    let mut known: Option<(&[u8], usize)> = None;
    for at in order {
        let line = lines[at];
        let found = known.and_then(|(name, told)| Some((behind(line, name)?, name, told)));
        let Some((skip, name, told)) = found else {
            known = name(line).map(|name| (name, at));
            continue;
        };
        skips[at] = skips[at].max(skip);
        skips[told] = skips[told].max(behind(lines[told], name).unwrap_or_default());
    }
}
