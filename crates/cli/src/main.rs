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

use clap::Parser;

fn main() -> ExitCode {
    let cli = commands::Cli::parse();
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

/// Whether the reader of our output went away (`foveal replay | head`): no fault of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
