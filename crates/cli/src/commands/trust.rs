//! `foveal trust`: shows the settings of a project and grants or revokes trust in them.

use std::process::ExitCode;

use anyhow::{Context, bail};
use foveal_screen::escape_lines;

use crate::environment::Environment;
use crate::exit_code;
use crate::notice;
use crate::output;
use crate::permission_checker::can_ask_user;
use crate::project_settings::{PROJECT_FILE_NAMES, ProjectFile, ProjectTrust, TrustState};

/// The command line of `foveal trust`.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArguments {
    /// Trusts the file without asking.
    #[arg(long, conflicts_with_all = ["remove", "list"])]
    yes: bool,
    /// No longer trusts the file of this project.
    #[arg(long, conflicts_with = "list")]
    remove: bool,
    /// Lists the trusted files.
    #[arg(long)]
    list: bool,
}

/// Shows the settings file of the current project and asks whether to trust it.
///
/// # Errors
/// If there is no file, it sets values that a project may not set, or no user can be asked.
pub(crate) fn run(
    arguments: &TrustArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let mut book = ProjectTrust::open(environment);
    if arguments.list {
        let all: String = book.trusted_paths().map(|path| format!("{path}\n")).collect();
        output::print(all)?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = std::env::current_dir().context("there is no current folder")?;
    if arguments.remove {
        let [toml, json] = ProjectFile::candidate_paths(&folder);
        let was = [book.distrust(&toml, environment)?, book.distrust(&json, environment)?];
        if was == [false, false] {
            let path = if json.exists() && !toml.exists() { json } else { toml };
            notice::print_notice(format_args!("`{}` was not trusted", path.display()));
            return Ok(ExitCode::from(exit_code::NEGATIVE));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let Some(file) = ProjectFile::find(&folder)? else {
        bail!(
            "this project has no {}: there is nothing to trust",
            PROJECT_FILE_NAMES.join(" and no ")
        );
    };
    let shown = file.path.display();
    let user = environment.read_user_settings()?;
    foveal_settings::apply_project_settings(&user, file.source())
        .with_context(|| format!("`{shown}` cannot be trusted"))?;
    if book.trust_state(&file) == TrustState::Trusted {
        notice::print_notice(format_args!("`{shown}` is already trusted"));
        return Ok(ExitCode::SUCCESS);
    }
    notice::print_notice(format_args!("{shown}:\n\n{}", escape_lines(file.text.trim_end())));
    if !arguments.yes {
        if !can_ask_user(environment) {
            bail!(
                "there is no terminal to ask for confirmation: `foveal trust --yes` trusts the \
                 file without asking"
            );
        }
        if !notice::confirm("Trust these settings in this project until the file changes?") {
            return Ok(ExitCode::from(exit_code::NEGATIVE));
        }
    }
    book.trust_file(&file, environment)?;
    Ok(ExitCode::SUCCESS)
}
