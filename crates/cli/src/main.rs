//! The program `foveal`: reads the command line, runs one command, sets the exit code.

mod clients;
mod colour;
mod commands;
mod confirm;
mod diff;
mod embedders;
mod environment;
mod exit_code;
mod figures;
mod hook;
mod interrupt;
mod listing;
mod measure;
mod notice;
mod numbers;
mod one_call;
mod ordered;
mod output;
mod pager;
mod progress;
mod prompt;
mod prompt_log;
mod prompt_view;
mod repository_index;
mod rules;
mod sessions;
mod source_file;
mod summary;
mod table;
mod toolbox;
mod user_settings;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

fn main() -> ExitCode {
    let cli = parsed();
    let environment = environment::Environment::read(cli.colour);
    match commands::run(cli, &environment) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            notice::say(format_args!("error: {error:#}"));
            ExitCode::from(exit_code::FAILED)
        }
    }
}

/// Columns of help, where the terminal has as many or none is there.
const HELP_COLUMNS: usize = 100;

/// The command line; its help fits into the terminal.
fn parsed() -> commands::Cli {
    let columns = environment::width().map_or(HELP_COLUMNS, |width| width.min(HELP_COLUMNS));
    let command = commands::Cli::command().term_width(columns);
    let parsed = commands::Cli::from_arg_matches(&command.get_matches());
    parsed.unwrap_or_else(|error| error.exit())
}

/// Whether the reader of our output went away (`foveal replay | head`): no fault of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
