//! Recognises lines that look like definitions in any language, to name the subject of an edit.

/// Words that may stand before the keyword.
const MODIFIERS: [&str; 21] = [
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "final",
    "abstract",
    "unsafe",
    "const",
    "extern",
    "override",
    "virtual",
    "inline",
    "sealed",
    "open",
    "data",
    "declare",
];

/// Words that begin a definition.
const KEYWORDS: [&str; 15] = [
    "fn",
    "struct",
    "enum",
    "trait",
    "mod",
    "type",
    "class",
    "interface",
    "def",
    "func",
    "function",
    "fun",
    "union",
    "module",
    "namespace",
];

/// Words that may follow the name.
const FOLLOWERS: [&str; 6] = ["extends", "implements", "struct", "interface", "where", "for"];

/// Returns keyword and name (`fn parse`) of a line that looks like a definition.
pub(super) fn find_definition(line: &str) -> Option<String> {
    let mut rest = line.trim_start();
    loop {
        let word_end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let (word, after) = rest.split_at(word_end);
        if KEYWORDS.contains(&word) {
            return parse_definition_name(after).map(|name| format!("{word} {name}"));
        }
        if !MODIFIERS.contains(&word) {
            return None;
        }
        // `pub(crate)` and `extern "C"`.
        let after = after.trim_start();
        let after = skip_enclosed(after, '(', ')').or_else(|| skip_enclosed(after, '"', '"'));
        rest = after.unwrap_or(&rest[word_end..]).trim_start();
    }
}

fn skip_enclosed(text: &str, open: char, close: char) -> Option<&str> {
    let inner = text.strip_prefix(open)?;
    inner.find(close).map(|end| &inner[end + close.len_utf8()..])
}

/// Returns the name after a keyword, past the receiver of a Go method and a generator's star.
fn parse_definition_name(after: &str) -> Option<&str> {
    if !after.starts_with([' ', '\t', '*']) {
        return None;
    }
    let after = after.trim_start_matches([' ', '\t', '*']);
    let after = skip_enclosed(after, '(', ')').unwrap_or(after).trim_start();
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
    let name = &after[..end];
    // In a definition punctuation or a keyword follows the name; in prose other words do.
    let next = after[end..].trim_start();
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let follows = next.starts_with(['(', '<', '{', ':', '=', ';', '['])
        || next.is_empty()
        || FOLLOWERS.contains(&word);
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && follows).then_some(name)
}

#[cfg(test)]
mod tests;
