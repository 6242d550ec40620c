//! Programs that change files, and those with unknown effects.

use super::program_flags::{ParsedFlags, non_flag_arguments};
use crate::effect::{WriteChange, WriteTarget};
use crate::patch;
use crate::shell::command_effect::{
    CommandEffect, CommandEffectKind, StdoutPart, absorb_input, stdout_change,
};
use crate::shell::shell_state::{Invocation, ShellState};
use crate::shell::shell_word::ShellWord;

/// Programs that rewrite their files, some only with one of these flags.
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

/// Returns the effect of an unlisted program or a formatter.
pub(super) fn unlisted_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let mut part = CommandEffect::unknown_run();
    let formatter = FORMATTERS.iter().find(|(name, _)| *name == call.name);
    if let Some((_, flags)) = formatter {
        let on = flags.is_empty()
            || call.arguments.iter().any(|word| flags.contains(&word.text.as_str()));
        if on {
            let files =
                non_flag_arguments(call.arguments).filter(|word| word.text.contains(['.', '/']));
            part.writes = shell.write_targets(files, &WriteChange::Unknown);
        }
    }
    absorb_input(part, call.input)
}

/// Returns the effect of `perl`: `perl -pi -e …` rewrites its files; any other call may do
/// anything.
pub(super) fn perl_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let in_place = call.arguments.iter().any(|word| {
        word.text.starts_with("-i") || word.text.starts_with("-pi") || word.text.starts_with("-0pi")
    });
    if !in_place {
        return absorb_input(CommandEffect::unknown_run(), call.input);
    }
    let mut part = CommandEffect::new(CommandEffectKind::Edit, Vec::new());
    let mut files: Vec<ShellWord> = Vec::new();
    let mut words = call.arguments.iter();
    while let Some(word) = words.next() {
        if !word.text.starts_with('-') {
            files.push(word.clone());
        } else if word.text.ends_with('e') {
            words.next();
        }
    }
    part.writes = shell.write_targets(files.iter(), &WriteChange::Unknown);
    if files.is_empty() || part.writes.len() < files.len() {
        part.kind = CommandEffectKind::Run;
    }
    absorb_input(part, call.input)
}

/// Returns the effect of a program that fetches pages, possibly into files.
pub(super) fn fetch_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let sends = |word: &ShellWord| {
        let text = word.text.as_str();
        matches!(text, "-X" | "--request" | "-d" | "-F" | "-T" | "--post-data" | "--upload-file")
            || text.starts_with("--data")
            || text.starts_with("-X")
    };
    let kind = if call.arguments.iter().any(sends) {
        CommandEffectKind::Run
    } else {
        CommandEffectKind::Fetch
    };
    let saved = call.arguments.windows(2).filter(|pair| {
        matches!((call.name, pair[0].text.as_str()), ("curl", "-o" | "--output") | ("wget", "-O"))
    });
    let files = saved.map(|pair| &pair[1]).filter(|word| !word.text.starts_with("/dev/"));
    let mut part = CommandEffect::new(kind, vec![StdoutPart::Unknown]);
    part.writes = shell.write_targets(files.filter(|word| word.text != "-"), &WriteChange::Unknown);
    absorb_input(part, call.input)
}

/// Returns the effect of `tee`, which passes on its input and writes it.
pub(super) fn tee_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let flags = ParsedFlags::parse(call.arguments, &[]);
    let mut part = CommandEffect::new(CommandEffectKind::Edit, Vec::new());
    let mut input = call.input.unwrap_or_default();
    let change = stdout_change(&input.stdout, flags.has_flag("-a") || flags.has_flag("--append"));
    let files = flags.files.iter().filter(|word| !word.text.starts_with("/dev/"));
    let named = files.clone().count();
    part.writes = shell.write_targets(files, &change);
    part.kind = match named {
        0 => CommandEffectKind::Nothing,
        named if named == part.writes.len() => CommandEffectKind::Write,
        _ => CommandEffectKind::Run,
    };
    part.stdout.clone_from(&input.stdout);
    if input.kind.is_read_only() {
        input.kind = CommandEffectKind::Nothing;
    }
    part.absorb(&mut input);
    part
}

/// Returns the effect of a program that writes, moves and removes files.
pub(super) fn file_command_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let flags = ParsedFlags::parse(
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
    let mut part = CommandEffect::new(CommandEffectKind::Edit, Vec::new());
    match (call.name, &files[..]) {
        ("cp" | "ln" | "install", [from @ .., to]) if !from.is_empty() => {
            part.writes = shell.write_targets([to].into_iter(), &WriteChange::Unknown);
        }
        ("mv", [from @ .., to]) if !from.is_empty() => {
            part.writes = shell.write_targets(from.iter(), &WriteChange::Remove);
            part.writes.extend(shell.write_targets([to].into_iter(), &WriteChange::Unknown));
        }
        ("rm" | "unlink", _) => {
            part.writes = shell.write_targets(files.iter(), &WriteChange::Remove);
        }
        ("touch", _) => {
            part.writes = shell.write_targets(files.iter(), &WriteChange::Append(String::new()));
        }
        ("truncate", _) => part.writes = shell.write_targets(files.iter(), &WriteChange::Unknown),
        ("apply_patch" | "applypatch", _) => part.writes = patch_writes(shell, &call),
        ("patch", _) => {
            part.writes = shell.write_targets(files.iter().take(1), &WriteChange::Unknown);
            part.writes.extend(diff_writes(shell, call.input.as_ref()));
        }
        ("dd", _) => {
            let to: Vec<ShellWord> = files
                .iter()
                .filter_map(|word| word.text.strip_prefix("of=").map(ShellWord::literal))
                .collect();
            part.writes = shell.write_targets(to.iter(), &WriteChange::Unknown);
        }
        _ => {}
    }
    // The call does not name all files that it changes.
    let unnamed = files.iter().any(|word| word.known_text().is_none());
    if unnamed || part.writes.is_empty() {
        part.kind = CommandEffectKind::Run;
        part.stdout = vec![StdoutPart::Unknown];
    }
    absorb_input(part, call.input.map(|input| CommandEffect { stdout: Vec::new(), ..input }))
}

fn patch_writes(shell: &ShellState, call: &Invocation<'_>) -> Vec<WriteTarget> {
    let given = call.input.as_ref().and_then(|input| match &input.stdout[..] {
        [StdoutPart::Text(text)] => Some(text.as_str()),
        _ => None,
    });
    let text = given
        .or_else(|| call.arguments.first().and_then(ShellWord::known_text))
        .unwrap_or_default();
    patch::parse_codex_patch(text, shell.directory.known_path())
}

/// Returns the files that a diff on standard input changes.
pub(super) fn diff_writes(shell: &ShellState, input: Option<&CommandEffect>) -> Vec<WriteTarget> {
    let Some(CommandEffect { stdout, .. }) = input else { return Vec::new() };
    let [StdoutPart::Text(text)] = &stdout[..] else { return Vec::new() };
    let names: Vec<ShellWord> =
        patch::unified_diff_paths(text).into_iter().map(ShellWord::literal).collect();
    shell.write_targets(names.iter(), &WriteChange::Unknown)
}
