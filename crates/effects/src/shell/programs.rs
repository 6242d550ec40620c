//! Programs by name, and what each does with its arguments.

use super::looking::{self, Flags};
use super::syntax::Word;
use super::{Invocation, Item, Kind, Part, Shell, absorbing, git, is_shell};
use crate::{Change, WriteTarget, patch};

/// Programs that print little and change no file's content.
const HARMLESS: &[&str] = &[
    "pwd", "which", "type", "whereis", "date", "whoami", "id", "uname", "hostname", "nproc",
    "basename", "dirname", "realpath", "readlink", "seq", "printenv", "tput", "locale", "arch",
];
/// Programs that print nothing and change no file's content.
const SILENT: &[&str] = &[
    "true", "false", ":", "test", "[", "[[", "sleep", "export", "set", "unset", "shopt", "alias",
    "ulimit", "exit", "return", "wait", "clear", "mkdir", "rmdir", "chmod", "chown", "local",
    "declare", "readonly", "umask", "hash", "break", "continue", "shift", "read",
];
/// Programs that say something about files, or print them altered.
const DERIVING: &[&str] = &[
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "column",
    "rev",
    "tac",
    "fold",
    "fmt",
    "paste",
    "xxd",
    "hexdump",
    "od",
    "strings",
    "file",
    "stat",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "shasum",
    "cksum",
    "diff",
    "cmp",
    "comm",
    "jq",
    "yq",
    "base64",
    "expand",
    "unexpand",
    "join",
    "look",
    "zcat",
    "du",
    "df",
    "iconv",
    "pr",
    "tsort",
    "numfmt",
    "colordiff",
];
/// Programs that rewrite the files they are given, some only with a flag.
const FORMATTERS: &[(&str, &[&str])] = &[
    ("gofmt", &["-w"]),
    ("gofumpt", &["-w"]),
    ("goimports", &["-w"]),
    ("rustfmt", &[]),
    ("prettier", &["--write", "-w"]),
    ("eslint", &["--fix"]),
    ("biome", &["--write", "--apply", "--fix"]),
    ("black", &[]),
    ("isort", &[]),
    ("ruff", &["--fix", "format"]),
    ("autopep8", &["-i", "--in-place"]),
    ("yapf", &["-i", "--in-place"]),
    ("clang-format", &["-i"]),
    ("shfmt", &["-w"]),
];

/// What `call` does.
pub(super) fn part(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let name = call.name;
    match name {
        "cat" | "bat" | "batcat" | "less" | "more" => looking::cat(shell, call),
        "nl" => looking::nl(shell, call),
        "head" | "tail" => looking::ends(shell, call),
        "sed" | "gsed" => looking::sed(shell, call),
        "awk" | "gawk" | "mawk" => looking::awk(shell, call),
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "ugrep" => {
            looking::grep(shell, call)
        }
        "ls" | "tree" | "dir" | "exa" | "eza" | "fd" | "fdfind" => looking::list(shell, call),
        "find" => find(shell, call),
        "xargs" | "parallel" => xargs(shell, call),
        "git" => git::part(shell, call),
        "cd" => {
            let to = call.arguments.iter().find(|word| word.text != "--" && word.text != "-P");
            shell.change_directory(to);
            absorbing(Part::default(), call.input)
        }
        "pushd" | "popd" => {
            shell.change_directory(call.arguments.first().or(Some(&Word::literal("-"))));
            absorbing(Part::of(Kind::Harmless, vec![Item::Unknown]), call.input)
        }
        "echo" | "printf" => absorbing(say(name, call.arguments), call.input),
        "eval" => Part::run(),
        "sudo" | "env" | "time" | "timeout" | "nice" | "nohup" | "command" | "builtin" | "exec"
        | "stdbuf" | "ionice" | "setsid" | "unbuffer" | "gtimeout" | "doas" => wrapped(shell, call),
        "npx" | "bunx" | "pnpx" | "uvx" => {
            // What is downloaded may not be the program of that name.
            Part { kind: Kind::Run, stdout: vec![Item::Unknown], ..wrapped(shell, call) }
        }
        "tee" | "cp" | "mv" | "rm" | "touch" | "truncate" | "dd" | "patch" | "apply_patch"
        | "applypatch" | "ln" | "install" | "unlink" => writer(shell, call),
        "curl" | "wget" | "http" | "https" | "lynx" => fetch(shell, call),
        "perl" => perl(shell, call),
        _ if is_shell(name) => nested(shell, call),
        _ if HARMLESS.contains(&name) => {
            absorbing(Part::of(Kind::Harmless, vec![Item::Unknown]), call.input)
        }
        _ if SILENT.contains(&name) => absorbing(Part::of(Kind::Nothing, vec![]), call.input),
        _ if DERIVING.contains(&name) => looking::derive(shell, call),
        _ => other(shell, call),
    }
}

/// A program nobody listed, or a formatter.
fn other(shell: &Shell, call: Invocation<'_>) -> Part {
    let mut part = Part::run();
    let formatter = FORMATTERS.iter().find(|(name, _)| *name == call.name);
    if let Some((_, flags)) = formatter {
        let on = flags.is_empty()
            || call.arguments.iter().any(|word| flags.contains(&word.text.as_str()));
        if on {
            let files =
                plain_arguments(call.arguments).filter(|word| word.text.contains(['.', '/']));
            part.writes = changed(shell, files, &Change::Unknown);
        }
    }
    absorbing(part, call.input)
}

pub(super) fn plain_arguments(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    arguments.iter().filter(|word| !word.text.starts_with('-'))
}

pub(super) fn changed<'a>(
    shell: &Shell,
    files: impl Iterator<Item = &'a Word>,
    change: &Change,
) -> Vec<WriteTarget> {
    files
        .filter_map(|word| shell.path(word))
        .map(|path| WriteTarget { path, change: change.clone() })
        .collect()
}

fn say(name: &str, arguments: &[Word]) -> Part {
    let mut words = arguments;
    let mut escapes = name == "printf";
    if name == "echo" {
        while let [first, rest @ ..] = words
            && matches!(first.text.as_str(), "-e" | "-n" | "-E" | "-ne" | "-en")
        {
            escapes |= first.text.contains('e');
            if first.text.contains('n') {
                return Part::of(Kind::Harmless, vec![Item::Unknown]);
            }
            words = rest;
        }
    } else if words.len() != 1 || words[0].text.contains('%') {
        return Part::of(Kind::Harmless, vec![Item::Unknown]);
    }
    let mut known: Option<Vec<&str>> = words.iter().map(Word::known).collect();
    if escapes && words.iter().any(|word| word.text.contains('\\')) {
        // Only the escapes that everyone uses are read.
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let unescaped = text.replace("\\n", "\n").replace("\\t", "\t");
        if unescaped.contains('\\') || known.is_none() {
            known = None;
        } else {
            let end = if name == "echo" { "\n" } else { "" };
            return Part::of(Kind::Harmless, vec![Item::Text(unescaped + end)]);
        }
    }
    let item = match known {
        Some(words) if name == "echo" => Item::Text(words.join(" ") + "\n"),
        Some(words) => Item::Text(words.join(" ")),
        None => Item::Unknown,
    };
    Part::of(Kind::Harmless, vec![item])
}

/// `find`: a list, unless it hands what it finds to another program.
fn find(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let words = call.arguments;
    let mut part = looking::list(shell, call);
    let mut at = 0;
    while at < words.len() {
        match words[at].text.as_str() {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let inner = &words[at + 1..];
                let ends = |word: &Word| matches!(word.text.as_str(), ";" | "+");
                let length = inner.iter().position(ends).unwrap_or(inner.len());
                let mut made: Vec<Word> = inner[..length].to_vec();
                for word in made.iter_mut().filter(|word| word.text.contains("{}")) {
                    word.expands = true;
                }
                part = handed_on(shell, part, &made);
                at += length;
            }
            "-delete" | "-fprint" | "-fls" | "-fprintf" => part.kind = Kind::Run,
            _ => {}
        }
        at += 1;
    }
    part
}

/// `made` runs on each name that `names` found.
fn handed_on(shell: &mut Shell, names: Part, made: &[Word]) -> Part {
    let Some((name, arguments)) = made.split_first() else { return names };
    let mut part = shell.program(name, arguments, None);
    if !part.writes.is_empty() || part.kind > Kind::Read {
        part.kind = Kind::Run;
    }
    // The names are not in the command line.
    part.stdout = vec![Item::Unknown];
    part.fragile = names.fragile || part.kind == Kind::Read;
    let kind = part.kind;
    let mut names = names;
    part.absorb(&mut names);
    if kind.looks_only() && names.kind.looks_only() && kind >= Kind::List {
        part.kind = kind;
    }
    part
}

fn xargs(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let names = call.input.unwrap_or_else(Part::run);
    let start =
        after_flags(call.arguments, &["-I", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "-j"]);
    let mut made = call.arguments[start..].to_vec();
    if made.is_empty() {
        return names;
    }
    made.push(Word { text: "{}".to_owned(), expands: true, glob: false });
    for word in &mut made[1..] {
        word.expands |= word.text.contains("{}");
    }
    handed_on(shell, names, &made)
}

/// Where the arguments start after leading flags, some of which take a value.
fn after_flags(arguments: &[Word], with_value: &[&str]) -> usize {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if !word.text.starts_with('-') {
            break;
        }
        at += 1 + usize::from(with_value.contains(&word.text.as_str()));
        if word.text == "--" {
            break;
        }
    }
    at.min(arguments.len())
}

/// Programs that run another one in some way.
fn wrapped(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let with_value: &[&str] = match call.name {
        "sudo" | "doas" => &["-u", "-g", "-h", "-p"],
        "timeout" | "gtimeout" => &["-k", "-s", "--signal", "--kill-after"],
        "nice" => &["-n"],
        "ionice" => &["-c", "-n", "-p"],
        "env" => &["-u", "-C", "-S"],
        "stdbuf" => &["-o", "-e", "-i"],
        "time" => &["-f", "-o"],
        _ => &[],
    };
    if call.name == "command" && call.arguments.first().is_some_and(|word| word.text == "-v") {
        return absorbing(Part::of(Kind::Harmless, vec![Item::Unknown]), call.input);
    }
    let mut start = after_flags(call.arguments, with_value);
    if matches!(call.name, "timeout" | "gtimeout") {
        start += 1;
    }
    while call
        .arguments
        .get(start)
        .is_some_and(|word| matches!(call.name, "env" | "sudo") && word.text.contains('='))
    {
        start += 1;
    }
    match call.arguments.get(start..).and_then(<[Word]>::split_first) {
        Some((name, arguments)) => shell.program(name, arguments, call.input),
        None => absorbing(Part::of(Kind::Harmless, vec![Item::Unknown]), call.input),
    }
}

/// `bash -c '…'`.
fn nested(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let flag = call.arguments.iter().position(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c')
    });
    let Some(script) = flag.and_then(|at| call.arguments.get(at + 1)) else {
        return absorbing(Part::run(), call.input);
    };
    let before = shell.directory.clone();
    shell.shells += 1;
    let part = shell.script(&script.text);
    shell.shells -= 1;
    shell.directory = before;
    absorbing(part.fragile(script.expands), call.input)
}

/// `perl -pi -e …` rewrites its files; anything else may do anything.
fn perl(shell: &Shell, call: Invocation<'_>) -> Part {
    let in_place = call.arguments.iter().any(|word| {
        word.text.starts_with("-i") || word.text.starts_with("-pi") || word.text.starts_with("-0pi")
    });
    if !in_place {
        return absorbing(Part::run(), call.input);
    }
    let mut part = Part::of(Kind::Edit, Vec::new());
    let mut files: Vec<Word> = Vec::new();
    let mut words = call.arguments.iter();
    while let Some(word) = words.next() {
        if !word.text.starts_with('-') {
            files.push(word.clone());
        } else if word.text.ends_with('e') {
            words.next();
        }
    }
    part.writes = changed(shell, files.iter(), &Change::Unknown);
    if files.is_empty() || part.writes.len() < files.len() {
        part.kind = Kind::Run;
    }
    absorbing(part, call.input)
}

fn fetch(shell: &Shell, call: Invocation<'_>) -> Part {
    let sends = |word: &Word| {
        let text = word.text.as_str();
        matches!(text, "-X" | "--request" | "-d" | "-F" | "-T" | "--post-data" | "--upload-file")
            || text.starts_with("--data")
            || text.starts_with("-X")
    };
    let kind = if call.arguments.iter().any(sends) { Kind::Run } else { Kind::Fetch };
    let saved = call.arguments.windows(2).filter(|pair| {
        matches!((call.name, pair[0].text.as_str()), ("curl", "-o" | "--output") | ("wget", "-O"))
    });
    let files = saved.map(|pair| &pair[1]).filter(|word| !word.text.starts_with("/dev/"));
    let mut part = Part::of(kind, vec![Item::Unknown]);
    part.writes = changed(shell, files.filter(|word| word.text != "-"), &Change::Unknown);
    absorbing(part, call.input)
}

fn writer(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let flags = Flags::of(
        call.arguments,
        match call.name {
            "truncate" => &["-s", "-r"],
            "touch" => &["-t", "-d", "-r"],
            "patch" => &["-p", "-i", "-d", "-o"],
            "install" => &["-m", "-o", "-g"],
            _ => &[],
        },
    );
    let files = &flags.files;
    let mut part = Part::of(Kind::Edit, Vec::new());
    match (call.name, &files[..]) {
        ("tee", _) => {
            let input = call.input.unwrap_or_default();
            let change = super::written(&input.stdout, flags.has("-a") || flags.has("--append"));
            let files = files.iter().filter(|word| !word.text.starts_with("/dev/"));
            let named = files.clone().count();
            part.writes = changed(shell, files, &change);
            part.kind = match named {
                0 => Kind::Nothing,
                named if named == part.writes.len() => Kind::Write,
                _ => Kind::Run,
            };
            part.stdout.clone_from(&input.stdout);
            let mut input = input;
            if input.kind.looks_only() {
                input.kind = Kind::Nothing;
            }
            part.absorb(&mut input);
            return part;
        }
        ("cp" | "ln" | "install", [from @ .., to]) if !from.is_empty() => {
            part.writes = changed(shell, [to].into_iter(), &Change::Unknown);
        }
        ("mv", [from @ .., to]) if !from.is_empty() => {
            part.writes = changed(shell, from.iter(), &Change::Remove);
            part.writes.extend(changed(shell, [to].into_iter(), &Change::Unknown));
        }
        ("rm" | "unlink", _) => part.writes = changed(shell, files.iter(), &Change::Remove),
        ("touch", _) => {
            part.writes = changed(shell, files.iter(), &Change::Append(String::new()));
        }
        ("truncate", _) => part.writes = changed(shell, files.iter(), &Change::Unknown),
        ("apply_patch" | "applypatch", _) => part.writes = codex_patch(shell, &call),
        ("patch", _) => {
            part.writes = changed(shell, files.iter().take(1), &Change::Unknown);
            part.writes.extend(diff_writes(shell, call.input.as_ref()));
        }
        ("dd", _) => {
            let to: Vec<Word> = files
                .iter()
                .filter_map(|word| word.text.strip_prefix("of=").map(Word::literal))
                .collect();
            part.writes = changed(shell, to.iter(), &Change::Unknown);
        }
        _ => {}
    }
    // What is changed is not named in full.
    let unnamed = files.iter().any(|word| word.known().is_none());
    if unnamed || part.writes.is_empty() {
        part.kind = Kind::Run;
        part.stdout = vec![Item::Unknown];
    }
    absorbing(part, call.input.map(|input| Part { stdout: Vec::new(), ..input }))
}

fn codex_patch(shell: &Shell, call: &Invocation<'_>) -> Vec<WriteTarget> {
    let given = call.input.as_ref().and_then(|input| match &input.stdout[..] {
        [Item::Text(text)] => Some(text.as_str()),
        _ => None,
    });
    let text = given.or_else(|| call.arguments.first().and_then(Word::known)).unwrap_or_default();
    patch::codex_patch(text, shell.directory.known())
}

/// The files that a diff on standard input changes.
pub(super) fn diff_writes(shell: &Shell, input: Option<&Part>) -> Vec<WriteTarget> {
    let Some(Part { stdout, .. }) = input else { return Vec::new() };
    let [Item::Text(text)] = &stdout[..] else { return Vec::new() };
    let names: Vec<Word> = patch::unified_diff_paths(text).into_iter().map(Word::literal).collect();
    changed(shell, names.iter(), &Change::Unknown)
}
