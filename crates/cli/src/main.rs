//! The program `foveal`: reads the command line, runs one command, sets the exit code.

mod bill_json;
mod colour;
mod coloured_text;
mod command_caches;
mod commands;
mod debug_topics;
mod diff_view;
mod embedder_choice;
mod environment;
mod exit_code;
mod explanations;
mod grants;
mod interrupt;
mod listen_options;
mod message_summary;
mod models;
mod notice;
mod numbers;
mod ordered_output;
mod output;
mod pager;
mod parallel_replay;
mod permission_checker;
mod private_file;
mod progress_bar;
mod project_settings;
mod prompt_log;
mod prompt_text;
mod prompt_view;
mod readable_folders;
mod replay_prices;
mod replay_summary;
mod replay_totals;
mod repository_index;
mod sessions;
mod single_tool_call;
mod source_file;
mod status_line;
mod text_table;
mod toolbox;
mod uptime;

use std::io;
use std::process::ExitCode;

use foveal_screen::escape_lines;

fn main() -> ExitCode {
    if let Some(code) = foveal_sandbox::run_guard(std::env::args_os()) {
        return code;
    }
    let cli = parse_command_line();
    if cli.colour == colour::TerminalColourChoice::Always {
        output::assume_terminal();
    }
    let environment = environment::Environment::read(cli.colour);
    let ended = environment.debug_topics().and_then(|_| commands::run(cli, &environment));
    match ended {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            notice::print_notice(format_args!("error: {}", notice::describe_error(error.as_ref())));
            ExitCode::from(exit_code::FAILED)
        }
    }
}

/// Parses the command line. Help and errors are wrapped to the terminal's width.
fn parse_command_line() -> commands::Cli {
    let error = match commands::Cli::parse_arguments() {
        Ok(cli) => return cli,
        Err(error) => error,
    };
    let is_help = !error.use_stderr();
    let columns =
        if is_help { environment::stdout_columns() } else { environment::stderr_columns() };
    let told = error.render().to_string();
    let is_wide = told.lines().any(|line| columns.is_some_and(|most| line.chars().count() > most));
    let printed = match columns {
        // clap prints this itself, with its colours.
        _ if !is_wide && escape_lines(&told) == told => {
            error.print().and_then(|()| output::print(""))
        }
        Some(columns) if is_help => {
            let told: String = told.lines().map(|line| wrap_help_line(line, columns)).collect();
            output::print(told)
        }
        _ => {
            notice::print_notice(told.trim_end());
            Ok(())
        }
    };
    if let Err(failed) = printed.map_err(anyhow::Error::from)
        && !is_broken_pipe(&failed)
    {
        notice::print_notice(format_args!("error: {}", notice::describe_error(failed.as_ref())));
        std::process::exit(exit_code::FAILED.into());
    }
    std::process::exit(error.exit_code())
}

/// Wraps a line of help; a description stays in its column.
fn wrap_help_line(line: &str, columns: usize) -> String {
    let start = line.len() - line.trim_start().len();
    let beside = line[start..].find("  ").map(|at| {
        let after = &line[start + at..];
        at + after.len() - after.trim_start().len()
    });
    text_table::wrap_text(line, columns, &" ".repeat(beside.unwrap_or_default()))
}

/// Returns true if the reader of our output closed it (`foveal replay | head`), which is no error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
