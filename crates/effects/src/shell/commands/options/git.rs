//! Settings and options of `git` that name programs.

use super::option::is_option;
use super::valued::Valued;
use crate::shell::holes::{HOLE, may_be, may_hold, start_of};

/// Settings that name no program, as they are or by their beginning.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "advice.", "apply.whitespace", "blame.", "branch.autosetupmerge",
    "branch.autosetuprebase", "clone.defaultremotename", "color.",
    "column.", "commit.gpgsign", "commit.verbose", "core.abbrev", "core.autocrlf", "core.bare",
    "core.compression", "core.eol", "core.filemode", "core.ignorecase", "core.longpaths",
    "core.preloadindex", "core.quotepath", "core.safecrlf", "core.symlinks", "core.untrackedcache",
    "core.whitespace", "diff.algorithm", "diff.colormoved", "diff.colormovedws", "diff.context", "diff.ignoresubmodules",
    "diff.mnemonicprefix", "diff.noprefix", "diff.relative", "diff.renamelimit", "diff.renames",
    "diff.statgraphwidth", "diff.submodule", "diff.suppressblankempty", "diff.wserrorhighlight",
    "feature.", "fetch.parallel", "fetch.prune", "format.pretty", "gc.auto", "grep.",
    "http.postbuffer", "http.version", "i18n.", "init.defaultbranch", "log.", "merge.conflictstyle",
    "merge.ff", "merge.renames", "pack.", "protocol.version", "pull.ff", "pull.rebase",
    "push.autosetupremote", "push.default", "rebase.autosquash", "rebase.autostash", "rerere.",
    "status.", "submodule.recurse", "tag.gpgsign", "tag.sort", "user.email", "user.name",
    "versionsort.",
];

/// Options by which a command of `git` runs a program.
#[rustfmt::skip]
const OPTIONS: &[(&str, &[&str])] = &[
    ("archive", &["--exec", "--remote"]),
    ("clone", &["-u", "-c", "--upload-pack", "--template", "--config"]),
    // A tool may be named by a path to its script.
    ("difftool", &["-x", "-t", "--extcmd", "--tool"]),
    ("fetch", &["--upload-pack"]),
    ("fetch-pack", &["--exec", "--upload-pack"]),
    ("filter-repo", &["--blob-callback", "--commit-callback", "--email-callback", "--file-info-callback", "--filename-callback", "--message-callback", "--name-callback", "--refname-callback", "--reset-callback", "--tag-callback"]),
    ("grep", &["-O", "--open-files-in-pager"]),
    ("init", &["--template"]),
    ("init-db", &["--template"]),
    ("instaweb", &["-d", "-b", "--httpd", "--browser"]),
    ("ls-remote", &["--exec", "--upload-pack"]),
    ("mergetool", &["-t", "--tool"]),
    ("pull", &["--upload-pack"]),
    ("push", &["--exec", "--receive-pack"]),
    ("rebase", &["-x", "--exec"]),
    ("send-email", &["--sendmail-cmd", "--smtp-server", "--to-cmd", "--cc-cmd", "--header-cmd"]),
    ("send-pack", &["--exec", "--receive-pack"]),
    ("svn", &["--authors-prog"]),
    ("web--browse", &["-b", "-t", "--browser", "--tool"]),
];

/// Commands of `git` that may run a program by a word that is no option.
#[rustfmt::skip]
const RUNNING: &[&str] = &[
    "bisect", "cherry-pick", "config", "daemon", "difftool--helper", "filter-branch",
    "for-each-repo", "hook", "merge", "merge-index", "pull", "push", "rebase", "receive-pack",
    "remote", "remote-ext", "revert", "send-pack", "submodule", "submodule--helper",
];

/// Options of `git` itself that take settings or name folders with settings.
const OWN: &[&str] =
    &["-c", "--config-env", "--exec-path", "--git-dir", "--super-prefix", "--work-tree"];

/// Strategies of merges that are git's own; for another one it runs `git-merge-NAME`.
const STRATEGIES: &[&str] = &["octopus", "ort", "ours", "recursive", "resolve", "subtree"];

/// Whether one of the words behind `git` has it run a program.
pub(super) fn runs_more(words: &[&str]) -> bool {
    if words.iter().any(|word| may_hold(word, "ext::") || is_in_braces(word)) {
        return true;
    }
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        match *word {
            "-c" => {
                if !words.get(at + 1).is_some_and(|setting| is_harmless(setting)) {
                    return true;
                }
                at += 1;
            }
            "-C" | "--namespace" => at += 1,
            _ if word.contains(HOLE) && OWN.iter().any(|option| is_own(option, word)) => {
                return true;
            }
            // Settings of a folder that anybody may have made.
            _ if ["--git-dir", "--work-tree", "--exec-path=", "--config-env", "--super-prefix"]
                .iter()
                .any(|option| word.starts_with(option)) =>
            {
                return true;
            }
            _ => {}
        }
        at += 1;
    }
    let Some((command, rest)) = words.get(at..).and_then(<[&str]>::split_first) else {
        return false;
    };
    let says =
        |word: &str| rest.iter().find(|it| !it.starts_with('-')).is_some_and(|it| may_be(it, word));
    let mut running = RUNNING.iter().chain(OPTIONS.iter().map(|(known, _)| known));
    if command.contains(HOLE) && running.any(|known| may_be(command, known)) {
        return true;
    }
    match *command {
        // `git a/b` runs `git-a/b` of this folder.
        command if command.contains('/') => true,
        // What is shown by is a program, too, or begins with the name of one.
        "bisect" => ["run", "view", "visualize"].into_iter().any(says),
        // Of hooks any path is one.
        "hook" => says("run"),
        // What is pushed to a folder runs the hooks that are there.
        "push" | "send-pack" if pushes_to_folder(rest) => true,
        "remote" if says("add") || says("set-url") => rest.iter().any(|word| is_folder(word)),
        "receive-pack" => true,
        "merge" | "pull" | "rebase" if has_strategy(rest, true) => true,
        "cherry-pick" | "revert" if has_strategy(rest, false) => true,
        "submodule" | "submodule--helper" => says("foreach"),
        // The word behind its flags is a program.
        "merge-index" => !says("git-merge-one-file"),
        "daemon" | "difftool--helper" | "filter-branch" | "for-each-repo" | "remote-ext" => true,
        "config" => sets_more(rest),
        _ => OPTIONS.iter().filter(|(known, _)| known == command).any(|(_, options)| {
            let valued = Valued::of_git(command);
            rest.iter().any(|word| {
                // What a letter takes for its value is no option.
                let (start, is_open) = start_of(word);
                let word = if is_open && valued.takes_rest(start) { start } else { word };
                options.iter().any(|option| is_option(option, word))
            })
        }),
    }
}

/// Whether a word with holes may be this option of `git` itself, which are not shortened.
fn is_own(option: &str, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let (start, _) = start_of(word);
    may_be(name, option) || option.starts_with(start) && start.len() > 1 && !start.contains('=')
}

/// Whether `git push` names a folder to push to, not a remote or an address.
fn pushes_to_folder(words: &[&str]) -> bool {
    let (mut first, mut takes_next) = (None, false);
    for word in words {
        let is_value = std::mem::take(&mut takes_next);
        takes_next = matches!(*word, "-o" | "--push-option");
        if !is_value && !word.starts_with('-') {
            first = first.or(Some(*word));
        }
    }
    let repository = words.iter().find_map(|word| word.strip_prefix("--repo="));
    // Names of branches begin like no path.
    let is_path = |word: &&str| word.starts_with(['.', '/', '~']) || word.starts_with("file:");
    words.iter().any(is_path) || first.into_iter().chain(repository).any(is_folder)
}

/// Whether a repository is a folder: no name of a remote, and no address of another machine.
fn is_folder(repository: &str) -> bool {
    let is_address = repository.split('/').next().is_some_and(|first| first.contains(':'));
    repository.starts_with("file:")
        || !repository.starts_with('-')
            && !is_address
            && (repository.contains('/') || matches!(repository, "." | ".." | "~"))
}

/// Whether a strategy is named that is not git's own; `-s` may be another option.
fn has_strategy(words: &[&str], has_letter: bool) -> bool {
    let mut words = words.iter().take_while(|word| **word != "--");
    while let Some(word) = words.next() {
        if may_name_strategy(word, has_letter) {
            return true;
        }
        let attached = match word.strip_prefix("--") {
            Some(long) => match long.split_once('=') {
                Some((name, value)) if is_strategy(name) => Some(value),
                None if is_strategy(long) => None,
                Some(_) | None => continue,
            },
            None => match word.strip_prefix('-').and_then(|letters| letters.split_once('s')) {
                Some((before, value))
                    if has_letter && before.bytes().all(|it| b"nqvei".contains(&it)) =>
                {
                    Some(value).filter(|value| !value.is_empty())
                }
                _ => continue,
            },
        };
        let strategy = attached.or_else(|| words.next().copied()).unwrap_or_default();
        if !STRATEGIES.contains(&strategy) {
            return true;
        }
    }
    false
}

/// Whether what is put into an option may make one of it that names a strategy.
fn may_name_strategy(word: &str, has_letter: bool) -> bool {
    let (start, is_open) = start_of(word);
    // What these letters take for their value is no option.
    let has_value = !start.starts_with("--") && start.contains(['m', 'F', 'X', 'S', 'C', 'j']);
    is_open
        && !has_value
        && !start.contains('=')
        && (is_option("--strategy", word) || has_letter && is_option("-s", word))
}

/// Names of options may be shortened.
fn is_strategy(name: &str) -> bool {
    name.len() > 3 && "strategy".starts_with(name)
}

/// Whether a command of `git` runs programs by an option.
pub(super) fn has_options(command: &str) -> bool {
    OPTIONS.iter().any(|(known, _)| *known == command)
}

/// Braces make several words of one.
fn is_in_braces(word: &str) -> bool {
    word.starts_with('{') && word.contains(',') && word.contains('-')
}

/// Whether `key=value` names no program.
fn is_harmless(setting: &str) -> bool {
    let key = setting.split('=').next().unwrap_or_default().to_ascii_lowercase();
    SETTINGS.iter().any(|known| key == *known || known.ends_with('.') && key.starts_with(known))
}

/// Whether `git config` with these words sets what may be a program's name.
fn sets_more(rest: &[&str]) -> bool {
    const READS: &[&str] = &[
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--list",
        "-l",
        "--unset",
        "--unset-all",
        "get",
        "list",
        "unset",
    ];
    if rest.iter().any(|word| READS.contains(word)) {
        return false;
    }
    let mut named = rest.iter().filter(|word| !word.starts_with('-') && **word != "set");
    match (named.next(), named.next()) {
        (Some(key), Some(_)) => !is_harmless(key),
        // `--edit`, `--remove-section`.
        _ => rest.iter().any(|word| matches!(*word, "-e" | "--edit" | "edit")),
    }
}
