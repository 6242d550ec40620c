//! Lines with their numbers in front (`12→`, `12:`, `  12 | `) or behind the name of their file
//! (`a.yml:12:`, `a.yml-12-`, `a.yml:`), as listings and searches show them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{CaptureLocations, Regex};

use crate::pattern::compile;
use crate::reading::{Reading, lines};

/// Lines without a number behind one that has one: where only every tenth is told, and the lines
/// that were removed in a difference.
const BARE_LINES_MAX: usize = 16;

/// Bytes of a line that are looked at.
const FRONT_BYTES_MAX: usize = 224;

/// Signs of a line that may end a name.
const NAME_ENDS_MAX: usize = 16;

/// The front of a line: a number with a mark, a number before the mark of a difference, a
/// name with a number.
const NUMBER: &str = r#"( {0,12}L?[0-9]{1,9}(?:[\t:-]|→| {0,4}(?:\||│) ?))|( {0,12}[0-9]{1,9} )[ +-][ \r\n]|([^\s:"'`(){}<>\[\],;=]*?[./\\][^\s:"'`(){}<>\[\],;=]*?(?::[0-9]{1,9}:|-[0-9]{1,9}-))"#;

/// A name of a file.
const NAME: &str = r#"([^\s:"'`(){}<>\[\],;=]*[./\\][^\s:"'`(){}<>\[\],;=]*):"#;

static FRONT: LazyLock<Regex> = LazyLock::new(|| compile(&format!("(?m)^(?:{NUMBER}|{NAME})")));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^(?:{NUMBER})")));
static NAMED: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^{NAME}")));

/// The front of a line without a number where others have one.
const NO_NUMBER: &[u8] = b"      - ";

/// The lines of a text that have numbers or names, without them, and some of those behind.
pub(crate) fn readings(text: &[u8]) -> Vec<Reading> {
    if !FRONT.is_match(text) {
        return Vec::new();
    }
    let lines = lines(text);
    let head = |line: &Range<usize>| &text[line.start..line.end.min(line.start + FRONT_BYTES_MAX)];
    let mut names: HashMap<&[u8], usize> = HashMap::new();
    for line in &lines {
        if let Some(name) = NAMED.captures(head(line)).and_then(|groups| groups.get(1)) {
            *names.entry(name.as_bytes()).or_default() += 1;
        }
    }
    let mut reading = Reading::default();
    let mut groups = NUMBERED.capture_locations();
    // Before the first number there is nothing to be read without one.
    let mut bare = BARE_LINES_MAX;
    for line in lines {
        let skip = front_length(head(&line), &names, &mut groups);
        bare = if skip > 0 { 0 } else { bare + 1 };
        if bare <= BARE_LINES_MAX {
            let is_removed = skip == 0 && text[line.clone()].starts_with(NO_NUMBER);
            let skip = if is_removed { NO_NUMBER.len() - 2 } else { skip };
            reading.push(text, line.start + skip..line.end);
        }
    }
    if reading.text.is_empty() { Vec::new() } else { vec![reading] }
}

/// Bytes of the front of a line. A name without a number counts if it has a folder, or if other
/// lines have it too.
fn front_length(
    line: &[u8],
    names: &HashMap<&[u8], usize>,
    groups: &mut CaptureLocations,
) -> usize {
    if NUMBERED.captures_read(groups, line).is_some() {
        return (1..groups.len()).find_map(|at| groups.get(at)).map_or(0, |(_, end)| end);
    }
    let ends = line.iter().enumerate().filter(|(_, sign)| matches!(sign, b':' | b'-'));
    let is_name = |at: &usize| {
        let name = &line[..*at];
        let count = names.get(name).copied().unwrap_or_default();
        count > 0 && (line[*at] == b'-' || count > 1 || name.contains(&b'/'))
    };
    ends.map(|(at, _)| at).take(NAME_ENDS_MAX).find(is_name).map_or(0, |at| at + 1)
}
