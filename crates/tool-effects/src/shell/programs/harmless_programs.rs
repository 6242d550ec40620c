//! Harmless programs: those that print something of their own, and those that print nothing.

use crate::shell::command_effect::{CommandEffect, CommandEffectKind, StdoutPart, absorb_input};
use crate::shell::shell_state::{Invocation, ShellState};
use crate::shell::shell_word::ShellWord;

/// Returns the effect of `cd`.
pub(super) fn cd_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    let to = call.arguments.iter().find(|word| word.text != "--" && word.text != "-P");
    shell.change_directory(to);
    absorb_input(CommandEffect::default(), call.input)
}

/// Returns the effect of `pushd` and `popd`.
pub(super) fn pushd_effect(shell: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    shell.change_directory(call.arguments.first().or(Some(&ShellWord::literal("-"))));
    printing_effect(shell, call)
}

/// Returns the effect of a program that prints little and changes no file content.
pub(super) fn printing_effect(_: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    absorb_input(
        CommandEffect::new(CommandEffectKind::Harmless, vec![StdoutPart::Unknown]),
        call.input,
    )
}

/// Returns the effect of a program that prints nothing and changes no file content.
pub(super) fn silent_effect(_: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    absorb_input(CommandEffect::default(), call.input)
}

/// Returns the effect of `echo` and `printf`.
pub(super) fn echo_effect(_: &mut ShellState, call: Invocation<'_>) -> CommandEffect {
    absorb_input(echo_output(call.name, call.arguments), call.input)
}

fn echo_output(name: &str, arguments: &[ShellWord]) -> CommandEffect {
    let mut words = arguments;
    let mut escapes = name == "printf";
    if name == "echo" {
        while let [first, rest @ ..] = words
            && matches!(first.text.as_str(), "-e" | "-n" | "-E" | "-ne" | "-en")
        {
            escapes |= first.text.contains('e');
            if first.text.contains('n') {
                return CommandEffect::new(CommandEffectKind::Harmless, vec![StdoutPart::Unknown]);
            }
            words = rest;
        }
    } else if words.len() != 1 || words[0].text.contains('%') {
        return CommandEffect::new(CommandEffectKind::Harmless, vec![StdoutPart::Unknown]);
    }
    let mut known: Option<Vec<&str>> = words.iter().map(ShellWord::known_text).collect();
    if escapes && words.iter().any(|word| word.text.contains('\\')) {
        // Only the escapes that all shells share are decoded.
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let unescaped = text.replace("\\n", "\n").replace("\\t", "\t");
        if unescaped.contains('\\') || known.is_none() {
            known = None;
        } else {
            let end = if name == "echo" { "\n" } else { "" };
            return CommandEffect::new(
                CommandEffectKind::Harmless,
                vec![StdoutPart::Text(unescaped + end)],
            );
        }
    }
    let item = match known {
        Some(words) if name == "echo" => StdoutPart::Text(words.join(" ") + "\n"),
        Some(words) => StdoutPart::Text(words.join(" ")),
        None => StdoutPart::Unknown,
    };
    CommandEffect::new(CommandEffectKind::Harmless, vec![item])
}
