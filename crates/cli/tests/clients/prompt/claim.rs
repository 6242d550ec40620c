//! What notes say of what stands above them.

use std::sync::LazyLock;

use regex::Regex;

use super::answer::Answer;
use super::lines::{file_of, is_numbered};

/// What a note says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Claim {
    /// These lines of a file stand above, at their own numbers or from `there` on.
    Lines { file: String, first: usize, last: usize, there: Option<usize> },
    /// Lines stand above somewhere, in an answer about that file.
    Somewhere { file: String, first: usize, last: usize },
    /// Lines of a file stand above as lines of another file, whose path ends in `elsewhere`.
    Elsewhere { file: String, first: usize, last: usize, elsewhere: String },
    /// So many lines of a file stand above, out of so many.
    Count { file: String, shown: usize, all: usize },
    /// The whole answer of an earlier call is the same.
    Result { call: String },
    /// So many lines are as in an earlier call.
    Same { lines: usize, call: String },
    /// So many lines are as in what was shown of a file, whose path ends in `elsewhere`.
    SameOf { lines: usize, elsewhere: String },
    /// The reminder of that name is as above, with blanks for what joins its words.
    Reminder { name: String },
    /// The test cannot read the note.
    Unread,
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

static NOTE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[[^\[\]]*\babove\b[^\[\]]*\]"));
/// Lines that are left out before a definition.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d+(-\d+)?: \d+ lines? above "));
static RESULT: LazyLock<Regex> = LazyLock::new(|| pattern(r"same result as `(.*)` above"));
static SAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d+) lines? above in (?:your )?(?:the (?:\d+\w\w )?last )?`(.*)`"));
static SAME_RANGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d+)-(\d+): above in (?:your )?(?:the (?:\d+\w\w )?last )?`(.*)`"));
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d+)-(\d+): above in ([^`\]]+)\]"));
static SAME_OF: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d+) lines? above in ([^`\]]+)\]"));
static REMINDER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[([a-z ]*reminder) as above\]$"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d+) of its (\d+) lines"));
static WHOLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"its (\d+) lines"));
static THERE: LazyLock<Regex> = LazyLock::new(|| pattern(r"same as (?:lines )?(\d+)"));
static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\d+)(?:-(\d+))?"));
static LEFT_OUT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^\[(\d+) lines?, \d+ bytes left out; (?:foveal )?expand ([0-9a-f]+)\]$")
});

/// How many lines a note stands for, and the handle by which they come back.
pub(crate) fn left_out(line: &str) -> Option<(usize, &str)> {
    let parts = LEFT_OUT.captures(line)?;
    Some((parts[1].parse().ok()?, parts.get(2)?.as_str()))
}

/// The notes of an answer that point at what stands above, with what they say.
pub(crate) fn claims(answer: &Answer<'_>) -> Vec<(String, Vec<Claim>)> {
    let lines = answer.text.lines().filter(|line| !is_numbered(line));
    let notes = lines.flat_map(|line| NOTE.find_iter(line).map(|note| note.as_str().to_owned()));
    let notes = notes.filter(|note| !BEFORE.is_match(note.trim_start_matches('[')));
    notes.map(|note| (note.clone(), read(answer, &note))).collect()
}

/// A text with the lines of the file in the place of each note that stands for them; `None` if
/// it has other notes.
pub(crate) fn with_lines(answer: &Answer<'_>, text: &str) -> Option<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        match NOTE.find(line) {
            Some(note) => {
                for claim in read(answer, note.as_str()) {
                    let (Claim::Lines { file, first, last, .. }
                    | Claim::Elsewhere { file, first, last, .. }
                    | Claim::Somewhere { file, first, last }) = claim
                    else {
                        return None;
                    };
                    let all: Vec<&str> = answer.files.get(&file)?.lines().collect();
                    lines.extend_from_slice(all.get(first.checked_sub(1)?..last)?);
                }
            }
            None if line.starts_with('[') => return None,
            None => lines.push(line),
        }
    }
    Some(lines.join("\n"))
}

fn read(answer: &Answer<'_>, note: &str) -> Vec<Claim> {
    let number = |text: &str| text.parse::<usize>().unwrap_or(0);
    if let Some(parts) = RESULT.captures(note) {
        return vec![Claim::Result { call: parts[1].to_owned() }];
    }
    if let Some(parts) = SAME.captures(note) {
        return vec![Claim::Same { lines: number(&parts[1]), call: parts[2].to_owned() }];
    }
    if let Some(parts) = SAME_OF.captures(note) {
        return vec![Claim::SameOf { lines: number(&parts[1]), elsewhere: parts[2].to_owned() }];
    }
    if let Some(parts) = REMINDER.captures(note) {
        return vec![Claim::Reminder { name: parts[1].to_owned() }];
    }
    if let Some(parts) = SAME_RANGE.captures(note) {
        let lines = number(&parts[2]) + 1 - number(&parts[1]);
        return vec![Claim::Same { lines, call: parts[3].to_owned() }];
    }
    if let Some((parts, file)) = ELSEWHERE.captures(note).zip(file_of(answer)) {
        let (first, last, elsewhere) = (number(&parts[1]), number(&parts[2]), parts[3].to_owned());
        return vec![Claim::Elsewhere { file, first, last, elsewhere }];
    }
    let named = answer.files.keys().filter(|file| note.contains(*file)).max_by_key(|f| f.len());
    let Some(file) = named.cloned().or_else(|| file_of(answer)) else {
        return vec![Claim::Unread];
    };
    let rest = note.replace(&file, "");
    if let Some(parts) = COUNT.captures(&rest) {
        return vec![Claim::Count { file, shown: number(&parts[1]), all: number(&parts[2]) }];
    }
    if let Some(parts) = WHOLE.captures(&rest) {
        return vec![Claim::Lines { file, first: 1, last: number(&parts[1]), there: None }];
    }
    let there = THERE.captures(&rest).map(|parts| number(&parts[1]));
    // Lines of an unchanged version may stand under the numbers that they had before an edit.
    let is_moved = rest.contains("unchanged");
    let is_own = there.is_some() || rest.contains("as above") || rest.contains(',');
    let is_own = is_own && !is_moved;
    let end = rest.find(['s', 'u']).unwrap_or(rest.len());
    let ranges = RANGE.captures_iter(&rest[..end]).map(|parts| {
        let first = number(&parts[1]);
        let last = parts.get(2).map_or(first, |last| number(last.as_str()));
        match is_own {
            true => Claim::Lines { file: file.clone(), first, last, there },
            false => Claim::Somewhere { file: file.clone(), first, last },
        }
    });
    let claims: Vec<Claim> = ranges.collect();
    if claims.is_empty() { vec![Claim::Unread] } else { claims }
}
