//! What a shell evaluates a second time, or runs from words of its own builtins, so that a line
//! does more than its commands show: `printf -v 'a[$(rm x)]'`, `${x@P}`, `mapfile -C`, `hash -p`.

mod variables;

use tree_sitter::Node;

use self::variables::{GIT_SETTINGS, NUMERIC, are_named_in, commands, is_ruling};
use super::scan::{expansions, without};
use super::told::runs_scripts;
use crate::shell::parse::text_of;
use crate::shell::read::words_of;
use crate::shell::starters::is_starter;
use crate::shell::word::{Word, name_of};

/// Builtins that run some of their words, or replace what a name runs.
const RUNNING: &[&str] = &["bind", "compgen", "complete", "compopt", "enable", "fc"];
/// Builtins that take words for names of variables, whose subscripts they evaluate, with their
/// options that take a word of another kind.
const NAMING: &[(&str, &str)] = &[
    ("declare", ""),
    ("getopts", ""),
    ("let", ""),
    ("local", ""),
    ("mapfile", "dnsuc"),
    ("read", "dinNptu"),
    ("readarray", "dnsuc"),
    ("readonly", ""),
    ("typeset", ""),
    ("unset", ""),
];

/// Whether a line does, by the rules of this module, more than its commands show.
pub(super) fn does_more(root: Node<'_>, source: &str) -> bool {
    // `{name[…]}>file`: the subscript is evaluated.
    if source.contains("]}>") || source.contains("]}<") {
        return true;
    }
    let mut line = Line { source, ..Line::default() };
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let words = if node.kind() == "command" { words_of(node, source) } else { Vec::new() };
        if line.runs_more(node, &words) {
            return true;
        }
        line.note(node, &words);
        let mut cursor = node.walk();
        waiting.extend(node.named_children(&mut cursor));
    }
    let names_made = line.makes_names && (line.gives || are_named_in(source));
    names_made || line.evaluates && (line.hides || line.reads && line.quotes)
}

/// What is known of a line so far.
#[derive(Default)]
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
    /// A variable is exported, or stands for another one, whose name is not written.
    makes_names: bool,
    /// Values of its own are put into variables.
    gives: bool,
}

impl Line<'_> {
    /// Whether a node, a command of these words if it is one, alone runs more than it shows.
    fn runs_more(&self, node: Node<'_>, words: &[Word]) -> bool {
        let text = text_of(node, self.source);
        match node.kind() {
            // In backquotes a backslash makes backquotes of the next level.
            "command_substitution" => text.starts_with('`') && text.contains('\\'),
            "expansion" => {
                text.contains("@P")
                    || assigned_by(text).is_some_and(|(name, value)| {
                        is_ruling(name) || name == "PATH" || commands(&format!("{name}={value}"))
                    })
            }
            "variable_assignment" => {
                let name = name_assigned(text);
                is_ruling(name) || commands(text) || hides_substitution(node, self.source)
            }
            "for_statement" => {
                let variable = node.child_by_field_name("variable");
                let name = variable.map_or("", |variable| text_of(variable, self.source));
                !is_plain(&Word::literal(name))
            }
            "declaration_command" => {
                let rules =
                    |word: &Word| rules_more(word) || name_assigned(&word.text).contains("{");
                words_declared(node, self.source).iter().any(rules)
                    || hides_substitution(node, self.source)
            }
            "unset_command" => {
                let has_settings = |word: &Word| {
                    word.text.contains(GIT_SETTINGS)
                        || word.text.contains('{')
                        || word.expands && self.source.contains(GIT_SETTINGS)
                };
                words_declared(node, self.source).iter().any(has_settings)
                    || hides_substitution(node, self.source)
            }
            "command" => runs_words(words),
            _ => false,
        }
    }

    fn note(&mut self, node: Node<'_>, words: &[Word]) {
        let text = text_of(node, self.source);
        match node.kind() {
            "arithmetic_expansion" | "c_style_for_statement" | "subscript" => self.evaluates = true,
            "compound_statement" => self.evaluates |= text.starts_with("(("),
            "variable_assignment" => {
                let name = name_assigned(text);
                self.evaluates |= NUMERIC.contains(&name);
                self.gives |= name != "IFS";
            }
            "for_statement" => self.gives = true,
            "file_redirect" => self.gives |= text.contains("<("),
            "array" => self.evaluates |= text.contains("([") || text.contains(" ["),
            "test_command" => {
                // Only between double brackets numbers are expressions.
                let compares =
                    |word: &str| matches!(word, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
                let asks = |word: &str| matches!(word, "-v" | "-R") || word.starts_with(['$', '`']);
                self.evaluates |= (text.starts_with("[[") && text.split_whitespace().any(compares))
                    || text.split_whitespace().any(asks)
                    || !text.starts_with("[[") && may_ask(text);
            }
            "expansion" => {
                let assigned = assigned_by(text);
                self.evaluates |= text.starts_with("${!")
                    || has_offset(text)
                    || assigned.is_some_and(|(name, _)| NUMERIC.contains(&name));
                self.hides |= assigned_by(text).is_some();
            }
            "declaration_command" | "unset_command" => {
                // Attributes of numbers and of names of other variables; names that are made.
                let is_such = |word: &str| {
                    word.starts_with(['$', '"', '\''])
                        || word.starts_with('-') && word.contains(['i', 'n'])
                };
                self.evaluates |= text.split_whitespace().any(is_such);
                let makes = || makes_names(&words_declared(node, self.source));
                self.makes_names |= node.kind() == "declaration_command" && makes();
            }
            "command" => self.note_command(words),
            "raw_string" | "ansi_c_string" | "string" | "word" => {
                self.hides |= hides_here(node, self.source);
            }
            "heredoc_body" | "herestring_redirect" => {
                let plain = without(self.source, node.byte_range(), &expansions(node), "_");
                self.quotes |= hides_code(&plain);
                self.gives = true;
            }
            _ => {}
        }
    }

    fn note_command(&mut self, words: &[Word]) {
        let Some((name, rest)) = own(words).split_first() else { return };
        let asks = |word: &Word| matches!(word.text.as_str(), "-v" | "-R");
        self.evaluates |= match name.text.as_str() {
            "let" | "declare" | "local" | "readonly" | "typeset" | "unset" => true,
            "printf" => {
                rest.first().is_some_and(|word| !word.is_written()) || rest.iter().any(asks)
            }
            "test" | "[" => {
                rest.iter().any(|word| asks(word) || word.expands || is_several(&word.text))
            }
            // What is expanded may be `-p` with a name behind it.
            "wait" => rest.iter().any(|word| word.expands && word.text != "$!"),
            _ => false,
        };
        let is_number =
            |word: &Word| word.text.contains('=') && NUMERIC.contains(&name_assigned(&word.text));
        self.evaluates |= rest.iter().any(is_number);
        self.gives |= match name.text.as_str() {
            "getopts" | "printf" => true,
            "set" => rest.iter().any(|word| word.text == "--"),
            "echo" => rest.iter().any(|word| word.text.contains(['{', '='])),
            _ => false,
        };
        let declares = ["export", "declare", "typeset", "local", "readonly"];
        self.makes_names |= declares.contains(&name.text.as_str()) && makes_names(rest);
        self.reads |= matches!(name.text.as_str(), "mapfile" | "read" | "readarray");
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
        "mapfile" | "readarray" if rest.iter().any(|word| is_flag(word, 'C')) => true,
        "printf" => match rest {
            [first, name, ..] if first.text == "-v" => !is_plain(name),
            [first, ..] => first.text.starts_with("-v"),
            [] => false,
        },
        "test" | "[" => rest
            .windows(2)
            .any(|pair| matches!(pair[0].text.as_str(), "-v" | "-R") && !is_plain(&pair[1])),
        "wait" => rest.iter().enumerate().any(|(at, word)| {
            let names = || rest[at + 1..].iter().all(is_plain) && is_plain(word);
            is_several(&word.text) || is_flag(word, 'p') && !names()
        }),
        "set" | "shopt" => takes_assignments(rest),
        shell if runs_scripts(name_of(shell)) => {
            let mut is_value = false;
            let flags = |word: &&Word| {
                let text = word.text.as_str();
                let is_flag = text.starts_with(['-', '+']);
                let was_value =
                    std::mem::replace(&mut is_value, is_flag && text.ends_with(['o', 'O']));
                is_flag || was_value
            };
            takes_assignments(&rest.iter().take_while(flags).cloned().collect::<Vec<_>>())
        }
        starter if starter == "export" || is_starter(name_of(starter)) => {
            let is_made =
                |word: &Word| starter == "export" && name_assigned(&word.text).contains('{');
            let sets = rest
                .iter()
                .any(|word| rules_more(word) && word.text.contains('=') || is_made(word));
            sets || takes_git_settings(starter, rest)
        }
        builtin => names(builtin, rest),
    }
}

/// Whether words for `set` or a shell have it take `NAME=value` behind a program for a variable of
/// its environment, as `-k` does.
fn takes_assignments(flags: &[Word]) -> bool {
    let ends = |word: &&Word| !matches!(word.text.as_str(), "--" | "-");
    flags.iter().take_while(ends).any(|word| {
        let is_short = word.text.starts_with('-') && !word.text.starts_with("--");
        word.text == "keyword"
            || is_short && word.text.contains('k')
            || is_several(&word.text)
            || word.expands && (word.splits || word.text.starts_with(['-', '$']))
    })
}

/// The words behind `export`, `declare` and the like. Of `A"B"=c` the grammar makes several.
fn words_declared(node: Node<'_>, source: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut end = node.start_byte();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let part = Word::of(child, source);
        match words.last_mut().filter(|_| child.start_byte() == end) {
            Some(word) => {
                word.text.push_str(&part.text);
                word.expands |= part.expands;
            }
            None => words.push(part),
        }
        end = child.end_byte();
    }
    words
}

/// Whether `NAME=value` says what is run, or a word takes its settings from `git`.
fn rules_more(word: &Word) -> bool {
    let text = word.text.as_str();
    is_ruling(name_assigned(text))
        || text.starts_with(GIT_SETTINGS)
        || text.contains('=') && commands(text)
}

/// Whether words behind `declare` and the like make a variable, or one that stands for another,
/// whose name is not written.
fn makes_names(words: &[Word]) -> bool {
    let is_reference = |word: &Word| word.text.starts_with('-') && word.text.contains('n');
    words.iter().any(|word| is_name_made(word) || is_reference(word))
}

fn is_name_made(word: &Word) -> bool {
    word.expands && word.text.split('=').next().unwrap_or_default().contains(['$', '`'])
}

/// Whether a starter takes from `git` its settings in variables, one by one or all.
fn takes_git_settings(starter: &str, words: &[Word]) -> bool {
    let letter = match name_of(starter) {
        "env" => Some('i'),
        "exec" => Some('c'),
        _ => None,
    };
    let has_git = || words.iter().any(|word| word.expands || word.text.contains("git"));
    let flags = || words.iter().take_while(|word| word.text.starts_with('-'));
    let clears = |word: &Word| {
        let text = word.text.as_str();
        text == "-"
            || text.starts_with("--i")
            || letter.is_some_and(|letter| !text.starts_with("--") && text.contains(letter))
    };
    words.iter().any(|word| word.text.contains(GIT_SETTINGS))
        || letter.is_some() && flags().any(clears) && has_git()
}

/// Whether braces make several words of one.
fn is_several(text: &str) -> bool {
    text.contains('{') && text.contains(',')
}

/// Whether words between brackets may become `-v` and a name: one that becomes several, and one
/// that stands where an operator may stand before another word.
fn may_ask(test: &str) -> bool {
    let words: Vec<&str> = test.split_whitespace().collect();
    let is_list = |word: &str| word.starts_with("\"$@") || word.contains("[@]");
    let is_operator = |word: &str| {
        matches!(word, "]" | "=" | "==" | "!=" | "<" | ">" | "\\<" | "\\>" | "\\)" | ")")
            || word.starts_with('-') && word.len() <= 3
    };
    let is_made = |word: &str| word.starts_with("\"$") || word.starts_with("\"`");
    // `-"v"`, `\-v`, `-$x`.
    let asks = |word: &str| {
        let bare = word.replace(['"', '\'', '\\'], "");
        matches!(&*bare, "-v" | "-R") || bare.starts_with("-$") || bare.starts_with("-`")
    };
    is_several(test)
        || words.iter().any(|word| is_list(word) || asks(word))
        || words.windows(2).any(|pair| is_made(pair[0]) && !is_operator(pair[1]))
}

/// Whether a builtin is given a word for a name that is more than a name.
fn names(builtin: &str, words: &[Word]) -> bool {
    let Some((_, valued)) = NAMING.iter().find(|(known, _)| *known == builtin) else {
        return false;
    };
    let mut words = words.iter();
    let mut are_options = true;
    while let Some(word) = words.next() {
        are_options &= word.text.starts_with('-') && word.text != "--";
        // The first letter that takes a value takes the rest of the word, or the next word.
        let value = word.text.find(|letter| valued.contains(letter)).filter(|_| are_options);
        match value {
            Some(at) if word.is_written() && at + 1 == word.text.len() => drop(words.next()),
            Some(at) if word.known().is_some() && is_plain(&Word::literal(&word.text[..at])) => {}
            _ if is_plain(word) => {}
            _ => return true,
        }
    }
    false
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
    let (name, is_assigned) = match word.text.split_once('=') {
        Some((name, _)) => (name, true),
        None => (&*word.text, false),
    };
    let is_evaluated = (word.expands && !is_assigned) || name.contains(['[', '`', '$', '{']);
    let is_given = is_assigned || name != "PATH" && !NUMERIC.contains(&name);
    !is_evaluated && is_given && !is_ruling(name) && !commands(&word.text)
}

/// The variable of `name=value`, `name[…]=value` or `name+=value`.
fn name_assigned(assignment: &str) -> &str {
    assignment.split(['=', '[', '+']).next().unwrap_or_default()
}

/// The variable that `${name:=…}` or `${name=…}` assigns to, and the value.
fn assigned_by(expansion: &str) -> Option<(&str, &str)> {
    let inner = expansion.strip_prefix("${")?;
    let end = inner.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    let (name, rest) = inner.split_at(end);
    let rest = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.1,
        None => rest,
    };
    let value = rest.strip_prefix(":=").or_else(|| rest.strip_prefix('='))?;
    Some((name, value.trim_end_matches('}')))
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
        "raw_string" => hides_code(text.trim_matches('\'')),
        "ansi_c_string" => hides_code(text.trim_start_matches('$').trim_matches('\'')),
        "string" => {
            let inner = text.trim_matches('"');
            let mut dollars = inner.match_indices("\\$");
            let opens = |at: usize| begins_code(&inner[at + 2..]);
            inner.contains("\\`") || dollars.any(|(at, _)| opens(at))
        }
        "word" => text.contains("\\$") || text.contains("\\`"),
        _ => false,
    }
}

/// Whether a text that is taken as it is holds a substitution, or the beginning of one: the rest
/// may stand in the next word. Letters may be written as numbers.
fn hides_code(text: &str) -> bool {
    text.contains('`')
        || text.match_indices('$').any(|(at, _)| begins_code(&text[at + 1..]))
        || text.match_indices('\\').any(|(at, _)| is_number_of_sign(&text[at + 1..]))
}

/// Whether `$` before this text may begin a substitution.
fn begins_code(after: &str) -> bool {
    after.is_empty() || after.starts_with(['(', '{', '['])
}

/// Whether a text begins with the number of `$` or of the backquote, as `x24` or `044`.
fn is_number_of_sign(text: &str) -> bool {
    let (digits, codes): (&str, &[&str]) = match text.chars().next() {
        Some('x' | 'u' | 'U') => (&text[1..], &["24", "60"]),
        _ => (text, &["44", "140"]),
    };
    let digits = digits.trim_start_matches('0');
    codes.iter().any(|code| digits.starts_with(code))
}

#[cfg(test)]
mod tests;
