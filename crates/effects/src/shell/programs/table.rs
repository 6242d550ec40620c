//! The table of programs: a new one is a name in the row of those that do the same, or a row
//! with a function of its own.

use super::{git, look, plain, search, write};
use crate::shell::part::Part;
use crate::shell::state::{Invocation, Shell};

/// What a program does with its arguments and input.
type Does = fn(&mut Shell, Invocation<'_>) -> Part;

/// What foveal itself prints is shown as it is.
const OURS: &str = "foveal";

/// Programs that are in no row may do anything. Those that start another one are not asked
/// for here, but `find` is also a list.
#[rustfmt::skip]
const PROGRAMS: &[(Does, &[&str])] = &[
    (look::cat, &["cat", "bat", "batcat", "less", "more"]),
    (look::nl, &["nl"]),
    (look::ends, &["head", "tail"]),
    (look::sed, &["sed", "gsed"]),
    (look::awk, &["awk", "gawk", "mawk"]),
    (look::derive, &[
        "wc", "sort", "uniq", "cut", "tr", "column", "rev", "tac", "fold",
        "fmt", "paste", "xxd", "hexdump", "od", "strings", "file", "stat", "md5sum",
        "sha1sum", "sha256sum", "shasum", "cksum", "diff", "cmp", "comm", "jq", "yq",
        "base64", "expand", "unexpand", "join", "look", "zcat", "du", "df", "iconv",
        "pr", "tsort", "numfmt", "colordiff",
    ]),
    (search::grep, &["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep"]),
    (search::list, &["ls", "tree", "dir", "exa", "eza", "fd", "fdfind"]),
    (git::part, &["git"]),
    (plain::change_directory, &["cd"]),
    (plain::change_stack, &["pushd", "popd"]),
    (plain::say, &["echo", "printf"]),
    (plain::tell, &[
        "pwd", "which", "type", "whereis", "date", "whoami", "id", "uname", "hostname",
        "nproc", "basename", "dirname", "realpath", "readlink", "seq", "printenv", "tput", "locale",
        "arch",
    ]),
    (plain::nothing, &[
        "true", "false", ":", "test", "[", "[[", "sleep", "export", "set",
        "unset", "shopt", "alias", "ulimit", "exit", "return", "wait", "clear", "mkdir",
        "rmdir", "chmod", "chown", "local", "declare", "readonly", "umask", "hash", "break",
        "continue", "shift", "read",
    ]),
    (write::tee, &["tee"]),
    (write::files, &[
        "cp", "mv", "rm", "touch", "truncate", "dd", "patch", "apply_patch", "applypatch", "ln",
        "install", "unlink",
    ]),
    (write::perl, &["perl"]),
    (write::fetch, &["curl", "wget", "http", "https", "lynx"]),
];

/// What `call` does.
pub(crate) fn part(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let (is_ours, has_input) = (call.name == OURS, call.input.is_some());
    let part = match PROGRAMS.iter().find(|(_, names)| names.contains(&call.name)) {
        Some((does, _)) => does(shell, call),
        None => write::unlisted(shell, call),
    };
    shell.prints_ours |= is_ours;
    shell.prints_others |= !is_ours && !has_input && !part.stdout.is_empty();
    part
}
