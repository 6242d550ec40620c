//! The commands that begin with `/`.

/// A command of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlashCommand {
    /// Shows keys and commands.
    Help,
    /// Shows the prompt map.
    Context,
    /// Lists the files that the session read or changed.
    Files,
    /// Reduces the prompt.
    Compact,
    /// Returns to an earlier message.
    Rewind,
    /// Restores files that changed since the last message.
    Undo,
    /// Shows or changes the model.
    Model,
    /// Shows the session's requests, tokens and cost.
    Stats,
    /// Shows and changes settings.
    Config,
    /// Ends the chat.
    Quit,
}

/// All commands in the order of their display, each with its name, arguments and description.
const COMMANDS: &[(SlashCommand, &str, &str, &str)] = &[
    (SlashCommand::Help, "help", "", "keys and commands"),
    (SlashCommand::Context, "context", "", "contents of the prompt and their cost"),
    (SlashCommand::Files, "files", "", "files read or changed"),
    (SlashCommand::Compact, "compact", "", "make the prompt smaller"),
    (SlashCommand::Rewind, "rewind", "[N [both]]", "go back to before one of your messages"),
    (SlashCommand::Undo, "undo", "", "restore the files changed since your last message"),
    (SlashCommand::Model, "model", "[MODEL]", "show or change the model"),
    (SlashCommand::Stats, "stats", "", "requests, tokens, cost"),
    (SlashCommand::Config, "config", "[KEY [VALUE]]", "show or change settings"),
    (SlashCommand::Quit, "quit", "", "end the chat"),
];

impl SlashCommand {
    /// Returns the command's name, without the `/`.
    pub fn name(self) -> &'static str {
        self.table_row().1
    }

    /// Returns the syntax of the command's arguments.
    pub(crate) fn arguments(self) -> &'static str {
        self.table_row().2
    }

    /// Returns a short description.
    pub(crate) fn description(self) -> &'static str {
        self.table_row().3
    }

    fn table_row(self) -> &'static (Self, &'static str, &'static str, &'static str) {
        COMMANDS.iter().find(|row| row.0 == self).expect("each command has a row")
    }
}

/// Returns all commands in the order of their display.
pub(crate) fn all_commands() -> impl Iterator<Item = SlashCommand> {
    COMMANDS.iter().map(|row| row.0)
}

/// Returns the commands whose names start with `begin`.
pub(crate) fn commands_with_prefix(begin: &str) -> Vec<SlashCommand> {
    all_commands().filter(|command| command.name().starts_with(begin)).collect()
}

/// Finds a command by its name or by an unambiguous prefix of it.
///
/// # Errors
/// Returns the command with the most similar name, if one is close.
pub(crate) fn find_command(name: &str) -> Result<SlashCommand, Option<SlashCommand>> {
    if let Some(command) = all_commands().find(|command| command.name() == name) {
        return Ok(command);
    }
    if let [one] = commands_with_prefix(name)[..]
        && !name.is_empty()
    {
        return Ok(one);
    }
    let close = |command: &SlashCommand| strsim::damerau_levenshtein(command.name(), name) <= 2;
    let best = all_commands().filter(close);
    Err(best.min_by_key(|command| strsim::damerau_levenshtein(command.name(), name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_suggested() {
        assert_eq!(find_command("quit"), Ok(SlashCommand::Quit));
        assert_eq!(find_command("q"), Ok(SlashCommand::Quit));
        assert_eq!(find_command("co"), Err(None));
        assert_eq!(find_command("contxt"), Err(Some(SlashCommand::Context)));
        assert_eq!(find_command("hepl"), Err(Some(SlashCommand::Help)));
        assert_eq!(find_command("xyzzy"), Err(None));
        assert_eq!(find_command(""), Err(None));
    }
}
