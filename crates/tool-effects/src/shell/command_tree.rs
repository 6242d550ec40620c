//! A shell command line as typed commands: unquoted words, pipes, sequences, redirections. A part
//! that could not be parsed or nests too deep is a [`CommandStep::Broken`].

use super::shell_word::ShellWord;

/// The operator between a step and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainOperator {
    /// Unconditional (`;`, a line break), or the first step.
    Then,
    /// After success (`&&`).
    And,
    /// After failure (`||`).
    Or,
}

/// Steps in sequence.
pub(super) type CommandChain = Vec<(ChainOperator, CommandStep)>;

/// A command, or a compound in its place.
#[derive(Debug)]
pub(super) enum CommandStep {
    Simple(SimpleCommand),
    Pipe(Vec<CommandStep>),
    /// `( … )` or `{ … }`.
    Group {
        chain: CommandChain,
        subshell: bool,
        redirects: Vec<Redirect>,
    },
    /// A loop, branch or function: its body may run any number of times.
    Block {
        chain: CommandChain,
        redirects: Vec<Redirect>,
    },
    /// An assignment or a test, of which only the substitutions matter.
    Silent(Vec<CommandChain>),
    /// Could not be parsed.
    Broken,
}

/// A program with its arguments.
#[derive(Debug, Default)]
pub(super) struct SimpleCommand {
    /// The program's name and its arguments.
    pub(super) words: Vec<ShellWord>,
    pub(super) redirects: Vec<Redirect>,
    /// The commands of its `$( … )` and `<( … )`.
    pub(super) substitutions: Vec<CommandChain>,
}

/// A redirection of output or input.
#[derive(Debug)]
pub(super) enum Redirect {
    /// Output to a file: the errors alone, or standard output and possibly the errors.
    Output { to: ShellWord, append: bool, errors_only: bool },
    /// Input from a file.
    Input(ShellWord),
    /// Literal input, known unless something in it is expanded.
    Text { text: String, known: bool },
}
