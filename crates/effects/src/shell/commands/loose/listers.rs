//! Commands that print names of files, and those that pass on lines of what they are fed.

use super::arguments::Argument;
use super::values::Made;
use crate::shell::word::Loose;

/// What a command prints that is no other.
pub(super) fn printed_by(name: &str, rest: &[Argument], fed: Made) -> Made {
    let known: Option<Vec<&str>> = rest.iter().map(Argument::known).collect();
    let operands = || rest.iter().filter(|word| !word.spelled().starts_with('-'));
    let flags = || rest.iter().map(Argument::spelled).filter(|word| word.starts_with('-'));
    let has_flag = |letter: char, long: &str| {
        flags().any(|flag| flag == long || !flag.starts_with("--") && flag[1..].contains(letter))
    };
    if rest.iter().any(|word| word.loose == Loose::Anything || word.is_tail_made) {
        return Made::ANYTHING;
    }
    // What is looked for is no path.
    let looks = matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "fd" | "fdfind");
    let paths = || {
        let paths = operands().skip(usize::from(looks)).map(Argument::as_text);
        paths.fold(Made::NAMES, Made::or)
    };
    match name {
        "ls" if !has_flag('R', "--recursive") => match operands().all(is_of_files) {
            true => paths(),
            false => Made::ANYTHING,
        },
        "find" => find(rest),
        "fd" | "fdfind" if !has_flag('x', "--exec") && !has_flag('X', "--exec-batch") => paths(),
        "rg" | "ag" if has_flag('l', "--files-with-matches") || has_flag('\0', "--files") => {
            paths()
        }
        "grep" | "egrep" | "fgrep" | "rg" => {
            let lists =
                has_flag('l', "--files-with-matches") || has_flag('L', "--files-without-match");
            let tells_place = has_flag('n', "--line-number") || has_flag('c', "--count");
            let is_part = has_flag('o', "--only-matching");
            match (lists, tells_place) {
                (true, _) => paths(),
                // Numbers of lines, or names.
                (_, true) if !has_flag('h', "--no-filename") => {
                    Made { split: Loose::Anything, ..paths() }
                }
                _ if !is_part && operands().count() <= 1 && !has_flag('r', "--recursive") => fed,
                _ => Made::ANYTHING,
            }
        }
        "sort" | "uniq" | "tac" | "cat" | "shuf" if operands().all(is_digits) => fed,
        "head" | "tail" if !has_flag('c', "--bytes") && operands().all(is_digits) => fed,
        // The beginning of each line.
        "cut" if flags().any(|flag| flag == "-f1") && operands().count() == 0 => {
            Made { split: fed.whole.max(Loose::Names), ..fed }
        }
        "awk" if known.as_deref() == Some(&["{print $1}"]) => Made { split: fed.whole, ..fed },
        "tr" => {
            let is_blank = |text: &&str| matches!(*text, "\\n" | "\\0" | " " | "\\t" | "\n");
            let is_pair =
                known.as_deref().is_some_and(|it| it.len() == 2 && it.iter().all(is_blank));
            if is_pair { fed } else { Made::ANYTHING }
        }
        "xargs" => xargs(rest, fed),
        _ => Made::ANYTHING,
    }
}

/// What a command of `git` prints.
pub(super) fn git(command: Option<&str>, words: &[Argument]) -> Made {
    let has = |flags: &[&str]| {
        words.iter().any(|word| flags.iter().any(|flag| word.spelled().starts_with(flag)))
    };
    let prints_names = match command {
        Some("ls-files") => !has(&["--format", "-s", "--stage"]),
        Some("diff" | "diff-tree" | "ls-tree" | "diff-index") => has(&["--name-only"]),
        Some("show" | "log") => has(&["--name-only"]) && has(&["--format=", "--pretty="]),
        Some("grep") => has(&["-l", "--files-with-matches", "--name-only"]),
        _ => false,
    };
    if prints_names { Made::NAMES } else { Made::ANYTHING }
}

/// Paths that begin with what stands in the line, or with `.`.
fn find(rest: &[Argument]) -> Made {
    let prints = ["-exec", "-execdir", "-ok", "-okdir", "-printf"];
    if rest.iter().any(|word| prints.contains(&word.spelled())) {
        return Made::ANYTHING;
    }
    let paths = rest.iter().take_while(|word| !word.spelled().starts_with(['-', '(', '!']));
    paths.map(Argument::as_text).fold(Made::PATHS, Made::or)
}

/// What a command prints that `xargs` runs: one that lists files gives some of those that it is fed.
fn xargs(rest: &[Argument], fed: Made) -> Made {
    let Some(at) = rest.iter().position(|word| !word.spelled().starts_with('-')) else {
        return fed;
    };
    let name = rest[at].known().unwrap_or_default();
    let lists = matches!(name, "grep" | "rg" | "ls" | "fd");
    match lists {
        true => printed_by(name, &rest[at + 1..], fed).or(fed),
        false => Made::ANYTHING,
    }
}

/// Whether a word means files, and no folder whose files would be listed.
fn is_of_files(word: &Argument) -> bool {
    let last = word.spelled().rsplit('/').next().unwrap_or_default();
    last.contains('*') && last.contains('.')
}

fn is_digits(word: &Argument) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    word.known().is_some_and(is_number)
}
