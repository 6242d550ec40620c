//! What commands print whose output stands in a word, or is fed to `xargs`: those that print no
//! option, whatever they are given, and those that print names of files.

use super::arguments::{Argument, of_text};
use super::listers;
use super::values::{Made, Values};
use crate::shell::word::Loose;

/// What the command of this name prints, with these words, fed this.
pub(super) fn printed_by(name: &str, rest: &[Argument], fed: Made, values: &Values) -> Made {
    let known: Option<Vec<&str>> = rest.iter().map(Argument::known).collect();
    let is_plain = rest.iter().all(|word| word.as_text().split == Loose::Not || is_flag(word));
    let texts = known.as_deref().unwrap_or_default();
    let is_known = known.is_some();
    let when = |is_so: bool, made: Made| if is_so { made } else { Made::ANYTHING };
    match name {
        // Numbers, and names that the system gives.
        "arch" | "nproc" | "tty" | "uname" | "whoami" | "id" | "logname" | "getconf" => {
            when(is_known && is_plain, Made::NOT)
        }
        "tput" => when(matches!(texts, ["cols" | "lines" | "colors"]), Made::NOT),
        "hostname" => when(is_known && texts.iter().all(|word| word.starts_with('-')), Made::NOT),
        // Numbers, with names behind them that stand in the line.
        "wc" => when(is_plain && !has(rest, "--files0"), Made::NOT),
        "seq" => when(is_plain && rest.iter().all(is_number), Made::NOT),
        "expr" => when(is_plain && rest.iter().all(is_of_numbers), Made::NOT),
        "date" => when(is_known && texts.iter().all(|word| is_date(word)), Made::NOT),
        // A random name behind what stands in the line.
        "mktemp" => when(is_plain, Made::NOT),
        // Paths from the root on.
        "pwd" | "which" => when(is_plain, Made::PATHS),
        "realpath" | "readlink" => {
            let is_absolute = name == "realpath" || rest.iter().any(|it| it.spelled() == "-f");
            when(is_absolute && !has(rest, "--relative"), Made::PATHS)
        }
        "command" | "type" => {
            when(matches!(texts.first(), Some(&("-v" | "-P" | "-p"))) && is_plain, Made::PATHS)
        }
        "dirname" => {
            let mut made = rest.iter().map(Argument::as_text);
            made.next().filter(|_| made.next().is_none()).unwrap_or(Made::ANYTHING)
        }
        "basename" => match rest {
            // The last part of the folder's own path.
            [word] if word.spelled().is_empty() => when(word.assigned == Made::PATHS, Made::NAMES),
            _ => when(is_plain && texts.iter().all(|it| !it.starts_with('-')), Made::NOT),
        },
        "git" => git(rest, is_plain),
        "go" => go(texts),
        "docker" | "podman" => when(is_plain && prints_ids(texts), Made::NOT),
        "kubectl" | "oc" => when(is_plain && prints_kubernetes_names(texts), Made::NOT),
        "pkg-config" | "llvm-config" | "python3-config" => {
            // Files of settings may be anybody's.
            let is_place = |word: &&str| word.contains('/') || word.contains(".pc");
            let sets = ["PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR"];
            let is_set = sets.iter().any(|name| values.sets(name));
            when(is_known && !is_set && !texts.iter().any(is_place), Made::NOT)
        }
        "brew" => when(texts.first() == Some(&"--prefix"), Made::PATHS),
        "python" | "python3" | "node" | "cargo" | "rustc" => {
            when(matches!(texts, ["--version" | "-V" | "-v"]), Made::NOT)
        }
        "echo" => echo(rest),
        "printf" => printf(rest),
        "true" | "false" | "test" | "[" => Made::NOT,
        "cd" | "pushd" | "popd" => Made::PATHS,
        _ => listers::printed_by(name, rest, fed),
    }
}

fn is_flag(word: &Argument) -> bool {
    let is_one = |text: &str| text.starts_with('-') && !text.contains(char::is_whitespace);
    word.known().is_some_and(|text| is_one(text) && text != "--")
}

fn is_number(word: &Argument) -> bool {
    let is_digit = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | '-');
    word.spelled().chars().all(is_digit)
}

/// Whether a word of `expr` is a number, or what reckons with numbers.
fn is_of_numbers(word: &Argument) -> bool {
    matches!(word.spelled(), "+" | "-" | "*" | "/" | "%" | "(" | ")") || is_number(word)
}

fn has(words: &[Argument], option: &str) -> bool {
    words.iter().any(|word| word.spelled().starts_with(option))
}

/// Whether `date` is not told to print a dash first, nor what the zone is called.
fn is_date(word: &str) -> bool {
    let Some(format) = word.strip_prefix('+') else { return !word.contains('%') };
    let is_plain = |sign: char| sign.is_alphanumeric() || "%_.:/-".contains(sign);
    !format.starts_with('-')
        && format.chars().all(is_plain)
        && !["%Z", "%n", "%t"].iter().any(|part| format.contains(part))
}

/// Formats of commits that are numbers.
const COMMIT_FORMATS: &[&str] =
    &["--format=%H", "--format=%h", "--format=%ct", "--format=%at", "--pretty=%H", "--pretty=%h"];

/// Options that choose commits.
#[rustfmt::skip]
const CHOOSING: &[&str] = &[
    "--all", "--author=", "--count", "--first-parent", "--grep=", "--max-count=", "--max-parents=",
    "--merges", "--no-merges", "--reverse", "--since=", "--until=", "-n",
];

/// Whether an option is one of these, or one with a value of these, or a number.
fn is_known_flag(flag: &str, known: &[&str]) -> bool {
    known.iter().any(|it| flag == *it || it.ends_with('=') && flag.starts_with(it))
        || flag[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Options of `git rev-parse`, which prints those that it does not know.
const REV_PARSE: &[&str] = &[
    "--abbrev-ref",
    "--absolute-git-dir",
    "--git-common-dir",
    "--git-dir",
    "--is-inside-work-tree",
    "--quiet",
    "--short",
    "--show-toplevel",
    "--symbolic-full-name",
    "--verify",
    "-q",
];

/// Names of branches and tags begin with no dash, as `git` makes them.
fn git(rest: &[Argument], is_plain: bool) -> Made {
    let skipped = match rest.first().map(Argument::spelled) {
        Some("-C") => 2,
        Some("--no-pager") => 1,
        _ => 0,
    };
    let Some((command, words)) = rest.get(skipped..).and_then(<[Argument]>::split_first) else {
        return Made::ANYTHING;
    };
    let flags = || words.iter().map(Argument::spelled).filter(|word| word.starts_with('-'));
    let are_all = |known: &[&str]| flags().all(|flag| is_known_flag(flag, known));
    let is_no_option = match command.known() {
        Some("rev-parse") => flags().all(|flag| {
            REV_PARSE.contains(&flag)
                || flag.strip_prefix("--short=").is_some_and(|it| it.parse::<u8>().is_ok())
        }),
        Some("describe" | "merge-base" | "hash-object" | "write-tree" | "commit-tree") => true,
        Some("branch") => has(words, "--show-current"),
        Some("symbolic-ref") => flags().all(|flag| matches!(flag, "--short" | "-q")),
        Some("tag") => {
            are_all(&["-l", "--list", "--sort=", "--points-at", "--contains", "--merged"])
        }
        Some("rev-list") => are_all(CHOOSING),
        Some("log") => {
            flags().any(|flag| COMMIT_FORMATS.contains(&flag))
                && flags()
                    .all(|flag| COMMIT_FORMATS.contains(&flag) || is_known_flag(flag, CHOOSING))
        }
        _ => return listers::git(command.known(), words),
    };
    match (is_no_option && is_plain, has(words, "--show-toplevel")) {
        (false, _) => Made::ANYTHING,
        (true, true) => Made::PATHS,
        (true, false) => Made::NOT,
    }
}

/// Paths of packages, or of the toolchain.
fn go(words: &[&str]) -> Made {
    match words.split_first() {
        Some((&"list", rest)) if !rest.iter().any(|it| it.starts_with("-f")) => Made::NOT,
        Some((&"env", ["GOPATH" | "GOROOT" | "GOBIN" | "GOOS" | "GOARCH"])) => Made::PATHS,
        _ => Made::ANYTHING,
    }
}

/// Whether containers or images are told by their ids.
fn prints_ids(words: &[&str]) -> bool {
    let lists = words.iter().any(|word| matches!(*word, "ps" | "ls" | "images"));
    let is_quiet = |word: &&str| {
        *word == "--quiet"
            || word.starts_with('-') && !word.starts_with("--") && word.ends_with('q')
    };
    lists && words.iter().any(is_quiet) && !words.iter().any(|word| word.starts_with("--format"))
}

/// Whether things are told by their names, which begin with letters.
fn prints_kubernetes_names(words: &[&str]) -> bool {
    let is_output = |word: &&str| {
        matches!(*word, "name" | "-oname" | "-o=name" | "--output=name")
            || word.ends_with(".metadata.name}")
    };
    words.first() == Some(&"get") && words.iter().any(is_output)
}

/// What stands in the line, and what is put into it.
fn echo(rest: &[Argument]) -> Made {
    let is_option = |word: &&Argument| {
        let text = word.spelled();
        text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|it| "neE".contains(it))
    };
    let words = &rest[rest.iter().take_while(is_option).count()..];
    let is_escaped = |word: &Argument| word.spelled().contains('\\');
    let Some(first) = words.first() else { return Made::NOT };
    if words.len() < rest.len() && words.iter().any(is_escaped) {
        return Made::ANYTHING;
    }
    let split = words.iter().map(|word| word.as_text().split).max();
    Made { whole: first.as_text().whole, split: split.unwrap_or_default() }
}

/// The same behind a format that puts nothing before it.
fn printf(rest: &[Argument]) -> Made {
    let Some((format, words)) = rest.split_first() else { return Made::NOT };
    let lists = ["%s", "%s\\n", "%s\\0", "%s ", "%s\\t", "%b\\n"];
    match format.known() {
        Some(format) if lists[..5].contains(&format) => {
            words.iter().map(Argument::as_text).fold(Made::NOT, Made::or)
        }
        Some(text) if !text.contains(['%', '\\']) || words.is_empty() && is_plain_format(text) => {
            of_text(&text.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\n"))
        }
        _ => Made::ANYTHING,
    }
}

/// Whether a format escapes nothing but blanks.
fn is_plain_format(text: &str) -> bool {
    let mut behind = text.split('\\').skip(1);
    !text.contains('%') && behind.all(|it| it.starts_with(['n', 't']))
}
