//! The commands of `foveal bench`.

use std::process::ExitCode;

use super::{curation, reads};

/// The commands of `foveal bench`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Bench {
    /// Measures how many of the lines that commits touched are kept, given the commit
    /// messages.
    Curation(Box<curation::Arguments>),
    /// Measures how much of what agents used of the files they read is kept, given the
    /// conversation until then.
    Reads(Box<reads::Arguments>),
}

/// Runs a command.
///
/// # Errors
/// If its input cannot be used or its output cannot be written.
pub(crate) fn run(bench: Bench) -> anyhow::Result<ExitCode> {
    match bench {
        Bench::Curation(arguments) => curation::run(&arguments),
        Bench::Reads(arguments) => reads::run(&arguments),
    }
}
