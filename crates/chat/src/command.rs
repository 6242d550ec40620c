//! The commands that begin with `/`, one table.

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Tells keys and commands.
    Help,
    /// Shows what stands in the prompt.
    Context,
    /// Lists the files of the session.
    Files,
    /// Makes the prompt smaller.
    Compact,
    /// Goes back to an earlier message.
    Rewind,
    /// Puts files back that changed since the last message.
    Undo,
    /// Shows or changes the model.
    Model,
    /// Tells what the session came to.
    Stats,
    /// Shows and changes settings.
    Config,
    /// Ends the chat.
    Quit,
}

/// All commands with their names, what stands behind them, and what they do.
const COMMANDS: &[(Command, &str, &str, &str)] = &[
    (Command::Help, "help", "", "keys and commands"),
    (Command::Context, "context", "", "what stands in the prompt, and what it costs"),
    (Command::Files, "files", "", "files that were read or changed"),
    (Command::Compact, "compact", "", "make the prompt smaller"),
    (Command::Rewind, "rewind", "[N [both]]", "go back to before one of your messages"),
    (Command::Undo, "undo", "", "put files back that changed since your last message"),
    (Command::Model, "model", "[MODEL]", "show or change the model"),
    (Command::Stats, "stats", "", "requests, tokens, cost"),
    (Command::Config, "config", "[KEY [VALUE]]", "show or change settings"),
    (Command::Quit, "quit", "", "end the chat"),
];

impl Command {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What stands behind the name.
    pub(crate) fn arguments(self) -> &'static str {
        self.row().2
    }

    /// What it does, in a few words.
    pub(crate) fn about(self) -> &'static str {
        self.row().3
    }

    fn row(self) -> &'static (Self, &'static str, &'static str, &'static str) {
        COMMANDS.iter().find(|row| row.0 == self).expect("each command has a row")
    }
}

/// All commands, in the order in which they are shown.
pub(crate) fn all() -> impl Iterator<Item = Command> {
    COMMANDS.iter().map(|row| row.0)
}

/// Those whose names begin so.
pub(crate) fn beginning(begin: &str) -> Vec<Command> {
    all().filter(|command| command.name().starts_with(begin)).collect()
}

/// The command with this name, or the beginning of the name of no other.
///
/// # Errors
/// The name that it may have been meant to be, if one is close.
pub(crate) fn named(name: &str) -> Result<Command, Option<Command>> {
    if let Some(command) = all().find(|command| command.name() == name) {
        return Ok(command);
    }
    if let [one] = beginning(name)[..]
        && !name.is_empty()
    {
        return Ok(one);
    }
    let close = |command: &Command| strsim::damerau_levenshtein(command.name(), name) <= 2;
    let best = all().filter(close);
    Err(best.min_by_key(|command| strsim::damerau_levenshtein(command.name(), name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_suggested() {
        assert_eq!(named("quit"), Ok(Command::Quit));
        assert_eq!(named("q"), Ok(Command::Quit));
        assert_eq!(named("co"), Err(None));
        assert_eq!(named("contxt"), Err(Some(Command::Context)));
        assert_eq!(named("hepl"), Err(Some(Command::Help)));
        assert_eq!(named("xyzzy"), Err(None));
        assert_eq!(named(""), Err(None));
    }
}
