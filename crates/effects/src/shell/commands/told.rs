//! Whether a command says which program it runs.

use tree_sitter::Node;

use super::loose::Made;
use super::options::{Handed, loose_options, makes_options, parallel_runs_more, run_more};
use crate::shell::parse::text_of;
use crate::shell::starters::{
    commands_of_find, is_feeder, is_starter, places_before_program, takes_lines, takes_value,
};
use crate::shell::word::{Loose, Word, is_assignment, is_shell, name_of};

/// Words of a starter that are looked at where its flags are not known.
const WORDS_MAX: usize = 16;

/// Calls of `find` and `xargs` that hand to one another.
const HANDING_MAX: u8 = 16;

/// Options of shells that take the next word.
const SHELL_VALUES: &[&str] = &["-o", "+o", "-O", "+O", "--rcfile", "--init-file"];

/// Whether the words say which program is run: its name is written as it is, and a shell's
/// script is not what something else writes; and what they leave to names of files, or to anything,
/// because a word may become an option by which the program runs others. `typed` is the whole
/// line, if it is one that nothing else gives its input to; `fed` is what stands in the input.
pub(super) fn untold(words: &[Word], typed: &str, fed: Made) -> Loose {
    Asked { typed, fed, left: HANDING_MAX }.untold(words, None)
}

/// What is asked of a command.
#[derive(Clone, Copy)]
struct Asked<'a> {
    typed: &'a str,
    fed: Made,
    /// So many more programs may be handed to.
    left: u8,
}

fn unless(is_told: bool) -> Loose {
    if is_told { Loose::Not } else { Loose::Anything }
}

impl Asked<'_> {
    /// The same, of what is handed so by a feeder.
    fn untold(self, words: &[Word], handed: Option<&Handed>) -> Loose {
        let mut waiting = words;
        while let Some((program, rest)) = waiting.split_first() {
            if !program.is_written() {
                return Loose::Anything;
            }
            let name = name_of(&program.text);
            match name {
                "alias" => {
                    return unless(
                        !rest.iter().any(|word| word.expands || word.text.contains('=')),
                    );
                }
                "eval" | "trap" => return unless(!rest.iter().any(holds_code)),
                "." | "source" => return unless(!rest.iter().any(is_made)),
                _ if runs_scripts(name) => {
                    return unless(has_told_script(words, rest, self.typed));
                }
                "find" => {
                    let commands = commands_of_find(rest).into_iter();
                    let commands = commands.map(|words| self.untold_of_find(words)).max();
                    return unless(!rest.iter().any(makes_options))
                        .max(loose_options(waiting, handed))
                        .max(commands.unwrap_or_default());
                }
                _ if is_starter(name) => {
                    if takes_lines(name) && rest.iter().any(is_line_of_code) {
                        return Loose::Anything;
                    }
                    if is_feeder(name) {
                        return self.untold_of_feeder(name, rest);
                    }
                    match started(name, rest) {
                        Started::Untold => return Loose::Anything,
                        // What is fed to it names the program.
                        Started::Nothing => return unless(handed.is_none()),
                        Started::Words(next) => waiting = next,
                    }
                }
                _ => {
                    let is_told = !run_more(waiting);
                    return unless(is_told).max(loose_options(waiting, handed));
                }
            }
        }
        Loose::Not
    }

    fn untold_of_feeder(self, name: &str, rest: &[Word]) -> Loose {
        if self.left == 0 || name != "xargs" && parallel_runs_more(rest) {
            return Loose::Anything;
        }
        match started(name, rest) {
            Started::Untold => Loose::Anything,
            Started::Nothing => Loose::Not,
            Started::Words(next) => {
                let handed = Handed::by(name, &rest[..rest.len() - next.len()], next, self.fed);
                let words = handed.mark(next);
                Asked { typed: "", left: self.left - 1, ..self }.untold(&words, Some(&handed))
            }
        }
    }

    /// What `find` hands names to, in the place of `{}` wherever that stands.
    fn untold_of_find(self, words: &[Word]) -> Loose {
        if self.left == 0 {
            return Loose::Anything;
        }
        let mut words = words.to_vec();
        for word in words.iter_mut().filter(|word| word.text.contains("{}")) {
            word.holds = word.holds.max(Loose::Names);
        }
        let fed = Made::ANYTHING;
        Asked { typed: "", fed, left: self.left - 1 }.untold(&words, None)
    }
}

/// Whether what is put into a word may be code of the script that the word is.
fn holds_code(word: &Word) -> bool {
    word.holds > Loose::Not || word.holds_signs
}

/// Whether a word may be a line with such code in it.
fn is_line_of_code(word: &Word) -> bool {
    holds_code(word) && word.text.contains([' ', '\t', '\n'])
}

/// Whether a script comes from what something else writes: a substitution, a descriptor.
fn is_made(word: &Word) -> bool {
    let mut parts = word.text.split('/').filter(|part| !matches!(*part, "" | "."));
    let is_device = word.text.starts_with('/') && matches!(parts.next(), Some("dev" | "proc"));
    word.text.starts_with("<(") || is_device
}

/// Whether a shell's script is a file or a word that is told, or the shell only says its version.
fn has_told_script(words: &[Word], rest: &[Word], typed: &str) -> bool {
    let mut script = None;
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        let text = word.text.as_str();
        if matches!(text, "--version" | "--help") {
            return true;
        }
        if text == "-s" || text.starts_with("-s") && !text.contains('c') {
            return false;
        }
        if SHELL_VALUES.contains(&text) {
            at += 2;
            continue;
        }
        if !text.starts_with(['-', '+']) {
            script = Some(word);
            break;
        }
        at += 1;
    }
    if rest[..at].iter().any(|word| takes_script(&word.text)) && script.is_some_and(holds_code) {
        return false;
    }
    // Alone on its line it waits for what is typed.
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let is_alone = typed.trim() == texts.join(" ");
    !rest.iter().any(is_made) && (script.is_some() || is_alone)
}

/// What a starter starts.
enum Started<'a> {
    /// The words from the program on.
    Words(&'a [Word]),
    /// No program is among its words.
    Nothing,
    /// What is expanded may be the program.
    Untold,
}

fn started<'a>(name: &str, words: &'a [Word]) -> Started<'a> {
    let is_long = |word: &Word| word.text.len() > 2 && word.text.starts_with("--");
    let is_unknown =
        |word: &Word| is_long(word) && !word.text.contains('=') && !takes_value(name, &word.text);
    let places = places_before_program(name).filter(|_| !words.iter().any(is_unknown));
    let Some(mut places) = places else {
        // Nobody knows which of its flags take a word.
        let first = &words[..words.len().min(WORDS_MAX)];
        if first.iter().any(|word| !word.is_written()) {
            return Started::Untold;
        }
        let inner =
            |word: &Word| is_starter(name_of(&word.text)) || runs_scripts(name_of(&word.text));
        return match words.iter().position(inner) {
            Some(at) => Started::Words(&words[at..]),
            None => Started::Nothing,
        };
    };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.text.starts_with('-') {
            at += 1 + usize::from(takes_value(name, &word.text));
        } else if is_assignment(&word.text) {
            at += 1;
        } else if places > 0 {
            if word.glob {
                return Started::Untold;
            }
            (places, at) = (places - 1, at + 1);
        } else {
            return if word.is_written() { Started::Words(&words[at..]) } else { Started::Untold };
        }
    }
    Started::Nothing
}

/// Whether letters are written as numbers where they may name a program.
pub(super) fn has_odd_letters(node: Node<'_>, source: &str) -> bool {
    let is_odd = |text: &str| text.contains("$'") && text.contains('\\');
    let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, source)) else {
        return false;
    };
    let program = name_of(name);
    let runs = is_starter(program)
        || runs_scripts(program)
        || matches!(program, "alias" | "eval" | "trap");
    is_odd(if runs { text_of(node, source) } else { name })
}

/// Whether the program takes command lines as words or as input.
pub(super) fn runs_scripts(name: &str) -> bool {
    is_shell(name) || matches!(name, "ash" | "csh" | "mksh" | "rbash" | "tcsh")
}

/// Whether a word says to a shell that a script is among its words: `-c`, `-lc`.
pub(super) fn takes_script(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains('c')
}
