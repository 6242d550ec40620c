//! `git`: which of its commands read, and which change files.

use super::file_writers::diff_writes;
use super::program_flags::non_flag_arguments;
use super::search_programs;
use crate::effect::WriteChange;
use crate::shell::command_effect::{CommandEffect, CommandEffectKind, StdoutPart, absorb_input};
use crate::shell::shell_state::{Invocation, ShellState};
use crate::shell::shell_word::ShellWord;

/// Returns the effect of a `git` call.
pub(super) fn git_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let before = shell.directory.clone();
    let mut at = 0;
    while let Some(word) = call.arguments.get(at) {
        match word.text.as_str() {
            "-C" => {
                shell.change_directory(call.arguments.get(at + 1));
                at += 2;
            }
            "-c" => at += 2,
            text if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let part = match call.arguments.get(at..).and_then(<[ShellWord]>::split_first) {
        Some((name, rest)) => {
            git_command_effect(shell, Invocation { name: &name.text, arguments: rest, ..call })
        }
        None => CommandEffect::unknown_run(),
    };
    shell.directory = before;
    part
}

fn git_command_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let mut part = CommandEffect::unknown_run();
    let files = || non_flag_arguments(call.arguments).filter(|word| word.text.contains(['.', '/']));
    match call.name {
        "grep" => return search_programs::grep_effect(shell, call),
        "ls-files" | "ls-tree" => return search_programs::list_effect(shell, call),
        "show" if shows_files(call.arguments) => {
            // A path of its own: the file in the folder may differ. `HEAD` moves.
            let shown = shell.read_files(call.arguments).with_fragile(true);
            return absorb_input(shown, call.input);
        }
        "rev-parse" => {
            return CommandEffect::new(CommandEffectKind::Harmless, vec![StdoutPart::Unknown]);
        }
        "checkout" | "restore" => part.writes = shell.write_targets(files(), &WriteChange::Unknown),
        "rm" if !call.arguments.iter().any(|word| word.text == "--cached") => {
            part.writes =
                shell.write_targets(non_flag_arguments(call.arguments), &WriteChange::Remove);
        }
        "mv" => {
            let names: Vec<&ShellWord> = non_flag_arguments(call.arguments).collect();
            if let Some((to, from)) = names.split_last() {
                part.writes = shell.write_targets(from.iter().copied(), &WriteChange::Remove);
                part.writes.extend(shell.write_targets([*to].into_iter(), &WriteChange::Unknown));
            }
        }
        "apply" => part.writes = diff_writes(shell, call.input.as_ref()),
        _ => {}
    }
    absorb_input(part, call.input)
}

/// Returns whether all arguments of `git show` name a file of a commit: `HEAD:src/a.rs`.
fn shows_files(arguments: &[ShellWord]) -> bool {
    let is_file = |word: &ShellWord| match word.text.split_once(':') {
        Some((commit, path)) => {
            !commit.is_empty()
                && !commit.starts_with('-')
                && !path.is_empty()
                && !path.ends_with('/')
        }
        None => false,
    };
    !arguments.is_empty() && arguments.iter().all(is_file)
}
