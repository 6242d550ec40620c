//! `foveal trust`: the settings of a project are looked at, and obeyed from then on or no longer.

use std::process::ExitCode;

use anyhow::{Context, bail};
use foveal_screen::in_lines;

use crate::environment::Environment;
use crate::exit_code;
use crate::notice;
use crate::output;
use crate::project_settings::{Book, NAMES, ProjectFile, Trust};
use crate::rules::can_ask;
use crate::user_settings::{self, project};

/// The command line of `foveal trust`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Trusts the file without asking.
    #[arg(long, conflicts_with_all = ["remove", "list"])]
    yes: bool,
    /// Trusts the file of this project no longer.
    #[arg(long, conflicts_with = "list")]
    remove: bool,
    /// Prints the files that are trusted.
    #[arg(long)]
    list: bool,
}

/// Shows the file of the current project and asks whether it is to be obeyed.
///
/// # Errors
/// If there is none, it sets what a project may not, or nobody can be asked.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut book = Book::open(environment);
    if arguments.list {
        let all: String = book.trusted().map(|path| format!("{path}\n")).collect();
        output::print(all)?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = std::env::current_dir().context("there is no current folder")?;
    if arguments.remove {
        let [toml, json] = ProjectFile::places(&folder);
        let was = [book.distrust(&toml, environment)?, book.distrust(&json, environment)?];
        if was == [false, false] {
            let path = if json.exists() && !toml.exists() { json } else { toml };
            notice::say(format_args!("`{}` was not trusted", path.display()));
            return Ok(ExitCode::from(exit_code::NEGATIVE));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let Some(file) = ProjectFile::of(&folder)? else {
        bail!("this project has no {}: there is nothing to trust", NAMES.join(" and no "));
    };
    let shown = file.path.display();
    let user = user_settings::read(environment)?;
    project::over(&user, file.source()).with_context(|| format!("`{shown}` cannot be trusted"))?;
    if book.trust(&file) == Trust::Trusted {
        notice::say(format_args!("`{shown}` is trusted as it is"));
        return Ok(ExitCode::SUCCESS);
    }
    notice::say(format_args!("{shown}:\n\n{}", in_lines(file.text.trim_end())));
    if !arguments.yes {
        if !can_ask(environment) {
            bail!("nobody can be asked here: `foveal trust --yes` trusts it as it is");
        }
        if !notice::confirm("Obey it in this project, as long as it says this?") {
            return Ok(ExitCode::from(exit_code::NEGATIVE));
        }
    }
    book.trust_in(&file, environment)?;
    Ok(ExitCode::SUCCESS)
}
