//! The read-only commands among simple commands: they may run without approval if no rule names
//! them.

use super::simple_command_line::CommandLineWord;

/// The content that a read-only command may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadScope {
    /// Its own arguments.
    Words,
    /// Names and sizes of files that its arguments name, and of files below these.
    Names,
    /// Contents of files that its arguments name.
    Contents,
    /// Contents of files below folders, except those whose names begin with a dot.
    VisibleBelow,
    /// Contents of all files below folders.
    ContentsBelow,
}

/// Programs that neither write nor run anything, whatever their options.
#[rustfmt::skip]
const READ_ONLY_PROGRAMS: &[(ReadScope, &[&str])] = &[
    (ReadScope::Words, &[
        ":", "basename", "dirname", "echo", "expr", "false", "id", "nproc", "printf", "pwd", "seq",
        "sleep", "true", "type", "uname", "which", "whoami",
    ]),
    (ReadScope::Names, &["[", "cd", "df", "du", "ls", "readlink", "realpath", "stat", "test"]),
    (ReadScope::Contents, &[
        "cat", "cksum", "cmp", "column", "comm", "cut", "egrep", "expand", "fgrep", "fmt", "fold",
        "grep", "head", "hexdump", "join", "md5sum", "nl", "od", "paste", "rev", "sha1sum",
        "sha256sum", "shasum", "tac", "tail", "tr", "unexpand", "wc",
    ]),
    (ReadScope::ContentsBelow, &["diff"]),
];

/// Programs that are read-only if each of their options is listed: single letters, which may be
/// combined, and long names, before an optional `=`.
#[rustfmt::skip]
const READ_ONLY_OPTIONS: &[(&str, ReadScope, &str, &[&str])] = &[
    ("date", ReadScope::Words, "u", &["--utc"]),
    ("find", ReadScope::Names, "", &[
        "-a", "-empty", "-iname", "-ipath", "-iregex", "-maxdepth", "-mindepth", "-mmin", "-mtime",
        "-name", "-newer", "-not", "-o", "-path", "-print", "-print0", "-prune", "-regex", "-size",
        "-type", "-wholename",
    ]),
    ("rg", ReadScope::VisibleBelow, "ABCEFNSUVceghilmnopqstuvwx.0123456789", &[
        "--color", "--context", "--count", "--files", "--files-with-matches", "--fixed-strings",
        "--glob", "--heading", "--hidden", "--ignore-case", "--line-number", "--max-count",
        "--multiline", "--no-heading", "--no-ignore", "--only-matching", "--sort", "--type",
    ]),
    ("sort", ReadScope::Contents, "Mbcdfghiknrstuvz0123456789,.:", &[
        "--human-numeric-sort", "--key", "--numeric-sort", "--reverse", "--unique",
        "--version-sort",
    ]),
    ("tree", ReadScope::Names, "ACDFILadfghilnprstuv0123456789", &["--dirsfirst", "--noreport"]),
    ("uniq", ReadScope::Contents, "cdfisuw0123456789", &["--count", "--repeated", "--unique"]),
];

/// Commands of `git` that are read-only without [`GIT_WRITE_OPTIONS`].
#[rustfmt::skip]
const READ_ONLY_GIT_COMMANDS: &[&str] = &[
    "blame", "cat-file", "describe", "diff", "log", "ls-files", "ls-tree", "merge-base", "rev-list",
    "rev-parse", "shortlog", "show", "status",
];

/// Beginnings of options that make these commands write, run something, or read outside the
/// repository. Options may be abbreviated.
const GIT_WRITE_OPTIONS: &[&str] = &["--ou", "--ex", "--text", "--filt", "--no-i"];

/// Returns the content that a command may show if it is read-only: it changes nothing and starts
/// nothing. Does not consider which files it reads or where its output goes.
pub fn read_scope(words: &[CommandLineWord]) -> Option<ReadScope> {
    let (program, rest) = words.split_first()?;
    let program = program.text.as_str();
    let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    if let Some((scope, _)) = READ_ONLY_PROGRAMS.iter().find(|(_, names)| names.contains(&program))
    {
        // `-r`, `--recursive`, `--directories=recurse` and abbreviations.
        let is_deep = |text: &&str| text.starts_with('-') && text.contains(['r', 'R', 'd']);
        let is_search = program.ends_with("grep") && texts.iter().any(is_deep);
        return Some(if is_search { ReadScope::ContentsBelow } else { *scope });
    }
    // The program may take a file name for an option.
    let may_be_option = |word: &CommandLineWord| {
        word.is_pattern
            && (word.text.is_empty() || word.text.starts_with(['*', '?', '[', '{', '-']))
    };
    if rest.iter().any(may_be_option) {
        return None;
    }
    if let Some((_, scope, letters, longs)) =
        READ_ONLY_OPTIONS.iter().find(|(name, ..)| *name == program)
    {
        let is_known = |text: &&str| {
            let Some(option) = text.strip_prefix('-') else { return true };
            let name = text.split('=').next().unwrap_or_default();
            longs.contains(&name) || option.chars().all(|it| letters.contains(it))
        };
        let operands = || texts.iter().filter(|text| !text.starts_with('-') || **text == "-");
        let writes = match program {
            // The second file is written.
            "uniq" => operands().count() > 1 || rest.iter().any(|word| word.is_pattern),
            // An argument that is not a format sets the clock.
            "date" => operands().any(|text| !text.starts_with('+')),
            _ => false,
        };
        let is_deep = *scope == ReadScope::VisibleBelow && searches_hidden_files(&texts);
        let scope = if is_deep { ReadScope::ContentsBelow } else { *scope };
        return (texts.iter().all(is_known) && !writes).then_some(scope);
    }
    match program {
        "sed" => is_sed_line_print(&texts).then_some(ReadScope::Contents),
        "git" => git_scope(&texts),
        _ => None,
    }
}

/// Returns whether `rg` searches files whose names begin with a dot. A file that a glob names is
/// not hidden.
fn searches_hidden_files(words: &[&str]) -> bool {
    let is_single = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let is_asked =
        |word: &&str| *word == "--hidden" || is_single(word) && word.contains(['u', '.']);
    let is_glob = |word: &&str| word.starts_with("--glob") || is_single(word) && word.contains('g');
    let names_visible = |part: &str| {
        let part = part.strip_prefix("*.").or_else(|| part.strip_prefix('!')).unwrap_or(part);
        part == "**" || part.starts_with(|sign: char| sign.is_ascii_alphanumeric())
    };
    let may_name_hidden = |word: &&str| {
        let value =
            if word.starts_with('-') { word.split_once('=').map(|it| it.1) } else { Some(*word) };
        value.is_some_and(|value| !value.split('/').all(names_visible))
    };
    words.iter().any(is_asked) || words.iter().any(is_glob) && words.iter().any(may_name_hidden)
}

/// Returns whether `sed` prints lines by number, and does nothing else.
fn is_sed_line_print(words: &[&str]) -> bool {
    let is_number = |sign: char| sign.is_ascii_digit() || " ,;$p=q".contains(sign);
    matches!(words, ["-n", script, files @ ..] if script.chars().all(is_number)
        && !files.iter().any(|file| file.starts_with('-')))
}

/// Returns the content that a command of `git` may show. `git diff` also compares two folders
/// outside a repository.
fn git_scope(words: &[&str]) -> Option<ReadScope> {
    let words = words.strip_prefix(&["--no-pager"]).unwrap_or(words);
    let (name, rest) = words.split_first()?;
    let operands = rest.iter().filter(|word| !word.starts_with('-')).count();
    let is_deep = *name == "diff" && operands > 1;
    let scope = if is_deep { ReadScope::ContentsBelow } else { ReadScope::Contents };
    is_read_only_git(name, rest).then_some(scope)
}

fn is_read_only_git(name: &str, rest: &[&str]) -> bool {
    let shows = ["-a", "-r", "-v", "-vv", "--list", "--show-current"];
    match name {
        "branch" => rest.iter().all(|word| shows.contains(word)),
        "tag" => rest.is_empty() || rest == ["-l"] || rest == ["--list"],
        "stash" => rest == ["list"],
        name => {
            let writes = |word: &&str| GIT_WRITE_OPTIONS.iter().any(|long| word.starts_with(long));
            READ_ONLY_GIT_COMMANDS.contains(&name) && !rest.iter().any(writes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::simple_command_line::{CommandLinePart, SimpleCommandLine};

    fn scope_of(line: &str) -> Option<ReadScope> {
        let scope = |part: CommandLinePart| match part {
            CommandLinePart::Command(words) => read_scope(&words),
            CommandLinePart::Redirection { .. } => None,
        };
        let scopes =
            SimpleCommandLine::parse(line).expect("a plain line").parts.into_iter().map(scope);
        scopes.collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    #[test]
    fn what_only_reads_is_known() {
        for (line, scope) in [
            ("echo a; pwd; date -u +%F", ReadScope::Words),
            ("ls -la; find . -name '*.rs' -type f; [ -f a ]; tree -L 2", ReadScope::Names),
            ("cat a.rs | head -20 | sort -uk2,2nr -t: | uniq -c | wc -l", ReadScope::Contents),
            ("sed -n '1,80p;9q' a; nl -ba a | sed -n 3p", ReadScope::Contents),
            ("git status; git --no-pager diff HEAD~1 --stat; git branch -a", ReadScope::Contents),
            ("git log --oneline -5 --format='%h %s'; git stash list", ReadScope::Contents),
            ("rg -n foo src -g '*.rs'; grep -n a b", ReadScope::VisibleBelow),
            ("rg \"\" src; rg '→' src; rg foo -g 'src/**/*.rs'", ReadScope::VisibleBelow),
            ("rg -nu foo src", ReadScope::ContentsBelow),
            ("rg KEY -g '.e*'", ReadScope::ContentsBelow),
            ("rg KEY -g '*'", ReadScope::ContentsBelow),
            ("rg --glob='*env' KEY", ReadScope::ContentsBelow),
            ("git diff a b", ReadScope::ContentsBelow),
            ("grep -rn 'foo bar' .; grep -n --directories=recurse a .", ReadScope::ContentsBelow),
        ] {
            assert_eq!(scope_of(line), Some(scope), "{line}");
        }
    }

    #[test]
    fn what_may_write_or_run_is_not_taken_for_reading() {
        for line in [
            "rm a",
            "./ls",
            "/tmp/cat a",
            "sort -o a b",
            "sort -uo a b",
            "sort --output=a b",
            "sort --compress-program=./evil a",
            "sort *",
            "uniq a b",
            "sed -n '1e rm a' b",
            "sed -n 'w out' a",
            "sed -i s/a/b/ c",
            "sed -n p *",
            "sed -n p a -i",
            "rg --pre ./evil x",
            "rg --pre=./evil x",
            "rg -z x",
            "find . -delete",
            "find . -exec rm {} +",
            "find . -fprint a",
            "find *",
            "git -c core.pager=rm log",
            "git -C evil status",
            "git grep -Orm x",
            "git diff --output=a",
            "git log --outp a",
            "git log --ext-diff",
            "git cat-file --textconv a",
            "git branch a",
            "git config core.pager rm",
            "git push",
            "git diff --no-index a b",
            "uniq - victim",
            "uniq a*",
            "git tag a",
            "date -s 12:00",
            "date 01020304",
            "env",
            "xargs rm",
            "tree -o a",
            "tree -R -H . -L 1",
            "mkdir a",
            "awk 1 a",
            "less a",
            "tee a",
        ] {
            assert_eq!(scope_of(line), None, "{line}");
        }
    }
}
