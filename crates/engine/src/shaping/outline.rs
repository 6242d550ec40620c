//! Rule `outline`: an old read keeps the lines that define names.
//!
//! Uses indentation and the words that open definitions in common languages, so it needs no parser
//! and works for unknown languages, too.

use super::draft::ShapeDraft;

/// Words that open a definition, an import or a section.
const DEFINITION_WORDS: [&str; 38] = [
    "abstract",
    "async",
    "class",
    "const",
    "def",
    "defmodule",
    "enum",
    "export",
    "extern",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "import",
    "interface",
    "internal",
    "let",
    "macro_rules!",
    "mod",
    "module",
    "namespace",
    "object",
    "open",
    "override",
    "package",
    "private",
    "protected",
    "pub",
    "public",
    "record",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "use",
    "var",
];

/// Deepest indentation, in columns, at which a definition is kept.
const COLUMNS_MAX: usize = 8;

/// Returns whether a line of a file opens a definition, an import or a section.
pub fn is_definition_line(line: &str) -> bool {
    let text = line.trim_start();
    let columns: usize =
        line[..line.len() - text.len()].bytes().map(|b| if b == b'\t' { 4 } else { 1 }).sum();
    let Some(first) = text.chars().next() else { return false };
    if columns == 0 && (first == '#' || first.is_alphabetic() || first == '_' || first == '@') {
        return !text.starts_with("#!") && text.len() > 3;
    }
    let word = text.split([' ', '(', '<', '{', ':']).next().unwrap_or_default();
    // Inside bodies `let`, `const` and `var` are statements, not members.
    let member = !matches!(word, "let" | "const" | "var" | "use" | "import") || columns == 0;
    columns <= COLUMNS_MAX && member && DEFINITION_WORDS.contains(&word)
}

/// Returns for each line whether the outline keeps it.
pub fn outline_lines(draft: &ShapeDraft<'_>) -> Vec<bool> {
    (0..draft.len())
        .map(|at| draft.result_line(at).number.is_some() && is_definition_line(draft.line_text(at)))
        .collect()
}
