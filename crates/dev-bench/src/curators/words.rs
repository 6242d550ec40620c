//! Splits code and prose into words, for comparison.

/// Returns the words of a text in lower case: every identifier, and its parts if it has several
/// (`parseHTTPHeader2` is also `parse`, `http`, `header` and `2`).
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for identifier in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let parts = identifier_parts(identifier);
        let whole = identifier.trim_matches('_').to_lowercase();
        if parts.len() > 1 {
            words.push(whole);
        }
        words.extend(parts.into_iter().map(str::to_lowercase));
    }
    words
}

/// Splits an identifier at underscores, where lower case turns into upper case, before the last
/// capital of a run that lower case follows, and around digits.
fn identifier_parts(identifier: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = identifier.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut cut = |end: usize, next: usize| {
        if start < end {
            parts.push(&identifier[start..end]);
        }
        start = next;
    };
    for (at, (place, letter)) in letters.iter().copied().enumerate() {
        if letter == '_' {
            cut(place, place + 1);
            continue;
        }
        let Some((_, before)) = at.checked_sub(1).map(|at| letters[at]) else { continue };
        let next = letters.get(at + 1).map(|(_, next)| *next);
        let rises = before.is_lowercase() && letter.is_uppercase();
        let ends_run =
            before.is_uppercase() && letter.is_uppercase() && next.is_some_and(char::is_lowercase);
        let digits = before != '_' && before.is_numeric() != letter.is_numeric();
        if rises || ends_run || digits {
            cut(place, place);
        }
    }
    cut(identifier.len(), identifier.len());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split() {
        for (text, expected) in [
            ("", ""),
            ("a plain word.", "a plain word"),
            ("fooBar(baz_qux)", "foobar foo bar baz_qux baz qux"),
            ("HTTPServer parseHTTP", "httpserver http server parsehttp parse http"),
            ("utf8Len", "utf8len utf 8 len"),
            ("__init__ _x", "init x"),
            ("Straße größeWert", "straße größewert größe wert"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
