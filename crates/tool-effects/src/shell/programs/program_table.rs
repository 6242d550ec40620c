//! The table of programs. To add a program, add its name to the row of those with the same effect,
//! or a row with a new function.

use super::{file_writers, git, harmless_programs, search_programs, text_programs};
use crate::shell::command_effect::CommandEffect;
use crate::shell::shell_state::{Invocation, ShellState};

/// Computes the effect of a program from its arguments and input.
type EffectFn = fn(&mut ShellState, Invocation<'_>) -> CommandEffect;

/// The program whose output is not shaped again: foveal itself.
const OWN_PROGRAM: &str = "foveal";

/// The known programs; all others may do anything. Wrapper programs are handled elsewhere, but
/// `find` also counts as a list.
#[rustfmt::skip]
const PROGRAMS: &[(EffectFn, &[&str])] = &[
    (text_programs::cat_effect, &["cat", "bat", "batcat", "less", "more"]),
    (text_programs::nl_effect, &["nl"]),
    (text_programs::head_tail_effect, &["head", "tail"]),
    (text_programs::sed_effect, &["sed", "gsed"]),
    (text_programs::awk_effect, &["awk", "gawk", "mawk"]),
    (text_programs::report_effect, &[
        "wc", "sort", "uniq", "cut", "tr", "column", "rev", "tac", "fold",
        "fmt", "paste", "xxd", "hexdump", "od", "strings", "file", "stat", "md5sum",
        "sha1sum", "sha256sum", "shasum", "cksum", "diff", "cmp", "comm", "jq", "yq",
        "base64", "expand", "unexpand", "join", "look", "zcat", "du", "df", "iconv",
        "pr", "tsort", "numfmt", "colordiff",
    ]),
    (search_programs::grep_effect, &["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep"]),
    (search_programs::list_effect, &["ls", "tree", "dir", "exa", "eza", "fd", "fdfind"]),
    (git::git_effect, &["git"]),
    (harmless_programs::cd_effect, &["cd"]),
    (harmless_programs::pushd_effect, &["pushd", "popd"]),
    (harmless_programs::echo_effect, &["echo", "printf"]),
    (harmless_programs::printing_effect, &[
        "pwd", "which", "type", "whereis", "date", "whoami", "id", "uname", "hostname",
        "nproc", "basename", "dirname", "realpath", "readlink", "seq", "printenv", "tput", "locale",
        "arch",
    ]),
    (harmless_programs::silent_effect, &[
        "true", "false", ":", "test", "[", "[[", "sleep", "export", "set",
        "unset", "shopt", "alias", "ulimit", "exit", "return", "wait", "clear", "mkdir",
        "rmdir", "chmod", "chown", "local", "declare", "readonly", "umask", "hash", "break",
        "continue", "shift", "read",
    ]),
    (file_writers::tee_effect, &["tee"]),
    (file_writers::file_command_effect, &[
        "cp", "mv", "rm", "touch", "truncate", "dd", "patch", "apply_patch", "applypatch", "ln",
        "install", "unlink",
    ]),
    (file_writers::perl_effect, &["perl"]),
    (file_writers::fetch_effect, &["curl", "wget", "http", "https", "lynx"]),
];

/// Returns the effect of `call`.
pub(crate) fn program_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let (is_ours, has_input) = (call.name == OWN_PROGRAM, call.input.is_some());
    let part = match PROGRAMS.iter().find(|(_, names)| names.contains(&call.name)) {
        Some((does, _)) => does(shell, call),
        None => file_writers::unlisted_effect(shell, call),
    };
    shell.prints_own |= is_ours;
    shell.prints_others |= !is_ours && !has_input && !part.stdout.is_empty();
    part
}
