//! Programs that search and list.

use super::program_flags::{ParsedFlags, non_flag_arguments};
use super::text_programs::{convert_read_to_search, discard_input};
use crate::effect::ReadSpan;
use crate::shell::command_effect::{CommandEffect, CommandEffectKind, StdoutPart, absorb_input};
use crate::shell::shell_state::{Invocation, ShellState};
use crate::shell::shell_word::ShellWord;

/// Flags of `grep` that take the next word.
#[rustfmt::skip]
const GREP_VALUE_FLAGS: &[&str] = &[
    "-A", "-B", "-C", "-m", "-d", "-D", "--include", "--exclude", "--exclude-dir", "--color",
    "--max-count", "--context", "--after-context", "--before-context", "--label",
];
/// Flags of `rg` that take the next word.
#[rustfmt::skip]
const RG_VALUE_FLAGS: &[&str] = &[
    "-A", "-B", "-C", "-m", "-g", "--glob", "--iglob", "-t", "--type", "-T", "--type-not", "-j",
    "-M", "--max-columns", "-r", "--replace", "-d", "--max-depth", "--sort", "--sortr", "-E",
    "--max-count", "--context", "--after-context", "--before-context", "--color", "-G",
];

pub(super) fn grep_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let values =
        if matches!(call.name, "rg" | "ag" | "ack") { RG_VALUE_FLAGS } else { GREP_VALUE_FLAGS };
    // If a flag gives the pattern, every other word is a file.
    let mut with_pattern = values.to_vec();
    with_pattern.extend(["-e", "--regexp", "-f", "--file"]);
    let flags = ParsedFlags::parse(call.arguments, &with_pattern);
    let given = ["-e", "--regexp", "-f", "--file"].iter().any(|flag| {
        flags.flags.iter().any(|had| had == flag || had.starts_with(&format!("{flag}=")))
    }) || flags.flags.iter().any(|had| had.starts_with("-e") && !had.starts_with("--"));
    if flags.flags.iter().any(|flag| flag == "--files") {
        return list_effect(shell, call);
    }
    let skipped = usize::from(!given).min(flags.files.len());
    let files = &flags.files[skipped..];
    let mut part = match (files.is_empty(), call.input) {
        (true, Some(input)) => return piped_grep_effect(input, flags.has_flag("-n")),
        (_, input) => absorb_input(
            CommandEffect::new(CommandEffectKind::Search, vec![StdoutPart::Unknown]),
            input.map(discard_input),
        ),
    };
    shell.record_first_directory();
    part.scopes.extend(files.iter().filter_map(|word| shell.resolve_word(word)));
    part.fragile |= call.arguments.iter().any(|word| word.expands);
    if flags.has_flag("-q") || flags.has_flag("--quiet") {
        part.stdout.clear();
    }
    part
}

/// Returns the effect of `grep` in a pipe.
fn piped_grep_effect(mut input: CommandEffect, numbers: bool) -> CommandEffect {
    let partly = input
        .stdout
        .iter()
        .any(|item| matches!(item, StdoutPart::Lines(target) if target.span != ReadSpan::All));
    convert_read_to_search(&mut input);
    if numbers && partly {
        // The printed numbers count the input, not the lines of the file.
        input.scopes.clear();
        input.fragile = true;
    }
    if input.kind <= CommandEffectKind::Harmless {
        input.kind = CommandEffectKind::Search;
    }
    input
}

pub(crate) fn list_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let mut part = CommandEffect::new(CommandEffectKind::List, vec![StdoutPart::Unknown]);
    shell.record_first_directory();
    let folders: Vec<&ShellWord> = match call.name {
        // Folders come first, then tests.
        "find" => call
            .arguments
            .iter()
            .take_while(|word| !word.text.starts_with(['-', '(', '!']))
            .collect(),
        "fd" | "fdfind" => non_flag_arguments(call.arguments).skip(1).collect(),
        _ => non_flag_arguments(call.arguments).collect(),
    };
    part.scopes = folders.iter().filter_map(|word| shell.resolve_word(word)).collect();
    part.fragile = call.arguments.iter().any(|word| word.expands);
    let runs =
        |word: &ShellWord| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    if matches!(call.name, "fd" | "fdfind") && call.arguments.iter().any(runs) {
        part.kind = CommandEffectKind::Run;
    }
    absorb_input(part, call.input.map(discard_input))
}
