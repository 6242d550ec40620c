//! A shell command line as typed commands: unquoted words, pipes, sequences, redirections. What
//! was not understood, and what nests too deep, is a [`Step::Broken`].

use super::word::Word;

/// How a step follows the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connection {
    /// In any case (`;`, a line break), or the first.
    Then,
    /// When the one before succeeded.
    And,
    /// When the one before failed.
    Or,
}

/// Steps one after the other.
pub(super) type Chain = Vec<(Connection, Step)>;

/// What stands where a command may stand.
#[derive(Debug)]
pub(super) enum Step {
    Simple(Simple),
    Pipe(Vec<Step>),
    /// `( … )` or `{ … }`.
    Group {
        chain: Chain,
        subshell: bool,
        redirects: Vec<Redirect>,
    },
    /// A loop, branch or function: its body may run any number of times.
    Block {
        chain: Chain,
        redirects: Vec<Redirect>,
    },
    /// An assignment or a test: nothing but what it substitutes matters.
    Silent(Vec<Chain>),
    /// Not understood.
    Broken,
}

/// One program with its words.
#[derive(Debug, Default)]
pub(super) struct Simple {
    /// The program's name and its arguments.
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// What `$( … )` and `<( … )` in it run.
    pub(super) substitutions: Vec<Chain>,
}

/// Where a command's output goes, or its input comes from.
#[derive(Debug)]
pub(super) enum Redirect {
    /// Output goes to a file; the errors alone, or what is printed and maybe the errors too.
    Output { to: Word, append: bool, errors_only: bool },
    /// Input comes from a file.
    Input(Word),
    /// Input is this text, known if nothing in it is expanded.
    Text { text: String, known: bool },
}
