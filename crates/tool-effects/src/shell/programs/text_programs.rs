//! Programs that print lines: of their files, or of their input.

use super::line_filter;
use super::program_flags::ParsedFlags;
use crate::effect::{ReadSpan, WriteChange};
use crate::shell::command_effect::{
    CommandEffect, CommandEffectKind, StdoutPart, absorb_input, forget_exact_output,
};
use crate::shell::shell_state::{Invocation, ShellState};
use crate::shell::shell_word::ShellWord;

/// Returns the input of a filter: its files, or its standard input.
fn read_source(
    shell: &mut ShellState,
    files: &[ShellWord],
    input: Option<CommandEffect>,
) -> CommandEffect {
    if files.is_empty() || (files.len() == 1 && files[0].text == "-") {
        return input.unwrap_or_default();
    }
    let mut part = shell.read_files(files);
    if let Some(input) = input {
        part.absorb(&mut discard_input(input));
    }
    part
}

pub(super) fn cat_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let with_value: &[&str] = match call.name {
        "bat" | "batcat" => &["-r", "--line-range", "-l", "--language", "--style", "--theme", "-H"],
        _ => &[],
    };
    let flags = ParsedFlags::parse(call.arguments, with_value);
    let mut part = read_source(shell, &flags.files, call.input);
    let altered = match call.name {
        "cat" => ["-A", "-v", "-e", "-t", "-T", "-s", "-b"].iter().any(|flag| flags.has_flag(flag)),
        "bat" | "batcat" => flags.has_flag("-r") || flags.has_flag("--line-range"),
        _ => false,
    };
    if altered {
        part.stdout.iter_mut().for_each(forget_exact_output);
    }
    if flags.has_flag("-n") || flags.has_flag("--number") {
        check_line_numbers(&mut part);
    }
    part
}

pub(super) fn nl_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let flags = ParsedFlags::parse(
        call.arguments,
        &["-b", "-w", "-s", "-n", "-v", "-i", "-l", "-h", "-f", "-d"],
    );
    let mut part = read_source(shell, &flags.files, call.input);
    let values: Vec<&str> = call.arguments.iter().map(|word| word.text.as_str()).collect();
    let all = values.contains(&"-ba")
        || values.contains(&"--body-numbering=a")
        || values.windows(2).any(|pair| pair == ["-b", "a"])
        || values.iter().any(|value| value.starts_with("-ba"));
    if all {
        check_line_numbers(&mut part);
    } else {
        // Blank lines are not counted: the numbers are not those of the file.
        forget_lines(&mut part);
    }
    part
}

/// Forgets the lines of a numbered output unless it starts at the beginning of the file: only then
/// are the numbers right.
fn check_line_numbers(part: &mut CommandEffect) {
    match &part.stdout[..] {
        [StdoutPart::Lines(target)] if matches!(target.span, ReadSpan::All | ReadSpan::Unknown) => {
        }
        [StdoutPart::Lines(target)] => {
            let from_start = matches!(target.span, ReadSpan::Lines(first, _) if first.0 == 1);
            if !from_start {
                forget_lines(part);
            }
        }
        _ => forget_lines(part),
    }
}

/// Marks the output as unknown, and its files as scopes.
fn forget_lines(part: &mut CommandEffect) {
    for item in &mut part.stdout {
        if let StdoutPart::Lines(target) = item {
            part.scopes.push(std::mem::take(&mut target.path));
        }
        *item = StdoutPart::Unknown;
    }
}

pub(super) fn head_tail_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let follows = |word: &ShellWord| matches!(word.text.as_str(), "-f" | "-F" | "--follow");
    if call.name == "tail" && call.arguments.iter().any(follows) {
        return absorb_input(CommandEffect::unknown_run(), call.input);
    }
    let (cut, files) = line_filter::parse_head_or_tail(call.name, call.arguments);
    let mut part = read_source(shell, &files, call.input);
    if files.len() > 1 {
        // Each file is printed under a heading, from its own start.
        for item in &mut part.stdout {
            let whole = vec![std::mem::replace(item, StdoutPart::Unknown)];
            if let Some(left) = cut.apply(whole).pop() {
                *item = left;
            }
        }
        part.stdout.push(StdoutPart::Unknown);
    } else {
        part.stdout = cut.apply(part.stdout);
    }
    part
}

pub(super) fn sed_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let sed = line_filter::parse_sed(call.arguments);
    if sed.in_place {
        let mut part = CommandEffect::new(CommandEffectKind::Edit, Vec::new());
        part.writes = shell.write_targets(sed.files.iter(), &WriteChange::Unknown);
        if part.writes.is_empty() || part.writes.len() < sed.files.len() {
            part.kind = CommandEffectKind::Run;
        }
        return absorb_input(part, call.input);
    }
    let mut part = read_source(shell, &sed.files, call.input);
    part.stdout = sed.cut.apply(part.stdout);
    part
}

pub(super) fn awk_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let flags = ParsedFlags::parse(call.arguments, &["-F", "-v", "-f"]);
    let cut = flags
        .files
        .first()
        .and_then(ShellWord::known_text)
        .and_then(line_filter::parse_awk_program);
    let Some(cut) = cut else {
        let writes = flags.files.first().is_none_or(|program| {
            program.text.contains("system(") || program.text.contains("print >")
        });
        let skipped = usize::from(!flags.files.is_empty());
        let mut part = search_files_effect(shell, &flags.files[skipped..], call.input);
        if writes {
            part.kind = CommandEffectKind::Run;
        }
        return part;
    };
    let mut part = read_source(shell, &flags.files[1..], call.input);
    part.stdout = cut.apply(part.stdout);
    part
}

/// Returns the effect of a program that reports something about its files or input.
pub(super) fn report_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let with_value: &[&str] = match call.name {
        "cut" => &["-d", "-f", "-c", "-b"],
        "sort" => &["-k", "-t", "-S", "-T"],
        "column" => &["-s", "-t", "-o", "-c"],
        "uniq" => &["-f", "-s", "-w"],
        "xxd" => &["-l", "-s", "-c", "-g"],
        "od" | "hexdump" => &["-n", "-N", "-j", "-t", "-A", "-s", "-w", "-e"],
        "stat" => &["-f", "-c", "--format"],
        "jq" => &["--arg", "--indent"],
        "paste" | "fold" | "fmt" | "join" => &["-d", "-w", "-t"],
        "du" => &["-d", "--max-depth"],
        "diff" => &["-U", "-C", "-x", "-I"],
        _ => &[],
    };
    if call.name == "sort" && call.arguments.iter().any(|word| word.text.starts_with("-o")) {
        return absorb_input(CommandEffect::unknown_run(), call.input);
    }
    let flags = ParsedFlags::parse(call.arguments, with_value);
    let skipped = match call.name {
        // The first word is a program or a set of characters, not a file.
        "jq" | "yq" if !flags.has_flag("-f") => 1,
        "tr" => flags.files.len(),
        _ => 0,
    };
    let files = flags.files.get(skipped..).unwrap_or_default();
    search_files_effect(shell, files, call.input)
}

fn search_files_effect(
    shell: &mut ShellState,
    files: &[ShellWord],
    input: Option<CommandEffect>,
) -> CommandEffect {
    if files.is_empty() {
        let mut part = input.unwrap_or_default();
        convert_read_to_search(&mut part);
        return part;
    }
    let mut part = read_source(shell, files, input);
    convert_read_to_search(&mut part);
    part
}

/// Turns a read into a search: its files become scopes.
pub(super) fn convert_read_to_search(part: &mut CommandEffect) {
    forget_lines(part);
    part.scopes.retain(|scope| !scope.is_empty());
    if part.kind == CommandEffectKind::Read {
        part.kind = CommandEffectKind::Search;
    }
    part.stdout = vec![StdoutPart::Unknown];
}

/// Returns the effect of input that is not passed on: a read-only one counts as nothing.
pub(super) fn discard_input(input: CommandEffect) -> CommandEffect {
    let kind = if input.kind.is_read_only() { CommandEffectKind::Nothing } else { input.kind };
    CommandEffect { kind, ..input }
}
