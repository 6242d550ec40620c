//! Programs that look harmless and run others by an option, a setting or a command of their own:
//! `tar --to-command`, `git -c core.pager=…`, `awk 'BEGIN { system(…) }'`. What they run so is not
//! told by the commands of a line.

mod awk;
mod find;
mod git;
mod handed;
mod kubectl;
mod loose;
mod option;
mod parallel;
mod scripts;
mod sed;
mod sqlite;
mod table;
#[cfg(test)]
mod tests;
mod valued;

pub(super) use self::find::may_hand_on;
pub(super) use self::handed::Handed;
pub(super) use self::loose::loose_options;
pub(super) use self::parallel::parallel_runs_more;

use self::option::{is_input, is_option};
pub(super) use self::sqlite::names_command;
use self::table::{OPTIONS, Options};
use self::valued::{Spelling, Valued};
use crate::shell::holes::{HOLE, may_be, may_hold, start_of, with_holes};
use crate::shell::word::{Word, name_of};

/// Whether the command of these words may run, by one of them, what they do not tell.
pub(super) fn run_more(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let name = name_of(&program.text);
    let is_script = matches!(name, "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed");
    let is_read =
        is_script || matches!(name, "git" | "make" | "gmake" | "ssh" | "scp" | "sftp" | "sshfs");
    if is_read && rest.iter().any(makes_options) || is_script && scripts::are_made(name, rest) {
        return true;
    }
    let valued = Valued::of(name);
    let texts: Vec<String> = rest.iter().map(|word| without_values(word, &valued)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match name {
        "git" => any_reading(rest, "$", git::runs_more),
        "awk" | "gawk" | "mawk" | "nawk" => any_reading(rest, "system", awk::runs_more),
        "sed" | "gsed" => any_reading(rest, "e", sed::runs_more),
        "kubectl" | "oc" => {
            any_reading(rest, "$", kubectl::runs_more) || rest.iter().any(makes_options)
        }
        "make" | "gmake" => make_runs_more(rest),
        "ssh" | "scp" | "sftp" | "sshfs" => ssh_runs_more(&texts),
        "duckdb" | "sqlite3" if sqlite::any_runs_more(&texts) => true,
        "psql" if psql_pipes(&texts) => true,
        // It loads a library. All other words of it are harmless, whatever they become.
        "curl" => texts.iter().any(|word| is_option("--engine", word)),
        // What they are told to do comes with their input.
        "ed" | "ex" | "dc" | "ftp" | "lftp" => true,
        // Flags of `tar` may stand first, without a dash.
        name if name.ends_with("tar") && rest.first().is_some_and(is_old_flags) => true,
        // Its own options stand before the commands, whose options are others.
        "docker" => {
            let own = texts.iter().take_while(|word| word.starts_with('-')).count();
            row_of(name).is_some_and(|row| {
                texts[..own].iter().any(|word| row.is_meant(word, &valued))
                    || texts[own..].iter().any(|it| row.is_meant(&it.replace(HOLE, "_"), &valued))
            }) || rest.iter().any(makes_options)
        }
        name => row_of(name).is_some_and(|row| {
            texts.iter().any(|word| row.is_meant(word, &valued)) || rest.iter().any(makes_options)
        }),
    }
}

fn row_of(name: &str) -> Option<&'static Options> {
    OPTIONS.iter().find(|row| row.programs.contains(&name))
}

/// The text of a word with its holes, but for those in what a letter takes for its value.
fn without_values(word: &Word, valued: &Valued) -> String {
    let text = with_holes(word);
    let (start, is_open) = start_of(&text);
    if is_open && valued.takes_rest(start) { text.replace(HOLE, "_") } else { text }
}

/// Whether a program that is given these lines as its input may run, by one of them, others.
pub(super) fn may_run<'l>(program: &str, lines: impl Iterator<Item = &'l str>) -> bool {
    let rows: Vec<_> = OPTIONS.iter().filter(|row| row.programs.contains(&program)).collect();
    let mut lines = lines;
    lines.any(|line| {
        let small = small_letters(line);
        rows.iter().any(|row| row.words.iter().any(|part| small.contains(part)))
            || matches!(program, "duckdb" | "sqlite3") && sqlite::runs_more(line)
    })
}

/// Whether the words run more in one of the ways that the shell may hand them over: as they are
/// spelled; without those that may become none, so that what stands behind them moves up; and with
/// `worst` in the place of those that are nothing but a variable or a substitution.
fn any_reading(words: &[Word], worst: &str, runs_more: fn(&[&str]) -> bool) -> bool {
    let is_variable = |word: &Word| word.expands && word.text.starts_with(['$', '`']);
    let texts: Vec<String> = words.iter().map(with_holes).collect();
    let texts = || words.iter().zip(texts.iter().map(String::as_str));
    let spelled: Vec<&str> = texts().map(|(_, text)| text).collect();
    let is_nothing = |word: &Word, text: &str| word.splits && text.chars().all(|it| it == HOLE);
    let fewer: Vec<&str> =
        texts().filter(|(word, text)| !is_nothing(word, text)).map(|(_, text)| text).collect();
    let worse: Vec<&str> =
        texts().map(|(word, text)| if is_variable(word) { worst } else { text }).collect();
    [spelled, fewer, worse].iter().any(|words| runs_more(words))
}

impl Options {
    /// Whether a word is one of the options, or may be one.
    fn is_meant(&self, word: &str, valued: &Valued) -> bool {
        let small = small_letters(word);
        // Where words are options, letters do not stand together.
        let is_word = valued.spelling == Spelling::Words;
        let is_one = |option: &&str| match is_word && option.len() == 2 {
            true => {
                word.starts_with(option)
                    || word.starts_with(&['-', HOLE][..]) && start_of(word).0 == "-"
            }
            false => is_option(option, word),
        };
        self.options.iter().any(is_one) || self.words.iter().any(|part| may_hold(&small, part))
    }
}

/// A text in small letters, with a blank for all white space.
fn small_letters(text: &str) -> String {
    let signs = text.chars();
    signs.map(|it| if it.is_whitespace() { ' ' } else { it.to_ascii_lowercase() }).collect()
}

/// Whether `psql` writes what it finds to a program (`-o '|cmd'`).
fn psql_pipes(words: &[&str]) -> bool {
    let begins = |text: &str| text.trim_start_matches([HOLE, ' ', '\t', '\n']).starts_with('|');
    let takes = |letter: char| "cdFfhLoPpRTUv".contains(letter);
    words.iter().any(|word| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        let first = word.chars().find(|letter| takes(*letter));
        let is_output = is_option("--output", word) || is_short && first == Some('o');
        begins(word) || is_output && word.contains('|')
    })
}

/// Whether braces make several words of one, among which may be options.
pub(super) fn makes_options(word: &Word) -> bool {
    word.glob && word.text.contains('{') && word.text.contains(['-', '+'])
}

fn is_old_flags(word: &Word) -> bool {
    let text = with_holes(word);
    let is_flag = |sign: char| sign.is_ascii_alphabetic() || sign == HOLE;
    let is_open = text.contains(HOLE) && !text.starts_with(HOLE);
    text.chars().all(is_flag) && (is_open || text.contains(['I', 'F']))
}

/// Variables of `make` that name what it runs.
const MAKE_PROGRAMS: &[&str] = &[
    ".SHELLFLAGS",
    "AR",
    "AS",
    "CC",
    "CPP",
    "CXX",
    "FC",
    "GNUMAKEFLAGS",
    "INSTALL",
    "LD",
    "LEX",
    "MAKE",
    "MAKEFILES",
    "MAKEFLAGS",
    "RM",
    "SHELL",
    "YACC",
];

/// What a makefile runs is its own; what a line puts in its place is not.
fn make_runs_more(words: &[Word]) -> bool {
    let is_text = |value: &str| value.contains(['$', '`', ';', '|', '&', '<', '>', '(', '\n']);
    let valued = Valued::of("make");
    let mut names_file = false;
    words.iter().any(|word| {
        let (holes, word) = (without_values(word, &valued), without_variables(word));
        let word = word.as_str();
        if std::mem::take(&mut names_file) {
            return is_input(word);
        }
        names_file = matches!(word, "-f" | "--file" | "--makefile");
        let file = word.split_once('=').map(|(_, file)| file).or_else(|| word.strip_prefix("-f"));
        // What these take is a number or a folder.
        let is_plain = ["-j", "-l", "-C", "-I", "-O"].iter().any(|it| word.starts_with(it));
        if is_option("--eval", &holes)
            || is_option("-E", &holes)
            || word.starts_with('-') && file.is_some_and(is_input)
            || word.contains("!=")
        {
            return true;
        }
        if word.starts_with('-') {
            return word.contains(['$', '`']) && !is_plain;
        }
        let name = holes.split('=').next().unwrap_or_default();
        let name = name.trim_end_matches([':', '+', '?', '!']);
        let has_name = |names: &[&str]| names.iter().any(|known| may_be(name, known));
        word.split_once('=').is_some_and(|(bare, value)| {
            let is_program = has_name(MAKE_PROGRAMS) && value.contains(['/', ' ']);
            let is_flags = has_name(&["MAKEFLAGS", "GNUMAKEFLAGS", ".SHELLFLAGS"])
                || bare.contains("FLAGS") && bare.contains("MAKE");
            is_text(value) || is_program || is_flags
        })
    })
}

/// A word without the variables whose values the shell puts in.
fn without_variables(word: &Word) -> String {
    let mut parts = word.text.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let inner = part.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let behind = match inner {
            Some((name, behind)) if name.chars().all(is_name) => behind,
            _ => part.trim_start_matches(is_name),
        };
        if !word.expands || behind.len() == part.len() {
            text.push('$');
        }
        text.push_str(behind);
    }
    text
}

/// Settings of `ssh` that run nothing.
const SSH_SETTINGS: &[&str] = &[
    "batchmode",
    "ciphers",
    "compression",
    "connectionattempts",
    "connecttimeout",
    "forwardagent",
    "hostname",
    "identitiesonly",
    "identityfile",
    "loglevel",
    "numberofpasswordprompts",
    "passwordauthentication",
    "port",
    "preferredauthentications",
    "pubkeyauthentication",
    "requesttty",
    "serveralivecountmax",
    "serveraliveinterval",
    "stricthostkeychecking",
    "tcpkeepalive",
    "updatehostkeys",
    "user",
    "userknownhostsfile",
];

/// `-o ProxyCommand=…` and settings from a file.
fn ssh_runs_more(words: &[&str]) -> bool {
    let mut is_setting = false;
    words.iter().any(|word| {
        let setting = match std::mem::take(&mut is_setting) {
            true => Some(*word),
            false if *word == "-o" => {
                is_setting = true;
                None
            }
            false => word.strip_prefix("-o"),
        };
        if let Some(setting) = setting {
            let key = setting.trim().split(['=', ' ', '\t']).next().unwrap_or_default();
            return !SSH_SETTINGS.contains(&key.to_ascii_lowercase().as_str());
        }
        let is_plain = is_setting || !word.starts_with('-') || word.starts_with("--");
        // A host that is jumped over is put into a command line; it may be jumped over with `-J`.
        !is_plain && word[1..].contains(['F', 'I', 'S', 'D', 'o', HOLE])
            || word.contains(" -") && words.iter().any(|it| it.starts_with("-J"))
    })
}
