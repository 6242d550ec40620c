//! Commands in sentences and examples of all pages: the program knows each name and option.

use crate::documentation::command_lines::{block_commands, words};
use crate::documentation::page::all_pages;
use crate::world::World;

/// Agents that `foveal wrap` starts: the words behind them are theirs.
const AGENTS: [&str; 7] = ["claude", "claude-code", "codex", "opencode", "gemini", "qwen", "pi"];

/// Words that stand for a value, each with such a value.
const PLACEHOLDERS: [(&str, &str); 6] = [
    ("HANDLE", "7c1e32c0e44d"),
    ("AGENT", "codex"),
    ("PORT", "8765"),
    ("NUMBER", "1"),
    ("TURN", "1"),
    ("N", "1"),
];

/// Words that stand for the name of a command or for more words.
const OPEN_PLACEHOLDERS: [&str; 2] = ["COMMAND", "…"];

/// Texts that begin like a command.
const MESSAGES: [&str; 1] = ["foveal is not set up"];

/// Names commands that there are no more.
const CHANGE_LOG: &str = "CHANGELOG.md";

#[test]
fn the_program_knows_all_names_and_options() {
    let world = World::new("documentation_options");
    let mut refused = Vec::new();
    let mut count = 0;
    for page in all_pages().iter().filter(|page| page.path != CHANGE_LOG) {
        let inline = page.inline_codes();
        let blocks = block_commands(page).into_iter().map(|command| (command.line, command.text));
        for (line, text) in inline.into_iter().chain(blocks) {
            let Some(arguments) = foveal_arguments(&text) else { continue };
            let mut command = world.command("");
            command.args(&arguments).arg("--help");
            let ran = world.ran(&mut command);
            count += 1;
            if ran.code != Some(0) {
                let error = ran.err.lines().next().unwrap_or_default().to_owned();
                refused.push(format!("{}:{line}: `{text}`: {error}", page.path));
            }
        }
    }
    assert!(refused.is_empty(), "commands that foveal refuses:\n{}", refused.join("\n"));
    assert!(count > 200, "only {count} commands were found");
}

/// Returns the words that foveal itself reads of a command, and nothing for other texts.
fn foveal_arguments(text: &str) -> Option<Vec<String>> {
    let words = words(text);
    let at = words.iter().position(|word| word == "foveal")?;
    let arguments = &words[at + 1..];
    let is_command = words[..at].iter().all(|word| word.contains('=')) && !arguments.is_empty();
    let is_open = arguments.iter().any(|word| OPEN_PLACEHOLDERS.contains(&word.as_str()));
    if !is_command || is_open || MESSAGES.contains(&text) {
        return None;
    }
    let end = match arguments[0].as_str() {
        "wrap" => arguments.iter().position(|word| AGENTS.contains(&word.as_str())),
        _ => arguments.iter().position(|word| word == "--"),
    };
    let value = |word: &String| {
        let found = PLACEHOLDERS.iter().find(|(name, _)| name == word);
        found.map_or_else(|| word.clone(), |(_, value)| (*value).to_owned())
    };
    Some(arguments[..end.unwrap_or(arguments.len())].iter().map(value).collect())
}
