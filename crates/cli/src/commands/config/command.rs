//! The command line of `foveal config`, and its output.

use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use foveal_agent_setup::replace_settings_file;
use foveal_settings::setting_keys::SettingKey;
use foveal_settings::{schema, settings_template};
use serde_json::{Value, json};

use super::settings::{
    NO_SETTINGS_FOLDER, explain_setting, find_setting, project_value, read_valid_settings,
    setting_rows, unquote, write_change,
};
use crate::environment::Environment;
use crate::exit_code;
use crate::notice;
use crate::output;
use crate::text_table::{Alignment, ColumnNarrowing, TextTable};

/// The command line of `foveal config`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ConfigArguments {
    /// Print JSON: for each setting its name, its value, its default and its description.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    what: Option<ConfigAction>,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigAction {
    /// Prints the value of a setting: the one that is set, or the default.
    ///
    /// Exits with 1 if there is none.
    Get {
        /// The setting, such as `answers.tokens`.
        key: String,
    },
    /// Sets a setting; the rest of the file stays unchanged.
    Set {
        /// The setting, such as `answers.tokens`.
        key: String,
        /// Its value.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Removes a setting from the file.
    Unset {
        /// The setting, such as `answers.tokens`.
        key: String,
    },
    /// Explains a setting: its meaning, its possible values, and its current value.
    Explain {
        /// The setting, such as `answers.tokens`.
        key: String,
    },
    /// Prints the path of the file, whether it exists or not.
    Path,
    /// Opens the file in your editor ($VISUAL or $EDITOR), and checks it afterwards.
    Edit,
    /// Prints a JSON Schema of the file, for editors.
    Schema,
}

/// Shows or changes settings.
///
/// # Errors
/// If the file cannot be read, parsed or written, or a setting or value is invalid.
pub(crate) fn run(
    arguments: &ConfigArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    match &arguments.what {
        None => list_settings(arguments.json, environment)?,
        Some(ConfigAction::Path) => {
            let path = environment.settings_path().context(NO_SETTINGS_FOLDER)?;
            output::print(format!("{}\n", path.display()))?;
        }
        Some(ConfigAction::Schema) => output::print(format!("{:#}\n", schema::json_schema()))?,
        Some(ConfigAction::Get { key }) => return print_setting(key, environment),
        Some(ConfigAction::Explain { key }) => {
            output::print(explain_setting(key, environment)? + "\n")?;
        }
        Some(ConfigAction::Set { key, value }) => {
            let setting = find_setting(key)?;
            write_change(environment, |source| Ok(Some(source.set_value(setting, key, value)?)))?;
        }
        Some(ConfigAction::Unset { key }) => {
            find_setting(key)?;
            if write_change(environment, |source| Ok(source.remove_value(key)?))?.is_none() {
                notice::print_notice(format_args!("`{key}` is not set"));
                return Ok(ExitCode::from(exit_code::NEGATIVE));
            }
        }
        Some(ConfigAction::Edit) => return edit_settings(environment),
    }
    Ok(ExitCode::SUCCESS)
}

fn print_setting(name: &str, environment: &Environment) -> anyhow::Result<ExitCode> {
    let key = find_setting(name)?;
    let file = read_valid_settings(environment)?;
    let set = match project_value(name, environment) {
        Some((value, _, true)) => Some(value),
        Some((_, _, false)) | None => file.source().read_value(name)?,
    };
    match set.or(key.default_value.clone()) {
        Some(value) => output::print(format!("{}\n", unquote(&value)))?,
        None => {
            notice::print_notice(format_args!("`{name}` is not set"));
            return Ok(ExitCode::from(exit_code::NEGATIVE));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list_settings(json: bool, environment: &Environment) -> anyhow::Result<()> {
    let file = read_valid_settings(environment)?;
    let rows = setting_rows(file.source())?;
    let path = &file.path;
    if json {
        let all: Vec<Value> =
            rows.iter().map(|(name, key, set)| setting_to_json(name, key, set)).collect();
        let path = path.display().to_string();
        output::print(format!("{:#}\n", json!({ "path": path, "settings": all })))?;
        return Ok(());
    }
    let columns = ["setting", "value", "", "what it means"];
    let table = TextTable::new(columns.into_iter().map(|name| (name, Alignment::Left)).collect());
    let mut table = table.with_narrowing(&["what it means"], ColumnNarrowing::CutEnd);
    for (name, key, set) in rows {
        let mark = if set.is_some() { "set" } else { "" };
        let value = set.or(key.default_value.clone()).unwrap_or_default();
        let value = value.lines().next().unwrap_or_default().to_owned();
        table.push_row(vec![name, value, mark.to_owned(), key.description.clone()]);
    }
    let there = if file.text.is_some() { "" } else { " (does not exist yet)" };
    let heading = format!("settings in {}{there}\n\n", path.display());
    output::print(heading + &table.render(environment.stdout_columns, "--json shows all"))?;
    Ok(())
}

fn setting_to_json(name: &str, key: &SettingKey, set: &Option<String>) -> Value {
    json!({
        "name": name,
        "set": set,
        "usual": key.default_value,
        "takes": key.expected_value(),
        "about": key.description,
    })
}

fn edit_settings(environment: &Environment) -> anyhow::Result<ExitCode> {
    let path = environment.settings_path().context(NO_SETTINGS_FOLDER)?;
    let Some(editor) = &environment.editor else {
        bail!("no editor is set: set VISUAL or EDITOR, or edit `{}`", path.display());
    };
    if !path.exists() {
        replace_settings_file(&path, None, Some(&settings_template()), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    // As in git, the value may contain arguments.
    let mut command = Command::new("sh");
    let status = command.args(["-c", &format!("{editor} \"$@\""), editor]).arg(&path).status();
    let status = status.with_context(|| format!("`{editor}` cannot be started"))?;
    if !status.success() {
        bail!("`{editor}` ended with an error ({status})");
    }
    read_valid_settings(environment)?;
    Ok(ExitCode::SUCCESS)
}
