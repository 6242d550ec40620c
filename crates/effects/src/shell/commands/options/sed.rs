//! Scripts of sed that run commands: the command `e`, and the flag `e` of `s`.

use super::option::{is_input, is_option};
use crate::shell::holes::HOLE;

/// Whether one of the words behind `sed` has it run a command, or it is not clear that none does.
pub(super) fn runs_more(words: &[&str]) -> bool {
    let mut scripts = Vec::new();
    let mut first = None;
    let (mut has_file, mut at) = (false, 0);
    while let Some(word) = words.get(at) {
        at += 1;
        if may_name_script(word) {
            return true;
        }
        if *word == "--" {
            first = first.or(words.get(at).copied());
            break;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').unwrap_or((long, ""));
            if "expression".starts_with(name) {
                let value = if long.contains('=') { Some(&value) } else { words.get(at) };
                at += usize::from(!long.contains('='));
                scripts.extend(value);
            } else if "file".starts_with(name) {
                let file = if long.contains('=') { Some(&value) } else { words.get(at) };
                at += usize::from(!long.contains('='));
                has_file = true;
                if file.is_none_or(|file| is_input(file)) {
                    return true;
                }
            }
        } else if word.starts_with('-') && word.len() > 1 {
            let Some(end) = word[1..].find(['e', 'f', 'l', 'i', 'I']).map(|end| end + 1) else {
                continue;
            };
            let rest = &word[end + 1..];
            let takes_word = rest.is_empty() && !word[end..].starts_with(['i', 'I']);
            let value = if takes_word { words.get(at).copied() } else { Some(rest) };
            at += usize::from(takes_word);
            match &word[end..=end] {
                "e" => scripts.extend(value),
                "f" if value.is_none_or(is_input) => return true,
                "f" => has_file = true,
                _ => {}
            }
        } else {
            first = first.or(Some(*word));
        }
    }
    if scripts.is_empty() && !has_file {
        scripts.extend(first);
    }
    !is_harmless(&scripts.join("\n"))
}

/// Whether what is put into an option may make one of it that names a script.
fn may_name_script(word: &str) -> bool {
    let value = word.find(['=', 'e', 'f', 'l', 'i', 'I']).unwrap_or(word.len());
    let has_hole = match word.starts_with("--") {
        true => word.contains(HOLE),
        false => word.starts_with('-') && word[..value].contains(HOLE),
    };
    has_hole && ["-e", "--expression", "--file"].iter().any(|option| is_option(option, word))
}

/// Whether a script is read to its end, and runs nothing.
fn is_harmless(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}', '{']);
        let Some(after) = without_address(rest) else { return false };
        let after = after.trim_start_matches([' ', '\t', '!']);
        let Some(command) = after.chars().next() else { return after.len() == rest.len() };
        let arguments = &after[command.len_utf8()..];
        let line = || arguments.find('\n').map_or("", |at| &arguments[at..]);
        let ended = match command {
            '{' | '}' => Some(arguments),
            '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' => {
                ended(arguments)
            }
            'l' | 'L' | 'q' | 'Q' => ended(
                arguments
                    .trim_start_matches([' ', '\t'])
                    .trim_start_matches(|it: char| it.is_ascii_digit()),
            ),
            'a' | 'c' | 'i' => Some(behind_text(arguments)),
            ':' | 'b' | 't' | 'T' => {
                let label = arguments.trim_start_matches([' ', '\t']);
                ended(
                    label.trim_start_matches(|it: char| !it.is_whitespace() && !";}".contains(it)),
                )
            }
            'r' | 'R' | 'w' | 'W' | '#' => Some(line()),
            's' | 'y' => behind_two(arguments).and_then(|flags| {
                let flags = if command == 's' {
                    flags
                        .trim_start_matches(|it: char| it.is_ascii_digit() || "gpiImM".contains(it))
                } else {
                    flags
                };
                match flags.starts_with('w') && command == 's' {
                    true => Some(flags.find('\n').map_or("", |at| &flags[at..])),
                    false => ended(flags),
                }
            }),
            _ => None,
        };
        let Some(ended) = ended else { return false };
        rest = ended;
    }
}

/// What stands behind the end of a command, where that is one.
fn ended(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    (rest.is_empty() || rest.starts_with([';', '\n', '}', '#'])).then_some(rest)
}

/// What stands behind a text, of which lines end with a backslash that are not its last.
fn behind_text(text: &str) -> &str {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices() {
        match sign {
            '\\' => is_escaped = !is_escaped,
            '\n' if !is_escaped => return &text[at..],
            _ => is_escaped = false,
        }
    }
    ""
}

/// What stands behind `/one/other/`, whatever sign is in place of the slash.
fn behind_two(text: &str) -> Option<&str> {
    let sign = text.chars().next().filter(|sign| !['\n', '\\', HOLE].contains(sign))?;
    let rest = behind_expression(&text[sign.len_utf8()..], sign)?;
    behind_sign(rest, sign)
}

/// What stands behind an expression that ends with a sign; `None` where it is not clear which of
/// these signs that is: in brackets it ends nothing, to most.
fn behind_expression(text: &str, sign: char) -> Option<&str> {
    let mut rest = text;
    loop {
        let next = rest.chars().next()?;
        let after = &rest[next.len_utf8()..];
        rest = match next {
            '\\' => &after[after.chars().next()?.len_utf8()..],
            _ if next == sign => return Some(after),
            '[' => {
                let first = after.strip_prefix('^').unwrap_or(after);
                let first = first.strip_prefix(']').unwrap_or(first);
                let end = first.find(']')?;
                if first[..end].contains(sign) && first[..end].contains(['\\', '[']) {
                    return None;
                }
                // Behind a class of letters the brackets go on.
                let is_class = first[..end].contains("[:");
                &first[end + usize::from(!is_class)..]
            }
            _ => after,
        };
    }
}

fn behind_sign(text: &str, sign: char) -> Option<&str> {
    let mut is_escaped = false;
    for (at, next) in text.char_indices() {
        match next {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if next == sign => return Some(&text[at + next.len_utf8()..]),
            _ => {}
        }
    }
    None
}

/// What stands behind the lines that a command is for.
fn without_address(rest: &str) -> Option<&str> {
    let after = without_place(rest)?;
    match after.trim_start_matches([' ', '\t']).strip_prefix(',') {
        Some(second) => without_place(second.trim_start_matches([' ', '\t'])),
        None => Some(after),
    }
}

fn without_place(rest: &str) -> Option<&str> {
    let is_number = |sign: char| sign.is_ascii_digit() || matches!(sign, '~' | '+' | HOLE);
    match rest.chars().next() {
        Some('$') => Some(&rest[1..]),
        Some(sign) if is_number(sign) => Some(rest.trim_start_matches(is_number)),
        Some('/') => {
            behind_expression(&rest[1..], '/').map(|rest| rest.trim_start_matches(['I', 'M']))
        }
        Some('\\') => {
            let sign = rest[1..].chars().next().filter(|sign| *sign != HOLE)?;
            let rest = behind_expression(&rest[1 + sign.len_utf8()..], sign)?;
            Some(rest.trim_start_matches(['I', 'M']))
        }
        _ => Some(rest),
    }
}
