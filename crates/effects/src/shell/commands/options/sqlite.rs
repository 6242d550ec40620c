//! Commands of `sqlite3`, which begin with a dot.

use crate::shell::holes::HOLE;

/// Those that run no program and take no commands from a file. Each may be shortened.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "auth", "backup", "bail", "changes", "check", "columns", "databases", "dbconfig", "dbinfo",
    "dump", "echo", "eqp", "exit", "expert", "explain", "fullschema", "headers", "help", "import",
    "indexes", "indices", "limit", "lint", "maxrows", "mode", "nullvalue", "once", "open",
    "output", "parameter", "print", "progress", "prompt", "quit", "restore", "save", "schema",
    "selftest", "separator", "sha3sum", "show", "stats", "tables", "timeout", "timer", "vfsinfo",
    "vfslist", "version", "width",
];
/// The beginnings of others that are beginnings of some of these, too.
const AMBIGUOUS: &[&str] = &["a", "e", "ex", "l", "r", "re", "s", "sh", "t"];
/// Those that take a file, or a program behind `|`.
const PIPING: &[&str] = &["import", "once", "output"];

/// Those that run a program or read commands.
const RUNNING: &[&str] = &["excel", "load", "read", "shell", "system", "www"];

/// Whether a word of a line may be the name of a command that runs a program, or begin it; also one
/// that does so behind `|`, if the line has that.
pub(in super::super) fn names_command(word: &str, has_pipe: bool) -> bool {
    let Some(name) = word.strip_prefix('.').filter(|name| !name.is_empty()) else { return false };
    let begins = |known: &&str| known.starts_with(name);
    RUNNING.iter().any(begins) || has_pipe && PIPING.iter().any(begins)
}

/// Whether one of the words of a line does so. The first that is no option is a file, of whose name
/// only the end may be written (`$x.db`).
pub(super) fn any_runs_more(words: &[&str]) -> bool {
    let file = words.iter().position(|word| !word.starts_with('-'));
    let mut words = words.iter().enumerate();
    words.any(|(at, word)| (file != Some(at) || !word.starts_with(HOLE)) && runs_more(word))
}

/// Whether a word or a text of input has a command that may run a program.
pub(super) fn runs_more(text: &str) -> bool {
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '\t', HOLE]));
    lines.into_iter().any(|line| {
        let Some(command) = line.strip_prefix('.') else { return false };
        let end = command.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(command.len());
        let (name, rest) = command.split_at(end);
        // `./a.db`, `..`.
        if name.is_empty() && rest.starts_with(['/', '.']) {
            return false;
        }
        let is_one_of = |names: &[&str]| names.iter().any(|known| known.starts_with(name));
        if rest.starts_with(HOLE) && (is_one_of(RUNNING) || is_one_of(PIPING)) {
            return true;
        }
        let pipes = is_one_of(PIPING) && rest.contains('|');
        // An editor, a spreadsheet.
        let opens = is_one_of(&["once"]) && rest.contains('-');
        pipes || opens || !is_one_of(PLAIN) || AMBIGUOUS.contains(&name)
    })
}
