//! `foveal config`: what can be set, what is set, and changes of that.

mod panel;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::clients::write;
use crate::environment::Environment;
use crate::exit_code;
use crate::notice;
use crate::output;
use crate::project_settings::{Book, ProjectFile, Trust};
use crate::table::{Narrow, Side, Table};
use crate::user_settings::file::SettingsFile;
use crate::user_settings::keys::{self, Form, KEYS, Key};
use crate::user_settings::source::Source;
use crate::user_settings::{self, schema};

use self::panel::Change;
pub(crate) use self::panel::{Panel, refusal};

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

const NO_PLACE: &str = "there is no place for settings: set HOME or XDG_CONFIG_HOME";

/// The setting of this name.
fn named(name: &str) -> anyhow::Result<&'static Key> {
    if let Some(key) = keys::named(name) {
        return Ok(key);
    }
    let meant = match keys::nearest(name, KEYS.iter().map(|key| key.name)) {
        Some(meant) => format!("did you mean `{meant}`? "),
        None => String::new(),
    };
    bail!("there is no setting `{name}`: {meant}`foveal config` lists all");
}

/// The file, which is understood.
fn understood(environment: &Environment) -> anyhow::Result<SettingsFile> {
    let file = SettingsFile::read(environment)?.context(NO_PLACE)?;
    file.source().check().with_context(|| {
        format!("`{}` cannot be used: correct it, or remove it", file.path.display())
    })?;
    Ok(file)
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

/// A text without its quotes; other values as they are written.
fn plain(value: &str) -> String {
    let parsed: Option<toml_edit::Value> = value.parse().ok();
    let text = parsed.as_ref().and_then(toml_edit::Value::as_str);
    text.map_or_else(|| value.to_owned(), str::to_owned)
}

/// The file of the project of the current folder, and whether it holds.
fn project(environment: &Environment) -> Option<(ProjectFile, bool)> {
    let file = ProjectFile::of(&std::env::current_dir().ok()?).ok()??;
    let user = user_settings::read(environment).ok()?;
    let is_trusted = Book::open(environment).trust(&file) == Trust::Trusted;
    let holds = is_trusted && user_settings::project::over(&user, file.source()).is_ok();
    Some((file, holds))
}

/// What the project of the current folder sets of a setting, in which file, and whether that holds.
fn of_project(name: &str, environment: &Environment) -> Option<(String, PathBuf, bool)> {
    let (file, holds) = project(environment)?;
    let value = file.source().value(name).ok()??;
    Some((value, file.path, holds))
}

fn explained(name: &str, environment: &Environment) -> anyhow::Result<String> {
    let key = named(name)?;
    let mut lines = vec![format!("{name}: {}", key.about), format!("takes: {}", key.expected())];
    lines.push(format!("without it: {}", key.usual.unwrap_or("nothing")));
    lines.push(match understood(environment) {
        Ok(file) => match file.source().value(name)? {
            Some(value) => format!("set: {value}, in {}", file.path.display()),
            None => "set: no".to_owned(),
        },
        Err(error) => format!("set: not known. {error:#}").trim_end().to_owned(),
    });
    if let Some((value, path, holds)) = of_project(name, environment) {
        let path = path.display();
        lines.push(match holds {
            true => format!("set by the project, which holds here: {value}, in {path}"),
            false => format!("set by the project: {value}, in {path}, which is not obeyed"),
        });
    }
    if !matches!(key.form, Form::Tables | Form::ByName) {
        lines.push(format!("to set it: foveal config set {name} VALUE"));
    }
    Ok(lines.join("\n"))
}

/// Every setting with its value. Those for any name have a row for each name that is set.
fn rows(source: Source<'_>) -> anyhow::Result<Vec<(String, &'static Key, Option<String>)>> {
    let mut rows = Vec::new();
    for key in &KEYS {
        let named = source.names(key)?;
        for name in &named {
            rows.push((name.clone(), key, source.value(name)?));
        }
        if named.is_empty() {
            rows.push((key.name.to_owned(), key, None));
        }
    }
    Ok(rows)
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

/// Writes the file with a change, if that leaves it understood; `None`: there is none to be made.
fn changed(
    environment: &Environment,
    change: impl FnOnce(Source<'_>) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<Option<Change>> {
    let file = understood(environment)?;
    let Some(after) = change(file.source())? else { return Ok(None) };
    Source { text: &after, ..file.source() }
        .check()
        .context("nothing was changed: the file would not be understood")?;
    let SettingsFile { path, text: before } = file;
    if before.as_deref() != Some(&after) {
        write(&path, before.as_deref(), Some(&after), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    Ok(Some(Change { path, before, after }))
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
