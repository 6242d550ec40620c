//! Programs that say something of their own, and those that say nothing.

use crate::shell::part::{Item, Kind, Part, absorbing};
use crate::shell::state::{Invocation, Shell};
use crate::shell::word::Word;

/// `cd`.
pub(super) fn change_directory(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let to = call.arguments.iter().find(|word| word.text != "--" && word.text != "-P");
    shell.change_directory(to);
    absorbing(Part::default(), call.input)
}

/// `pushd` and `popd`.
pub(super) fn change_stack(shell: &mut Shell, call: Invocation<'_>) -> Part {
    shell.change_directory(call.arguments.first().or(Some(&Word::literal("-"))));
    tell(shell, call)
}

/// Programs that print little and change no file's content.
pub(super) fn tell(_: &mut Shell, call: Invocation<'_>) -> Part {
    absorbing(Part::of(Kind::Harmless, vec![Item::Unknown]), call.input)
}

/// Programs that print nothing and change no file's content.
pub(super) fn nothing(_: &mut Shell, call: Invocation<'_>) -> Part {
    absorbing(Part::default(), call.input)
}

/// `echo` and `printf`.
pub(super) fn say(_: &mut Shell, call: Invocation<'_>) -> Part {
    absorbing(said(call.name, call.arguments), call.input)
}

fn said(name: &str, arguments: &[Word]) -> Part {
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
