//! Errors that keep a command from running.

use std::path::PathBuf;

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum CommandError {
    /// No process argument can hold a NUL byte.
    #[error("the command contains a NUL character; leave it out, or write it as \\0 in a string")]
    NulByte,
    /// Longer than one argument may be.
    #[error(
        "the command is {bytes} bytes long, and a shell accepts at most {bytes_max}; write it to \
         a file and run that"
    )]
    TooLong { bytes: usize, bytes_max: usize },
    #[error(
        "the working directory {} does not exist or is not a directory; choose another",
        .0.display()
    )]
    Directory(PathBuf),
    #[error("the shell {} could not be started: {source}", shell.display())]
    Start { shell: PathBuf, source: std::io::Error },
    /// The command was not started.
    #[error(
        "the command was not run: the kernel cannot confine its writes to the allowed folders ({0})"
    )]
    Unconfined(String),
    /// A pipe or a temporary file could not be created or read.
    #[error("the output of the command could not be captured: {0}")]
    Follow(#[from] std::io::Error),
}

/// Why bubblewrap cannot confine commands.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum BubblewrapError {
    #[error("bubblewrap is not installed")]
    NotInstalled,
    #[error("bubblewrap cannot be started: {0}")]
    Start(#[from] std::io::Error),
    /// The complaint of bubblewrap.
    #[error("{0}")]
    Failed(String),
}
