//! The commands that a page shows.

use super::page::{CodeBlock, Page};

/// A command of a page, without its comment, and its line.
pub(super) struct CommandLine {
    pub(super) line: usize,
    pub(super) text: String,
}

/// Returns the commands of the code blocks: all lines of a block for a shell, and the lines of
/// other blocks that begin with a prompt.
pub(super) fn block_commands(page: &Page) -> Vec<CommandLine> {
    page.code_blocks().iter().flat_map(commands_of_block).collect()
}

fn commands_of_block(block: &CodeBlock) -> Vec<CommandLine> {
    let is_shell = ["", "sh", "console"].contains(&block.language.as_str());
    let command = |(at, line): (usize, &str)| {
        let line_number = block.line + 1 + at;
        let command = match line.strip_prefix("$ ") {
            Some(command) => command,
            None if is_shell => line,
            None => return None,
        };
        let command = command.split(" #").next().unwrap_or_default().trim();
        let is_command = !command.is_empty() && !command.starts_with('#');
        is_command.then(|| CommandLine { line: line_number, text: command.to_owned() })
    };
    block.text.lines().enumerate().filter_map(command).collect()
}

/// Splits a command into words as a shell does, up to the end of the first command.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote: Option<char> = None;
    for sign in command.chars() {
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (None, '\'' | '"') => quote = Some(sign),
            (None, '|' | '>' | '&' | ';') => break,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("there is one from the start").push(sign),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
