//! The commands, one a file.

mod changelog;
mod file_at;
mod one_session;
mod replay;
mod show;

use std::io::{self, BufWriter, StdoutLock};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::environment::Environment;

/// Shows coding agents what they need, and what that saves on recorded sessions.
#[derive(Debug, Parser)]
#[command(name = "foveal", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Replays recorded sessions and shows what each profile would have cost and kept.
    Replay(Box<replay::Arguments>),
    /// Shows a recorded session as short text.
    Show(show::Arguments),
    /// Lists what a recorded session changed in files.
    Changelog(changelog::Arguments),
    /// Shows a file as it was at a turn of a recorded session, as far as the session tells.
    FileAt(file_at::Arguments),
    /// Prints a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Runs a command.
///
/// # Errors
/// If the command's input cannot be used or its output cannot be written.
pub(crate) fn run(cli: Cli, environment: &Environment) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Replay(arguments) => replay::run(&arguments.resolve()?, environment),
        Command::Show(arguments) => show::run(&arguments),
        Command::Changelog(arguments) => changelog::run(&arguments),
        Command::FileAt(arguments) => file_at::run(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "foveal", &mut script);
            io::Write::write_all(&mut output(), &script)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Standard output, locked and buffered.
fn output() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}
