//! The text that a shaped result stands for, line by line beside what it was made of.

use super::note::{Note, Standing};

/// A note with the lines of the original in whose place it stands.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) note: Note,
    /// The original's lines.
    pub(crate) lines: Vec<String>,
    /// The number of the first of them in the original, from 1.
    pub(crate) first: usize,
}

/// Puts a shaped text beside its original.
///
/// # Errors
///
/// A line of the shaped text that stands nowhere in the original, or not where the note before it
/// says.
pub(crate) fn restore(shaped: &str, original: &str) -> Result<Vec<Place>, String> {
    let original: Vec<&str> = original.lines().collect();
    let mut places: Vec<Place> = Vec::new();
    let (mut next, mut heading) = (0, None::<&str>);
    let shaped: Vec<&str> = shaped.lines().collect();
    for (at, line) in shaped.iter().enumerate() {
        if original.get(next).is_some_and(|of| is_same(line, of, heading)) {
            next += 1;
            continue;
        }
        if let Some(note) = Note::parse(line) {
            let count = match note.standing {
                Standing::SameResult(_) => original.len() - next,
                // Hits under headings are counted, the lines between them are not.
                Standing::LeftOut(_) if note.count == 0 => {
                    let rest = original.get(next..).unwrap_or_default();
                    let after = shaped.get(at + 1).copied();
                    let found = |of: &&str| after.is_some_and(|line| is_same(line, of, heading));
                    rest.iter().position(found).unwrap_or(rest.len())
                }
                _ => note.count,
            };
            let is_hits = note.ranges.len() > 1 || note.file.is_some();
            let count = match is_hits {
                true => with_separators(original.get(next..).unwrap_or_default(), count),
                false => count,
            };
            let end = (next + count).min(original.len());
            // Behind the last line break, some notes count an empty line.
            if next + count > original.len() + 1 {
                return Err(format!(
                    "{}: only {} lines are left",
                    note.text,
                    original.len() - next
                ));
            }
            let lines = original[next..end].iter().map(|line| (*line).to_owned()).collect();
            places.push(Place { note, lines, first: next + 1 });
            next = end;
            continue;
        }
        // Groups of hits lose the lines between them.
        if original.get(next) == Some(&"--")
            && original.get(next + 1).is_some_and(|of| is_same(line, of, heading))
        {
            next += 2;
            continue;
        }
        let is_heading = original.get(next).is_some_and(|of| of.starts_with(&format!("{line}:")));
        if is_heading || is_cut(line, original.get(next).copied()) {
            heading = is_heading.then_some(line);
            next += usize::from(!is_heading);
            continue;
        }
        if line.trim().is_empty() && (at + 1 == shaped.len() || next == original.len()) {
            continue;
        }
        let before = places.last().map(|place| place.note.text.as_str()).unwrap_or("no note");
        let instead = original.get(next).copied().unwrap_or("the end");
        return Err(format!(
            "behind {before}: {line:?} in place of line {}, {instead:?}",
            next + 1
        ));
    }
    Ok(places)
}

/// How many lines so many hits are, lines between groups of them included.
fn with_separators(lines: &[&str], hits: usize) -> usize {
    let mut left = hits;
    let taken = lines.iter().take_while(|line| {
        let is_taken = left > 0;
        left = left.saturating_sub(usize::from(**line != "--"));
        is_taken
    });
    taken.count()
}

/// Whether a line is one of the original, but for a number before it.
fn is_same(line: &str, of: &str, heading: Option<&str>) -> bool {
    line == of
        || without_number(of) == line
        || (without_number(of) == without_number(line) && number(of) == number(line))
        || heading.is_some_and(|file| {
            of.strip_prefix(file).and_then(|of| of.strip_prefix([':', '-'])) == Some(line)
        })
}

/// Whether the middle of the line is left out.
fn is_cut(line: &str, of: Option<&str>) -> bool {
    let Some((of, (head, rest))) = of.zip(line.split_once("[… ")) else { return false };
    let Some((note, tail)) = rest.split_once(']') else { return false };
    note.contains("left out") && of.starts_with(head) && of.ends_with(tail)
}

/// The number before a line, as clients write it.
pub(crate) fn number(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let rest = &trimmed[digits..];
    let is_number = ["→", "\t", ": ", " | ", ":", "-"].iter().any(|mark| rest.starts_with(mark));
    trimmed[..digits].parse().ok().filter(|_| is_number || rest == " |")
}

/// A line without the number before it.
pub(crate) fn without_number(line: &str) -> &str {
    if number(line).is_none() {
        return line;
    }
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let marks = ["→", "\t", ": ", " | ", " |", ":", "-"];
    marks.iter().find_map(|mark| rest.strip_prefix(mark)).unwrap_or(rest)
}
