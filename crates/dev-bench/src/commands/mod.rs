//! The commands, one per file.

mod curation;
mod fit_curator;
mod fit_score;
mod frontier;
mod note_tokens;
mod outside_cache;
mod part_scores;
mod reads;
mod scores;

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
    /// Prints the tokens of the notes that profiles put into prompts, by kind.
    NoteTokens(note_tokens::NoteTokensArguments),
    /// Prints what it would save to keep results that are reduced after one look out of the cache.
    OutsideCache(outside_cache::OutsideCacheArguments),
    /// Fits scores of parts of results and tests each on held-out data.
    PartScores(part_scores::PartScoresArguments),
    /// Fits scores of results and tests each on held-out data.
    Scores(scores::ScoresArguments),
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
        BenchCommand::NoteTokens(arguments) => note_tokens::run(&arguments),
        BenchCommand::OutsideCache(arguments) => outside_cache::run(&arguments),
        BenchCommand::PartScores(arguments) => part_scores::run(&arguments),
        BenchCommand::Scores(arguments) => scores::run(&arguments),
    }
}

#[cfg(test)]
mod tests;
