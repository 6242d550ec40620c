//! Names in documentation: words between back quotes, and qualified names.

/// The number of bytes of a line of prose that are searched.
const LINE_BYTES_MAX: usize = 1_000;

/// Calls `take` with the qualifier and the name of each name in `line`.
///
/// Between back quotes every word is a name. Elsewhere a name needs a qualifier: before `::`, or
/// before a dot if it begins with a capital.
pub(super) fn for_each_doc_name(line: &str, mut take: impl FnMut(Option<&str>, &str)) {
    let line = &line[..line.floor_char_boundary(LINE_BYTES_MAX.min(line.len()))];
    let mut quoted = false;
    let mut rest = line;
    loop {
        let end = rest.find('`').unwrap_or(rest.len());
        for_each_qualified_word(&rest[..end], |qualifier, name, called| {
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

/// Returns whether a word is cased like an identifier, beyond a capital at its start.
fn is_cased(name: &str) -> bool {
    name.contains('_') || name.chars().skip(1).any(char::is_uppercase)
}

/// Calls `take` with each word of three bytes or more, the word joined before it and the separator
/// between them, and whether a bracket follows.
fn for_each_qualified_word<'a>(
    text: &'a str,
    mut take: impl FnMut(Option<(&'a str, &'a str)>, &'a str, bool),
) {
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
