//! Programs in awk that run commands: `system(…)`, pipes, calls by a name that is worked out.

use super::option::is_input;
use crate::shell::holes::{HOLE, may_hold};

/// Words that are no values: behind them a slash begins an expression.
const NO_VALUES: &[&str] =
    &["case", "delete", "do", "else", "getline", "in", "print", "printf", "return"];

/// Whether one of the words behind `awk` has it run a command.
pub(super) fn runs_more(words: &[&str]) -> bool {
    let mut programs = Vec::new();
    let mut has_file = false;
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-') && word.len() > 1) {
        at += 1;
        let (flag, attached) = match word.strip_prefix("--") {
            Some("") => break,
            Some(long) => match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            },
            None => {
                let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
                (&word[1..end], Some(&word[end..]).filter(|rest| !rest.is_empty()))
            }
        };
        let takes_word = matches!(
            flag,
            "F" | "v"
                | "f"
                | "e"
                | "i"
                | "E"
                | "assign"
                | "exec"
                | "field-separator"
                | "file"
                | "include"
                | "source"
        );
        let value = match attached {
            None if takes_word => {
                at += 1;
                words.get(at - 1).copied()
            }
            attached => attached,
        };
        match flag {
            "F" | "v" | "assign" | "field-separator" => {}
            "f" | "file" | "E" | "exec" => {
                if value.is_none_or(is_input) {
                    return true;
                }
                has_file = true;
            }
            "e" | "source" => programs.extend(value),
            "i" | "include" if value == Some("inplace") => {}
            "n" | "b" | "c" | "O" | "P" | "r" | "s" | "S" | "t" | "M" | "N" | "version"
            | "re-interval" | "posix" | "traditional" | "sandbox" | "non-decimal-data" | "csv"
            | "k" => {
                if attached.is_some() {
                    return true;
                }
            }
            _ => return true,
        }
    }
    if programs.is_empty() && !has_file {
        programs.extend(words.get(at));
    }
    programs.into_iter().any(runs_commands)
}

/// Whether a program may run a command. What is in strings and expressions runs nothing.
fn runs_commands(program: &str) -> bool {
    if may_hold(program, "system") {
        return true;
    }
    if !program.contains(['|', '@']) {
        return false;
    }
    let mut rest = program;
    let mut is_behind_value = false;
    while let Some(sign) = rest.chars().next() {
        let after = &rest[sign.len_utf8()..];
        rest = match sign {
            '"' => match literal_end(after, '"') {
                Some(end) => &after[end..],
                None => return true,
            },
            // A slash behind a value divides, mostly.
            '/' if is_behind_value => return true,
            '/' => match literal_end(after, '/') {
                Some(end) => &after[end..],
                None => return true,
            },
            '@' => return true,
            '|' if after.starts_with('|') => &after[1..],
            '|' => return true,
            '#' => after.find('\n').map_or("", |at| &after[at..]),
            _ if sign.is_alphabetic() || sign == '_' => {
                let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
                let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
                is_behind_value = !NO_VALUES.contains(&&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            _ => after,
        };
        if !sign.is_whitespace() {
            is_behind_value =
                matches!(sign, HOLE | '"' | '/' | ')' | ']' | '$') || sign.is_ascii_digit();
        }
    }
    false
}

/// Where what began before `text` ends, behind its last sign, on the same line.
fn literal_end(text: &str, sign: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, next) in text.char_indices() {
        match next {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            // In brackets a slash is one of the signs, to some.
            '[' if sign == '/' => return None,
            _ if next == sign => return Some(at + 1),
            _ => {}
        }
    }
    None
}
