//! The commands, one per file.

mod curation;
mod fit_curator;
mod fit_score;
mod frontier;
mod reads;

/// A command with its arguments.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum BenchCommand {
    /// Measures how many of the lines that commits touched are kept, given the commit messages.
    Curation(curation::CurationArguments),
    /// Measures how many of the file lines that agents used later are kept, given the conversation
    /// so far.
    Reads(reads::ReadsArguments),
    /// Fits the trees of the curator and tests them on held-out repositories.
    FitCurator(fit_curator::FitCuratorArguments),
    /// Fits the weights of the score on every second session and tests them on the others.
    FitScore(fit_score::FitScoreArguments),
    /// Prints cost against evidence of the profiles, the oracles and settings under study.
    Frontier(frontier::FrontierArguments),
}

/// Runs a command.
///
/// # Errors
/// If its input cannot be used or its output cannot be written.
pub(crate) fn run_command(command: BenchCommand) -> anyhow::Result<()> {
    match command {
        BenchCommand::Curation(arguments) => curation::run(&arguments),
        BenchCommand::Reads(arguments) => reads::run(&arguments),
        BenchCommand::FitCurator(arguments) => fit_curator::run(&arguments),
        BenchCommand::FitScore(arguments) => fit_score::run(&arguments),
        BenchCommand::Frontier(arguments) => frontier::run(&arguments),
    }
}

#[cfg(test)]
mod tests;
