//! `foveal man`: a man page for each command, made from the command line's own descriptions.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::output;

/// The command line of `foveal man`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where to write `foveal.1`, `foveal-replay.1` and the others; made if it is not there.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes the pages of `command` and of all its visible subcommands, and says where they are.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn run(arguments: &Arguments, command: clap::Command) -> anyhow::Result<ExitCode> {
    let Arguments { folder } = arguments;
    let shown = folder.display();
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write man pages into `{shown}`"))?;
    output::print(format!("wrote the man pages into {shown}; `man -l {shown}/foveal.1`\n"))?;
    Ok(ExitCode::SUCCESS)
}
