//! Programs that change files, and those that may do anything.

use super::flags::{Flags, plain_arguments};
use crate::effect::{Change, WriteTarget};
use crate::patch;
use crate::shell::part::{Item, Kind, Part, absorbing, written};
use crate::shell::state::{Invocation, Shell};
use crate::shell::word::Word;

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

/// A program nobody listed, or a formatter.
pub(super) fn unlisted(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let mut part = Part::run();
    let formatter = FORMATTERS.iter().find(|(name, _)| *name == call.name);
    if let Some((_, flags)) = formatter {
        let on = flags.is_empty()
            || call.arguments.iter().any(|word| flags.contains(&word.text.as_str()));
        if on {
            let files =
                plain_arguments(call.arguments).filter(|word| word.text.contains(['.', '/']));
            part.writes = shell.changed(files, &Change::Unknown);
        }
    }
    absorbing(part, call.input)
}

/// `perl -pi -e …` rewrites its files; anything else may do anything.
pub(super) fn perl(shell: &mut Shell, call: Invocation<'_>) -> Part {
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
    part.writes = shell.changed(files.iter(), &Change::Unknown);
    if files.is_empty() || part.writes.len() < files.len() {
        part.kind = Kind::Run;
    }
    absorbing(part, call.input)
}

/// Fetches pages, some into files.
pub(super) fn fetch(shell: &mut Shell, call: Invocation<'_>) -> Part {
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
    part.writes = shell.changed(files.filter(|word| word.text != "-"), &Change::Unknown);
    absorbing(part, call.input)
}

/// `tee`: passes on what came in, and writes it.
pub(super) fn tee(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let flags = Flags::of(call.arguments, &[]);
    let mut part = Part::of(Kind::Edit, Vec::new());
    let mut input = call.input.unwrap_or_default();
    let change = written(&input.stdout, flags.has("-a") || flags.has("--append"));
    let files = flags.files.iter().filter(|word| !word.text.starts_with("/dev/"));
    let named = files.clone().count();
    part.writes = shell.changed(files, &change);
    part.kind = match named {
        0 => Kind::Nothing,
        named if named == part.writes.len() => Kind::Write,
        _ => Kind::Run,
    };
    part.stdout.clone_from(&input.stdout);
    if input.kind.looks_only() {
        input.kind = Kind::Nothing;
    }
    part.absorb(&mut input);
    part
}

/// Programs that write, move and remove files.
pub(super) fn files(shell: &mut Shell, call: Invocation<'_>) -> Part {
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
        ("cp" | "ln" | "install", [from @ .., to]) if !from.is_empty() => {
            part.writes = shell.changed([to].into_iter(), &Change::Unknown);
        }
        ("mv", [from @ .., to]) if !from.is_empty() => {
            part.writes = shell.changed(from.iter(), &Change::Remove);
            part.writes.extend(shell.changed([to].into_iter(), &Change::Unknown));
        }
        ("rm" | "unlink", _) => part.writes = shell.changed(files.iter(), &Change::Remove),
        ("touch", _) => {
            part.writes = shell.changed(files.iter(), &Change::Append(String::new()));
        }
        ("truncate", _) => part.writes = shell.changed(files.iter(), &Change::Unknown),
        ("apply_patch" | "applypatch", _) => part.writes = codex_patch(shell, &call),
        ("patch", _) => {
            part.writes = shell.changed(files.iter().take(1), &Change::Unknown);
            part.writes.extend(diff_writes(shell, call.input.as_ref()));
        }
        ("dd", _) => {
            let to: Vec<Word> = files
                .iter()
                .filter_map(|word| word.text.strip_prefix("of=").map(Word::literal))
                .collect();
            part.writes = shell.changed(to.iter(), &Change::Unknown);
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
    shell.changed(names.iter(), &Change::Unknown)
}
