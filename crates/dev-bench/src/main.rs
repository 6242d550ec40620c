//! Fits constants of foveal and measures their effect, for developers.
//!
//! `cargo run --release -p foveal-dev-bench -- COMMAND …`
//!
//! `curation` and `reads` measure how many of the needed lines curated views keep, on git histories
//! and on recorded sessions. `frontier` replays recorded sessions under settings. `fit-curator`
//! and `fit-score` fit the trees of the curator and the score of results, and test them on held-out
//! data.

mod case;
mod case_file;
mod commands;
mod commit_cases;
mod curators;
mod evaluation;
mod language;
mod line_ranges;
mod read_cases;
mod recorded_sessions;
mod replay_frontier;
mod score_models;
mod seeded_random;

use clap::Parser;

use self::commands::{BenchCommand, run_command};

#[derive(Debug, Parser)]
#[command(name = "foveal-dev-bench", about = "Fits constants of foveal and measures their effect")]
struct CommandLine {
    #[command(subcommand)]
    command: BenchCommand,
}

fn main() -> anyhow::Result<()> {
    run_command(CommandLine::parse().command)
}
