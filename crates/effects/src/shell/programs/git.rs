//! `git`: which of its commands look, and which change files.

use super::flags::plain_arguments;
use super::search;
use super::write::diff_writes;
use crate::effect::Change;
use crate::shell::part::{Item, Kind, Part, absorbing};
use crate::shell::state::{Invocation, Shell};
use crate::shell::word::Word;

/// What a `git` call does.
pub(super) fn part(shell: &mut Shell, call: Invocation<'_>) -> Part {
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
    let part = match call.arguments.get(at..).and_then(<[Word]>::split_first) {
        Some((name, rest)) => {
            command(shell, Invocation { name: &name.text, arguments: rest, ..call })
        }
        None => Part::run(),
    };
    shell.directory = before;
    part
}

fn command(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let mut part = Part::run();
    let files = || plain_arguments(call.arguments).filter(|word| word.text.contains(['.', '/']));
    match call.name {
        "grep" => return search::grep(shell, call),
        "ls-files" | "ls-tree" => return search::list(shell, call),
        "rev-parse" => return Part::of(Kind::Harmless, vec![Item::Unknown]),
        "checkout" | "restore" => part.writes = shell.changed(files(), &Change::Unknown),
        "rm" if !call.arguments.iter().any(|word| word.text == "--cached") => {
            part.writes = shell.changed(plain_arguments(call.arguments), &Change::Remove);
        }
        "mv" => {
            let names: Vec<&Word> = plain_arguments(call.arguments).collect();
            if let Some((to, from)) = names.split_last() {
                part.writes = shell.changed(from.iter().copied(), &Change::Remove);
                part.writes.extend(shell.changed([*to].into_iter(), &Change::Unknown));
            }
        }
        "apply" => part.writes = diff_writes(shell, call.input.as_ref()),
        _ => {}
    }
    absorbing(part, call.input)
}
