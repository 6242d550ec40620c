//! A second opinion beside the grammar: letters of a command, by the rules of quotes alone.

use std::ops::Range;

use tree_sitter::Node;

/// Where values are put in below `node`; what these run is read by itself.
pub(super) fn expansions(node: Node<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if matches!(
            node.kind(),
            "command_substitution"
                | "process_substitution"
                | "expansion"
                | "arithmetic_expansion"
                | "array"
        ) {
            found.push(node.byte_range());
            continue;
        }
        let mut cursor = node.walk();
        waiting.extend(node.named_children(&mut cursor));
    }
    found
}

/// The text of `range`, with `mark` in place of the `holes`.
pub(super) fn without(
    source: &str,
    range: Range<usize>,
    holes: &[Range<usize>],
    mark: &str,
) -> String {
    let mut holes: Vec<_> = holes.to_vec();
    holes.sort_unstable_by_key(|hole| hole.start);
    let mut text = String::new();
    let mut at = range.start;
    for hole in holes.into_iter().filter(|hole| hole.end <= range.end) {
        if hole.start < at {
            continue;
        }
        text.push_str(source.get(at..hole.start).unwrap_or_default());
        text.push_str(mark);
        at = hole.end;
    }
    text.push_str(source.get(at..range.end).unwrap_or_default());
    text
}

/// How a shell takes the next letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
    /// `$' … '`, in which a backslash escapes.
    Ansi,
}

/// Whether `text` is one command to a shell: all quotes are closed, and none of `operators`
/// stands outside of them.
pub(super) fn is_one(text: &str, operators: &str) -> bool {
    let mut quote = Quote::None;
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Quote::Single, '\'') | (Quote::Ansi, '\'') | (Quote::Double, '"') => {
                quote = Quote::None;
            }
            (Quote::Single, _) => {}
            (_, '\\') => drop(letters.next()),
            (Quote::Ansi, _) => {}
            (_, '`') => return false,
            (_, '$') if letters.peek() == Some(&'(') => return false,
            (Quote::Double, _) => {}
            (Quote::None, '\'') if before == '$' => quote = Quote::Ansi,
            (Quote::None, '\'') => quote = Quote::Single,
            (Quote::None, '"') => quote = Quote::Double,
            (Quote::None, letter) if operators.contains(letter) => return false,
            (Quote::None, _) => {}
        }
        before = letter;
    }
    quote == Quote::None
}

/// The text with one blank in place of several outside of quotes, and none at its ends.
pub(super) fn single_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut letters = text.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\\') if letters.peek() == Some(&'\n') => {
                letters.next();
            }
            (None | Some('"'), '\\') => {
                out.push(letter);
                out.extend(letters.next());
            }
            (None, ' ' | '\t') => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            (None, '\'' | '"') => {
                quote = Some(letter);
                out.push(letter);
            }
            (Some(open), letter) if open == letter => {
                quote = None;
                out.push(letter);
            }
            (_, letter) => out.push(letter),
        }
    }
    out
}
