//! The program `foveal`: reads the command line, runs one command, sets the exit code.

mod bill;
mod caches;
mod clients;
mod colour;
mod commands;
mod debug;
mod diff;
mod embedders;
mod environment;
mod exit_code;
mod explained;
mod figures;
mod gateway;
mod grants;
mod hook;
mod interrupt;
mod listening;
mod listing;
mod measure;
mod models;
mod notice;
mod numbers;
mod one_call;
mod ordered;
mod output;
mod pager;
mod private_file;
mod progress;
mod project_settings;
mod prompt;
mod prompt_log;
mod prompt_view;
mod readable;
mod repository_index;
mod requests;
mod rules;
mod runs;
mod session_control;
mod sessions;
mod shown;
mod side_agents;
mod source_file;
mod status_line;
mod summary;
mod table;
mod toolbox;
mod uptime;
mod user_settings;

use std::io;
use std::process::ExitCode;

use clap::Parser;
use foveal_screen::in_lines;

fn main() -> ExitCode {
    if let Some(code) = foveal_processes::stand_guard(std::env::args_os()) {
        return code;
    }
    let cli = parsed();
    if cli.colour == colour::ColourChoice::Always {
        output::is_passed_on();
    }
    let environment = environment::Environment::read(cli.colour);
    let ended = environment.debug().and_then(|_| commands::run(cli, &environment));
    match ended {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            notice::say(format_args!("error: {}", notice::in_one_line(error.as_ref())));
            ExitCode::from(exit_code::FAILED)
        }
    }
}

/// The command line. What is said of it fits into a narrow terminal.
fn parsed() -> commands::Cli {
    let error = match commands::Cli::try_parse() {
        Ok(cli) => return cli,
        Err(error) => error,
    };
    let is_help = !error.use_stderr();
    let columns = if is_help { environment::width() } else { environment::width_of_messages() };
    let told = error.render().to_string();
    let is_wide = told.lines().any(|line| columns.is_some_and(|most| line.chars().count() > most));
    match columns {
        // The colours of its own it puts in itself.
        _ if !is_wide && in_lines(&told) == told => error.exit(),
        Some(columns) if is_help => {
            let told: String = told.lines().map(|line| help_line(line, columns)).collect();
            drop(output::print(told));
        }
        _ => notice::say(told.trim_end()),
    }
    std::process::exit(error.exit_code())
}

/// A line of help in so many columns; what is said of a name stays beside it.
fn help_line(line: &str, columns: usize) -> String {
    let start = line.len() - line.trim_start().len();
    let beside = line[start..].find("  ").map(|at| {
        let after = &line[start + at..];
        at + after.len() - after.trim_start().len()
    });
    table::wrapped(line, columns, &" ".repeat(beside.unwrap_or_default()))
}

/// Whether the reader of our output went away (`foveal replay | head`): no fault of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
