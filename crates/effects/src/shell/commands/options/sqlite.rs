//! Commands of `sqlite3`, which begin with a dot.

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

/// Whether a word or a text of input has a command that may run a program.
pub(super) fn runs_more(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        let Some(command) = line.strip_prefix('.') else { return false };
        let end = command.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(command.len());
        let (name, rest) = command.split_at(end);
        // `./a.db`, `..`.
        if name.is_empty() && rest.starts_with(['/', '.']) {
            return false;
        }
        let is_one_of = |names: &[&str]| names.iter().any(|known| known.starts_with(name));
        let pipes = is_one_of(PIPING) && rest.contains('|');
        // An editor, a spreadsheet.
        let opens = is_one_of(&["once"]) && rest.contains('-');
        pipes || opens || !is_one_of(PLAIN) || AMBIGUOUS.contains(&name)
    })
}
