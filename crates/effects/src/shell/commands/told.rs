//! Whether a command says which program it runs.

use tree_sitter::Node;

use crate::shell::parse::text_of;
use crate::shell::starters::is_starter;
use crate::shell::word::{Word, is_shell, name_of};

/// Whether the words say which program is run: its name is written as it is, and a shell's
/// script is not what something else writes.
pub(super) fn is_told(words: &[Word], source: &str) -> bool {
    let mut waiting = words;
    while let Some((program, rest)) = waiting.split_first() {
        if program.expands || program.glob || program.text.contains('{') {
            return false;
        }
        let name = name_of(&program.text);
        let is_made = |word: &Word| word.text.starts_with("<(") || word.text == "/dev/stdin";
        match name {
            "alias" => return !rest.iter().any(|word| word.text.contains('=')),
            "." | "source" => return !rest.first().is_some_and(is_made),
            _ if runs_scripts(name) => {
                let has_script = rest.iter().any(|word| !word.text.starts_with('-'));
                let is_asked = rest.iter().any(|word| word.text.starts_with("--"));
                // Alone on its line it waits for what is typed.
                let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
                let is_alone = source.trim() == texts.join(" ");
                return !rest.iter().any(is_made) && (has_script || is_asked || is_alone);
            }
            "find" => return true,
            _ if is_starter(name) => waiting = started(rest),
            _ => return true,
        }
    }
    true
}

/// The words from the program on that a starter starts, if that is beyond doubt or expanded.
fn started(words: &[Word]) -> &[Word] {
    let is_flag = |word: &Word| word.text.starts_with('-') || word.text.contains('=');
    let at = words.iter().position(|word| !is_flag(word)).unwrap_or(words.len());
    let after_flag = at > 0 && words[at - 1].text.starts_with('-');
    let is_name = words.get(at).is_some_and(|word| {
        let is_first = word.expands && !after_flag;
        let name = name_of(&word.text);
        is_first || is_starter(name) || runs_scripts(name)
    });
    if is_name { &words[at..] } else { &[] }
}

/// Whether letters are written as numbers where they may name a program.
pub(super) fn has_odd_letters(node: Node<'_>, source: &str) -> bool {
    let is_odd = |text: &str| text.contains("$'") && text.contains('\\');
    let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, source)) else {
        return false;
    };
    let program = name_of(name);
    let runs = is_starter(program) || runs_scripts(program) || program == "eval";
    is_odd(if runs { text_of(node, source) } else { name })
}

/// Whether the program takes command lines as words or as input.
pub(super) fn runs_scripts(name: &str) -> bool {
    is_shell(name) || matches!(name, "ash" | "csh" | "mksh" | "rbash" | "tcsh")
}
