//! `foveal man`: a man page for each command, generated from the command line's descriptions.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::output;

/// The command line of `foveal man`.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArguments {
    /// Where to write `foveal.1`, `foveal-replay.1` and the others; created if it does not exist.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes the pages of `command` and its visible subcommands, and prints where they are.
///
/// # Errors
/// If the pages cannot be written.
pub(crate) fn run(arguments: &ManArguments, command: clap::Command) -> anyhow::Result<ExitCode> {
    let ManArguments { folder } = arguments;
    let shown = folder.display();
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write man pages into `{shown}`"))?;
    output::print(format!(
        "wrote the man pages into {shown}; to read one: `man -l {shown}/foveal.1`\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
