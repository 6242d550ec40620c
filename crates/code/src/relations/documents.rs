//! Names in documentation: what stands between back quotes, and qualified names.

/// Bytes of a line of prose that are looked at.
const LINE_BYTES_MAX: usize = 1_000;

/// Calls `take` with the qualifier and name of whatever `line` names.
///
/// Between back quotes every word is a name; elsewhere only one that is qualified by `::`,
/// or by a dot after a capital.
pub(super) fn named_in(line: &str, mut take: impl FnMut(Option<&str>, &str)) {
    let line = &line[..line.floor_char_boundary(LINE_BYTES_MAX.min(line.len()))];
    let mut quoted = false;
    let mut rest = line;
    loop {
        let end = rest.find('`').unwrap_or(rest.len());
        words(&rest[..end], |qualifier, name, called| {
            let is_path = qualifier.is_some_and(|(word, mark)| {
                mark == "::" || word.starts_with(char::is_uppercase) && (called || is_cased(name))
            });
            if quoted || is_path {
                take(qualifier.map(|(word, _)| word), name);
            }
        });
        if end == rest.len() {
            return;
        }
        rest = rest[end..].trim_start_matches('`');
        quoted = !quoted;
    }
}

/// A name that is no word of prose at the beginning of a sentence.
fn is_cased(name: &str) -> bool {
    name.contains('_') || name.chars().skip(1).any(char::is_uppercase)
}

/// Words of three letters or more with the word before them and what joins the two, and
/// whether a bracket follows.
fn words<'a>(text: &'a str, mut take: impl FnMut(Option<(&'a str, &'a str)>, &'a str, bool)) {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut before: Option<&str> = None;
    let mut rest = text;
    while let Some(from) = rest.find(is_letter) {
        let mark = &rest[..from];
        let length = rest[from..].find(|c| !is_letter(c)).unwrap_or(rest.len() - from);
        let word = &rest[from..from + length];
        rest = &rest[from + length..];
        let joined = before.filter(|_| matches!(mark, "." | "::" | "->" | "#"));
        let qualifier = joined.map(|word| (word, mark));
        if word.len() >= 3 && !word.starts_with(|c: char| c.is_ascii_digit()) {
            take(qualifier, word, rest.starts_with('('));
        }
        before = Some(word);
    }
}
