//! Scans texts for the measures: their lines and their references.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Hashes of the lines and references of one text, without repetitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextScan {
    /// Lines in their normal forms, with and without a printed gutter.
    pub lines: Vec<u64>,
    /// Identifiers and paths.
    pub references: Vec<u64>,
}

impl TextScan {
    /// Scans `texts` as one.
    pub fn from_texts(texts: &[&str]) -> Self {
        let mut lines = Vec::new();
        let mut references = Vec::new();
        for text in texts {
            for line in text.split('\n') {
                for form in line_forms(line) {
                    lines.push(hash_text(form));
                }
            }
            for_each_reference(text, |reference| references.push(hash_text(reference)));
        }
        for hashes in [&mut lines, &mut references] {
            hashes.sort_unstable();
            hashes.dedup();
            // Stored as long as the conversation; a vector may have twice the needed capacity.
            hashes.shrink_to_fit();
        }
        Self { lines, references }
    }
}

/// The fewest letters and digits of a line that counts: braces and blank lines carry no evidence.
const LINE_ALPHANUMERICS_MIN: usize = 4;

fn has_enough_letters(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).nth(LINE_ALPHANUMERICS_MIN - 1).is_some()
}

/// Returns the normal forms of a printed line: without a gutter that is certain to be one (`12→`,
/// `12<tab>`); otherwise trimmed, and trimmed after a possible gutter (`12:`, `12-`, `12|`,
/// `path:12:`, `path-12-`).
fn line_forms(line: &str) -> impl Iterator<Item = &str> {
    let trimmed = line.trim();
    let (first, second) = match strip_gutter(trimmed) {
        Some(bare) => (bare.trim(), None),
        None => {
            let bare = strip_line_number(trimmed).or_else(|| strip_hit_prefix(trimmed));
            (trimmed, bare.map(str::trim))
        }
    };
    std::iter::once(first).chain(second).filter(|form| has_enough_letters(form))
}

fn strip_gutter(trimmed: &str) -> Option<&str> {
    let rest = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() < trimmed.len() { rest.strip_prefix(['→', '\t']) } else { None }
}

fn strip_line_number(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() {
        return None;
    }
    let rest = rest.trim_start_matches(' ');
    rest.strip_prefix(['→', ':', '-', '|', '\t'])
}

/// Returns the text after `path:12:` or `path-12-`, the forms in which searches print hits and
/// context.
fn strip_hit_prefix(line: &str) -> Option<&str> {
    let head = line.split(' ').next().unwrap_or_default();
    let marks = head.char_indices().filter(|(_, c)| matches!(c, ':' | '-'));
    marks.map(|(at, _)| &line[at + 1..]).find_map(|rest| {
        let bare = strip_line_number(rest)?;
        // A number inside a path is no line number: both marks have to be equal.
        let mark = line.as_bytes()[line.len() - rest.len() - 1];
        (line.as_bytes()[line.len() - bare.len() - 1] == mark).then_some(bare)
    })
}

/// Returns the hash of the line's normal form, if it counts as evidence: trimmed, and without a
/// gutter number that the model copied (`12→`, `12<tab>`).
pub fn evidence_line_hash(line: &str) -> Option<u64> {
    let trimmed = line.trim();
    let form = strip_gutter(trimmed).unwrap_or(trimmed).trim();
    has_enough_letters(form).then(|| hash_text(form))
}

/// Returns the hash of a normal form.
pub fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Calls `found` for every identifier and path in `text`.
///
/// An identifier is a run of at least 4 letters, digits and underscores that starts with a letter
/// or underscore. To tell it from a plain word, it needs an underscore between two other
/// characters, a capital after a small letter, or a digit after a letter. A path is a run of
/// letters, digits and `_-./@+` with a slash between two other characters; surrounding dots and
/// slashes do not count.
pub fn for_each_reference(text: &str, mut found: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_path_byte(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_path_byte(bytes[at]) {
            at += 1;
        }
        let run = &text[start..at];
        if let Some(path) = parse_path(run) {
            found(path);
        }
        for word in run.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if is_identifier(word) {
                found(word);
            }
        }
    }
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'@' | b'+')
}

fn parse_path(run: &str) -> Option<&str> {
    let path = run.trim_matches(['.', '/', '-', '@', '+']);
    let parts = path.split('/').filter(|part| !part.is_empty()).count();
    let letters = path.bytes().any(|byte| byte.is_ascii_alphabetic());
    (parts >= 2 && letters && path.len() >= 4).then_some(path)
}

fn is_identifier(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() < 4 || bytes[0].is_ascii_digit() {
        return false;
    }
    let inner = word.trim_matches('_').contains('_');
    let turns = bytes.windows(2).any(|pair| {
        (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            || (pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit())
    });
    inner || turns
}

#[cfg(test)]
mod tests;
