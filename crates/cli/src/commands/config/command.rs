//! The command line of `foveal config`, and what it prints.

use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::settings::{NO_PLACE, changed, explained, named, of_project, plain, rows, understood};
use crate::clients::write;
use crate::environment::Environment;
use crate::exit_code;
use crate::notice;
use crate::output;
use crate::table::{Narrow, Side, Table};
use crate::user_settings::keys::Key;
use crate::user_settings::{self, schema};

/// The command line of `foveal config`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    /// Print JSON: for each setting its name, what is set, what holds without it, and what it means.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Prints the value of a setting: what is set, or what holds without that.
    ///
    /// Exits with 1 if there is none.
    Get {
        /// The setting, as `answers.tokens`.
        key: String,
    },
    /// Sets a setting; all else in the file stays as it is.
    Set {
        /// The setting, as `answers.tokens`.
        key: String,
        /// Its value.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Takes a setting out of the file.
    Unset {
        /// The setting, as `answers.tokens`.
        key: String,
    },
    /// Says what a setting means, how it is written, and what holds.
    Explain {
        /// The setting, as `answers.tokens`.
        key: String,
    },
    /// Prints where the file is, whether it is there or not.
    Path,
    /// Opens the file in your editor ($VISUAL or $EDITOR), and checks it afterwards.
    Edit,
    /// Prints a JSON Schema of the file, for editors.
    Schema,
}

/// Shows or changes settings.
///
/// # Errors
/// If the file cannot be read, understood or written, and for settings and values that are none.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    match &arguments.what {
        None => list(arguments.json, environment)?,
        Some(What::Path) => {
            let path = user_settings::file::path(environment).context(NO_PLACE)?;
            output::print(format!("{}\n", path.display()))?;
        }
        Some(What::Schema) => output::print(format!("{:#}\n", schema::schema()))?,
        Some(What::Get { key }) => return get(key, environment),
        Some(What::Explain { key }) => output::print(explained(key, environment)? + "\n")?,
        Some(What::Set { key, value }) => {
            let setting = named(key)?;
            changed(environment, |source| Ok(Some(source.set(setting, key, value)?)))?;
        }
        Some(What::Unset { key }) => {
            named(key)?;
            if changed(environment, |source| Ok(source.unset(key)?))?.is_none() {
                notice::say(format_args!("`{key}` is not set"));
                return Ok(ExitCode::from(exit_code::NEGATIVE));
            }
        }
        Some(What::Edit) => return edit(environment),
    }
    Ok(ExitCode::SUCCESS)
}

fn get(name: &str, environment: &Environment) -> anyhow::Result<ExitCode> {
    let key = named(name)?;
    let file = understood(environment)?;
    let set = match of_project(name, environment) {
        Some((value, _, true)) => Some(value),
        Some((_, _, false)) | None => file.source().value(name)?,
    };
    match set.or(key.usual.map(str::to_owned)) {
        Some(value) => output::print(format!("{}\n", plain(&value)))?,
        None => {
            notice::say(format_args!("`{name}` is not set"));
            return Ok(ExitCode::from(exit_code::NEGATIVE));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(json: bool, environment: &Environment) -> anyhow::Result<()> {
    let file = understood(environment)?;
    let rows = rows(file.source())?;
    let path = &file.path;
    if json {
        let all: Vec<Value> = rows.iter().map(|(name, key, set)| as_json(name, key, set)).collect();
        let path = path.display().to_string();
        output::print(format!("{:#}\n", json!({ "path": path, "settings": all })))?;
        return Ok(());
    }
    let columns = ["setting", "value", "", "what it means"];
    let table = Table::new(columns.into_iter().map(|name| (name, Side::Left)).collect());
    let mut table = table.narrowing(&["what it means"], Narrow::LosesEnd);
    for (name, key, set) in rows {
        let mark = if set.is_some() { "set" } else { "" };
        let value = set.or(key.usual.map(str::to_owned)).unwrap_or_default();
        let value = value.lines().next().unwrap_or_default().to_owned();
        table.row(vec![name, value, mark.to_owned(), key.about.to_owned()]);
    }
    let there = if file.text.is_some() { "" } else { " (not there yet)" };
    let heading = format!("settings in {}{there}\n\n", path.display());
    output::print(heading + &table.render_within(environment.width, "--json shows all"))?;
    Ok(())
}

fn as_json(name: &str, key: &Key, set: &Option<String>) -> Value {
    json!({
        "name": name,
        "set": set,
        "usual": key.usual,
        "takes": key.expected(),
        "about": key.about,
    })
}

fn edit(environment: &Environment) -> anyhow::Result<ExitCode> {
    let path = user_settings::file::path(environment).context(NO_PLACE)?;
    let Some(editor) = &environment.editor else {
        bail!("no editor is named: set VISUAL or EDITOR, or edit `{}`", path.display());
    };
    if !path.exists() {
        write(&path, None, Some(&schema::template()), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    // As git does: what users put there may have arguments.
    let mut command = Command::new("sh");
    let status = command.args(["-c", &format!("{editor} \"$@\""), editor]).arg(&path).status();
    let status = status.with_context(|| format!("`{editor}` cannot be started"))?;
    if !status.success() {
        bail!("`{editor}` ended with an error ({status})");
    }
    understood(environment)?;
    Ok(ExitCode::SUCCESS)
}
