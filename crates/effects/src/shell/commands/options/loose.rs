//! Words that may become one of the options by which a program runs others, because what they
//! begin with is made elsewhere.

use super::git;
use super::handed::Handed;
use super::table::OPTIONS;
use super::valued::{Spelling, Valued};
use crate::shell::word::{Loose, Word, name_of};

/// How much of a command's words may be options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// All, whatever stands before.
    End,
    /// Those before `--`.
    Dashes,
    /// Those before the first that is none.
    Operand,
}

/// What may become an option of the command of these words.
pub(in crate::shell::commands) fn loose_options(words: &[Word], handed: Option<&Handed>) -> Loose {
    let Some((program, rest)) = words.split_first() else { return Loose::Not };
    let with_handed = handed.map(|handed| handed.put(rest));
    let rest = with_handed.as_deref().unwrap_or(rest);
    let name = name_of(&program.text);
    match name {
        "git" => of_git(rest),
        "awk" | "gawk" | "mawk" | "nawk" => walk(rest, &Valued::of(name), Until::Operand).loose,
        // Its own options stand before the commands.
        "docker" => walk(rest, &Valued::of(name), Until::Operand).loose,
        "find" => walk(rest, &Valued::of(name), Until::End).loose,
        "make" | "gmake" => of_make(rest, &Valued::of(name)),
        "sed" | "gsed" | "kubectl" | "oc" | "ssh" | "scp" | "sftp" | "sshfs" => {
            walk(rest, &Valued::of(name), Until::Dashes).loose
        }
        _ => {
            let Some(row) = OPTIONS.iter().find(|row| row.programs.contains(&name)) else {
                return Loose::Not;
            };
            let valued = Valued::of(name);
            let rest = if name.ends_with("tar") { behind_old_flags(rest, &valued) } else { rest };
            // Words that are no options run programs, too; compilers know no `--`.
            let takes_all = !row.words.is_empty() || valued.spelling == Spelling::Words;
            let walked = walk(rest, &valued, if takes_all { Until::End } else { Until::Dashes });
            let is_any_word =
                row.words.iter().any(|it| !it.starts_with(['-', ',']) && !it.contains("script"));
            if is_any_word && (walked.is_made || walked.loose > Loose::Not) {
                Loose::Anything
            } else {
                walked.loose
            }
        }
    }
}

/// Only some commands of `git` run programs by options.
fn of_git(words: &[Word]) -> Loose {
    let before = walk(words, &Valued::of("git"), Until::Operand);
    let Some((command, rest)) = words.get(before.end..).and_then(<[Word]>::split_first) else {
        return before.loose;
    };
    let name = command.text.as_str();
    let behind = match name {
        // A word of theirs is the command.
        "bisect" | "submodule" => {
            let first = rest.iter().find(|word| !word.text.starts_with('-'));
            let is_made = first.is_some_and(|word| word.expands || word.glob);
            if is_made { Loose::Anything } else { Loose::Not }
        }
        _ if git::has_options(name) => walk(rest, &Valued::of_git(name), Until::Dashes).loose,
        _ => Loose::Not,
    };
    before.loose.max(behind)
}

/// Any word of `make` may set what it runs, but for the number of jobs.
fn of_make(words: &[Word], valued: &Valued) -> Loose {
    let is_jobs = |word: &Word| matches!(word.text.as_str(), "-j" | "-l" | "--jobs");
    let jobs = words.iter().position(is_jobs).map(|at| at + 1);
    let count = jobs.and_then(|at| words.get(at)).filter(|word| word.loose == Loose::Not);
    let rest: Vec<Word> = match (jobs, count) {
        (Some(at), Some(_)) => [&words[..at], &words[at + 1..]].concat(),
        _ => words.to_vec(),
    };
    let walked = walk(&rest, valued, Until::End);
    if walked.is_made { Loose::Anything } else { walked.loose }
}

/// Without the flags of `tar` that stand first without a dash, and the words that they take.
fn behind_old_flags<'a>(words: &'a [Word], valued: &Valued) -> &'a [Word] {
    let Some((first, rest)) = words.split_first() else { return words };
    if first.known().is_none() || first.text.starts_with('-') {
        return words;
    }
    let taken = first.text.chars().filter(|letter| valued.letters.contains(*letter)).count();
    let taken = taken.min(rest.len());
    if rest[..taken].iter().any(|word| word.splits || word.glob) { rest } else { &rest[taken..] }
}

/// What was found on the way.
struct Walked {
    /// The worst of what may be an option.
    loose: Loose,
    /// Whether a word begins with what is made, but with no option.
    is_made: bool,
    /// Where the way ended.
    end: usize,
}

/// Goes along the words, and leaves out those that an option before them takes for its value.
fn walk(words: &[Word], valued: &Valued, until: Until) -> Walked {
    let (mut loose, mut is_made) = (Loose::Not, false);
    // Whether the word before may have taken this one, or have been none.
    let mut is_doubtful = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let was_doubtful = std::mem::take(&mut is_doubtful);
        let text = word.text.as_str();
        let is_option = text.len() > 1 && text.starts_with('-');
        if text == "--" && until != Until::End && !was_doubtful {
            break;
        }
        let is_operand = !is_option && word.loose == Loose::Not && !word.splits;
        if until == Until::Operand && is_operand {
            break;
        }
        loose = loose.max(of_word(word, valued));
        is_made |= word.is_made && !word.is_tail_made && word.loose == Loose::Not;
        at += 1;
        if !is_option {
            continue;
        }
        match valued.takes_next(text) {
            Some(true) if !was_doubtful => {
                let Some(value) = words.get(at) else { break };
                at += 1;
                // It may be several words, or none.
                if value.splits || value.glob {
                    loose = loose.max(value.loose);
                    is_doubtful = true;
                }
            }
            Some(false) => {}
            Some(true) | None => is_doubtful = true,
        }
    }
    Walked { loose, is_made, end: at }
}

/// What a word may become. What an option's letter takes for a value is none.
fn of_word(word: &Word, valued: &Valued) -> Loose {
    if !word.is_tail_made {
        return word.loose;
    }
    let written = word.text.split(['$', '`']).next().unwrap_or_default();
    match valued.takes_rest(written) && !word.splits {
        true => Loose::Not,
        false if valued.takes_rest(written) => word.loose,
        false => Loose::Anything,
    }
}
