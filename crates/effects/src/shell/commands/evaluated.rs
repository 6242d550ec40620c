//! What a shell evaluates a second time, or runs from words of its own builtins, so that a line
//! does more than its commands show: `printf -v 'a[$(rm x)]'`, `${x@P}`, `mapfile -C`, `hash -p`.

use tree_sitter::Node;

use crate::shell::parse::text_of;
use crate::shell::read::words_of;
use crate::shell::word::Word;

/// Variables that say which programs a shell runs, or what it runs beside them.
const RULING: &[&str] = &[
    "BASHOPTS",
    "BASH_ALIASES",
    "BASH_CMDS",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "SHELLOPTS",
];
/// The same by their beginning.
const RULING_PREFIXES: &[&str] = &["BASH_FUNC_", "DYLD_", "LD_"];

/// Builtins that run some of their words, or replace what a name runs.
const RUNNING: &[&str] = &["bind", "compgen", "complete", "compopt", "enable", "fc"];
/// Builtins that take words for names of variables, whose subscripts they evaluate.
const NAMING: &[&str] = &["getopts", "let", "mapfile", "read", "readarray", "unset", "wait"];

/// Whether a line does, by the rules of this module, more than its commands show.
pub(super) fn does_more(root: Node<'_>, source: &str) -> bool {
    let mut line = Line { source, evaluates: false, hides: false, reads: false, quotes: false };
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if line.runs_more(node) {
            return true;
        }
        line.note(node);
        let mut cursor = node.walk();
        waiting.extend(node.named_children(&mut cursor));
    }
    line.evaluates && (line.hides || line.reads && line.quotes)
}

/// What is known of a line so far.
struct Line<'a> {
    source: &'a str,
    /// A value is taken for an expression.
    evaluates: bool,
    /// Quotes keep a substitution from being made, which an expression would make.
    hides: bool,
    /// Its input is put into variables.
    reads: bool,
    /// A here-document holds a substitution that is not made.
    quotes: bool,
}

impl Line<'_> {
    /// Whether a node alone runs more than it shows.
    fn runs_more(&self, node: Node<'_>) -> bool {
        let text = text_of(node, self.source);
        match node.kind() {
            // In backquotes a backslash makes backquotes of the next level.
            "command_substitution" => text.starts_with('`') && text.contains('\\'),
            "expansion" => text.contains("@P"),
            "variable_assignment" => {
                let name = text.split(['=', '[', '+']).next().unwrap_or_default();
                is_ruling(name) || hides_substitution(node, self.source)
            }
            "declaration_command" => {
                text.split([' ', '\t', '\n', '\'', '"']).any(|word| {
                    let name = word.split('=').next().unwrap_or_default();
                    name == "PATH" || is_ruling(name)
                }) || hides_substitution(node, self.source)
            }
            "unset_command" => hides_substitution(node, self.source),
            "command" => runs_words(&words_of(node, self.source)),
            _ => false,
        }
    }

    fn note(&mut self, node: Node<'_>) {
        let text = text_of(node, self.source);
        match node.kind() {
            "arithmetic_expansion" | "c_style_for_statement" | "subscript" => self.evaluates = true,
            "test_command" => {
                let compares = |word: &str| {
                    matches!(word, "-v" | "-R" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
                };
                self.evaluates |= text.starts_with("((") || text.split_whitespace().any(compares);
            }
            "expansion" => self.evaluates |= text.starts_with("${!") || has_offset(text),
            "declaration_command" => {
                // Attributes of numbers and of names of other variables.
                let is_such = |word: &str| word.starts_with('-') && word.contains(['i', 'n']);
                self.evaluates |= text.split_whitespace().any(is_such);
            }
            "command" => {
                let words = words_of(node, self.source);
                let words = own(&words);
                let name = words.first().map(|word| word.text.as_str()).unwrap_or_default();
                let asks = |word: &Word| matches!(word.text.as_str(), "-v" | "-R");
                self.evaluates |=
                    name == "let" || (matches!(name, "printf" | "test") && words.iter().any(asks));
                self.reads |= matches!(name, "mapfile" | "read" | "readarray");
            }
            "raw_string" | "ansi_c_string" | "string" | "word" => {
                self.hides |= hides_here(node, self.source);
            }
            "heredoc_body" | "herestring_redirect" => {
                self.quotes |= text.contains("$(") || text.contains('`');
            }
            _ => {}
        }
    }
}

/// Whether a builtin runs some of its words, or evaluates one that is no plain name.
fn runs_words(words: &[Word]) -> bool {
    let Some((name, rest)) = own(words).split_first() else { return false };
    let is_flag = |word: &Word, letter: char| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letter)
    };
    match name.text.as_str() {
        builtin if RUNNING.contains(&builtin) => true,
        "hash" => rest.iter().any(|word| word.expands || is_flag(word, 'p')),
        "env" | "export" => rest
            .iter()
            .any(|word| word.text.split_once('=').is_some_and(|(name, _)| is_ruling(name))),
        "mapfile" | "readarray" if rest.iter().any(|word| is_flag(word, 'C')) => true,
        builtin if NAMING.contains(&builtin) => rest.iter().any(|word| !is_plain(word)),
        "printf" => match rest {
            [first, ..] if first.text.starts_with('$') => true,
            [first, name, ..] if first.text == "-v" => !is_plain(name),
            [first, ..] => first.text.starts_with("-v"),
            [] => false,
        },
        "test" => rest
            .windows(2)
            .any(|pair| matches!(pair[0].text.as_str(), "-v" | "-R") && !is_plain(&pair[1])),
        _ => false,
    }
}

/// The words from the builtin on, past what a shell starts builtins with.
fn own(words: &[Word]) -> &[Word] {
    let starts = |word: &Word| {
        matches!(word.text.as_str(), "builtin" | "command" | "coproc" | "time" | "-p" | "--")
    };
    let begin = words.iter().position(|word| !starts(word)).unwrap_or(words.len());
    &words[begin..]
}

/// Whether a word that names a variable names one that rules nothing, and nothing else.
fn is_plain(word: &Word) -> bool {
    let is_evaluated = word.expands || word.text.contains(['[', '`', '$']);
    !is_evaluated && !is_ruling(&word.text) && word.text != "PATH"
}

fn is_ruling(name: &str) -> bool {
    RULING.contains(&name) || RULING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// `${x:1}`, not `${x:-1}`: what stands there is an expression.
fn has_offset(expansion: &str) -> bool {
    let after = expansion.split_once(':').map(|(_, after)| after);
    after.is_some_and(|after| !after.starts_with(['-', '=', '+', '?']))
}

/// Whether below `node` quotes keep a substitution from being made.
fn hides_substitution(node: Node<'_>, source: &str) -> bool {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if hides_here(node, source) {
            return true;
        }
        // What a substitution runs is looked at by itself.
        if !matches!(node.kind(), "command_substitution" | "process_substitution") {
            let mut cursor = node.walk();
            waiting.extend(node.named_children(&mut cursor));
        }
    }
    false
}

fn hides_here(node: Node<'_>, source: &str) -> bool {
    let text = text_of(node, source);
    match node.kind() {
        "raw_string" => text.contains("$(") || text.contains('`'),
        "ansi_c_string" => has_code(text),
        "string" | "word" => text.contains("\\$") || text.contains("\\`"),
        _ => false,
    }
}

/// Whether a text in `$' … '` may stand for a substitution; letters may be written as numbers.
fn has_code(text: &str) -> bool {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_number =
            letter == '\\' && letters.next().is_some_and(|next| "xuU01234567".contains(next));
        if is_number || letter == '`' {
            return true;
        }
    }
    text.contains("$(")
}
