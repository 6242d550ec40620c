//! GNU parallel: what it is fed, or given, may be the command itself, and some of its options are code.

use super::option::is_option;
use crate::shell::starters::takes_value;
use crate::shell::word::Word;

/// Options whose values are programs or code.
const RUNNING: &[&str] = &[
    "--filter",
    "--limit",
    "--profile",
    "--rpl",
    "--sqlandworker",
    "--sqlmaster",
    "--sqlworker",
    "--sshlogin",
    "--sshloginfile",
];
/// Long options that take the next word.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "--arg-file", "--colsep", "--delay", "--delimiter", "--env", "--halt", "--joblog", "--jobs",
    "--load", "--max-args", "--max-procs", "--memfree", "--nice", "--results", "--retries",
    "--tempdir", "--timeout", "--tmpdir", "--wd", "--workdir",
];

/// Whether the words behind it have it run what they do not tell.
pub(in crate::shell::commands) fn parallel_runs_more(words: &[Word]) -> bool {
    let is_code = |word: &Word| {
        let text = word.text.as_str();
        text.contains("{=")
            || matches!(text, "-J" | "-S")
            || RUNNING.iter().any(|option| is_option(option, text))
    };
    let is_list = |word: &Word| word.text.starts_with(":::");
    let own = words.iter().position(is_list).unwrap_or(words.len());
    let mut has_command = false;
    let mut at = 0;
    while let Some(word) = words[..own].get(at) {
        let text = word.text.as_str();
        if matches!(text, "--version" | "--help" | "--citation") {
            return false;
        }
        has_command |= !text.starts_with('-');
        let takes_next = takes_value("parallel", text) || VALUED.contains(&text);
        at += 1 + usize::from(takes_next);
    }
    !has_command || words.iter().any(is_code)
}
