//! Lines with their numbers in front (`12→`, `12:`, `  12 | `) or after the name of their file
//! (`a.yml:12:`, `a.yml-12-`, `a.yml:`), as listings and searches print them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{CaptureLocations, Regex};

use crate::bytes_regex::compile;
use crate::mapped_text::{MappedText, line_ranges};

/// The number of lines without a number after a numbered one: some listings number every tenth line
/// only, and diffs leave removed lines without a number.
const BARE_LINES_MAX: usize = 16;

/// The bytes of a line that are examined.
const FRONT_BYTES_MAX: usize = 224;

/// The characters of a line that may end a name.
const NAME_ENDS_MAX: usize = 16;

/// The front of a line: a number with a separator, a number before a diff mark, or a name with a
/// number.
const NUMBER: &str = r#"( {0,12}L?[0-9]{1,9}(?:[\t:-]|→| {0,4}(?:\||│) ?))|( {0,12}[0-9]{1,9} )[ +-][ \r\n]|([^\s:"'`(){}<>\[\],;=]*?[./\\][^\s:"'`(){}<>\[\],;=]*?(?::[0-9]{1,9}:|-[0-9]{1,9}-))"#;

/// A file name.
const NAME: &str = r#"([^\s:"'`(){}<>\[\],;=]*[./\\][^\s:"'`(){}<>\[\],;=]*):"#;

static FRONT: LazyLock<Regex> = LazyLock::new(|| compile(&format!("(?m)^(?:{NUMBER}|{NAME})")));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^(?:{NUMBER})")));
static NAMED: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^{NAME}")));

/// The front of a removed line, which has no number.
const REMOVED_LINE_FRONT: &[u8] = b"      - ";

/// Returns the lines of a text that have numbers or names, without these, and some of the lines
/// after them.
pub(crate) fn strip_gutters(text: &[u8]) -> Vec<MappedText> {
    if !FRONT.is_match(text) {
        return Vec::new();
    }
    let lines = line_ranges(text);
    let head = |line: &Range<usize>| &text[line.start..line.end.min(line.start + FRONT_BYTES_MAX)];
    let mut names: HashMap<&[u8], usize> = HashMap::new();
    for line in &lines {
        if let Some(name) = NAMED.captures(head(line)).and_then(|groups| groups.get(1)) {
            *names.entry(name.as_bytes()).or_default() += 1;
        }
    }
    let mut reading = MappedText::default();
    let mut groups = NUMBERED.capture_locations();
    // Lines before the first number are skipped.
    let mut bare = BARE_LINES_MAX;
    for line in lines {
        let skip = front_length(head(&line), &names, &mut groups);
        bare = if skip > 0 { 0 } else { bare + 1 };
        if bare <= BARE_LINES_MAX {
            let is_removed = skip == 0 && text[line.clone()].starts_with(REMOVED_LINE_FRONT);
            let skip = if is_removed { REMOVED_LINE_FRONT.len() - 2 } else { skip };
            reading.push(text, line.start + skip..line.end);
        }
    }
    if reading.text.is_empty() { Vec::new() } else { vec![reading] }
}

/// Returns the length of the front of a line. A name without a number counts if it has a folder, or
/// if other lines have it too.
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
