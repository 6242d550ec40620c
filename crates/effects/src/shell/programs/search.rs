//! Programs that search and list.

use super::flags::{Flags, plain_arguments};
use super::look::{searched, unread};
use crate::effect::Span;
use crate::shell::part::{Item, Kind, Part, absorbing};
use crate::shell::state::{Invocation, Shell};
use crate::shell::word::Word;

/// Flags of `grep` that take the next word.
#[rustfmt::skip]
const GREP_VALUES: &[&str] = &[
    "-A", "-B", "-C", "-m", "-d", "-D", "--include", "--exclude", "--exclude-dir", "--color",
    "--max-count", "--context", "--after-context", "--before-context", "--label",
];
/// Flags of `rg` that do.
#[rustfmt::skip]
const RG_VALUES: &[&str] = &[
    "-A", "-B", "-C", "-m", "-g", "--glob", "--iglob", "-t", "--type", "-T", "--type-not", "-j",
    "-M", "--max-columns", "-r", "--replace", "-d", "--max-depth", "--sort", "--sortr", "-E",
    "--max-count", "--context", "--after-context", "--before-context", "--color", "-G",
];

pub(super) fn grep(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let values = if matches!(call.name, "rg" | "ag" | "ack") { RG_VALUES } else { GREP_VALUES };
    // Patterns given by flag leave every other word a file.
    let mut with_pattern = values.to_vec();
    with_pattern.extend(["-e", "--regexp", "-f", "--file"]);
    let flags = Flags::of(call.arguments, &with_pattern);
    let given = ["-e", "--regexp", "-f", "--file"].iter().any(|flag| {
        flags.flags.iter().any(|had| had == flag || had.starts_with(&format!("{flag}=")))
    }) || flags.flags.iter().any(|had| had.starts_with("-e") && !had.starts_with("--"));
    if flags.flags.iter().any(|flag| flag == "--files") {
        return list(shell, call);
    }
    let skipped = usize::from(!given).min(flags.files.len());
    let files = &flags.files[skipped..];
    let mut part = match (files.is_empty(), call.input) {
        (true, Some(input)) => return filtered(input, flags.has("-n")),
        (_, input) => absorbing(Part::of(Kind::Search, vec![Item::Unknown]), input.map(unread)),
    };
    shell.look_from_here();
    part.scopes.extend(files.iter().filter_map(|word| shell.path(word)));
    part.fragile |= call.arguments.iter().any(|word| word.expands);
    if flags.has("-q") || flags.has("--quiet") {
        part.stdout.clear();
    }
    part
}

/// `grep` in a pipe.
fn filtered(mut input: Part, numbers: bool) -> Part {
    let partly = input
        .stdout
        .iter()
        .any(|item| matches!(item, Item::Lines(target) if target.span != Span::All));
    searched(&mut input);
    if numbers && partly {
        // The numbers printed count what came in, not the file's lines.
        input.scopes.clear();
        input.fragile = true;
    }
    if input.kind <= Kind::Harmless {
        input.kind = Kind::Search;
    }
    input
}

pub(crate) fn list(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let mut part = Part::of(Kind::List, vec![Item::Unknown]);
    shell.look_from_here();
    let folders: Vec<&Word> = match call.name {
        // Folders come first, then tests.
        "find" => call
            .arguments
            .iter()
            .take_while(|word| !word.text.starts_with(['-', '(', '!']))
            .collect(),
        "fd" | "fdfind" => plain_arguments(call.arguments).skip(1).collect(),
        _ => plain_arguments(call.arguments).collect(),
    };
    part.scopes = folders.iter().filter_map(|word| shell.path(word)).collect();
    part.fragile = call.arguments.iter().any(|word| word.expands);
    let runs = |word: &Word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    if matches!(call.name, "fd" | "fdfind") && call.arguments.iter().any(runs) {
        part.kind = Kind::Run;
    }
    absorbing(part, call.input.map(unread))
}
