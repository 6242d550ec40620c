//! The settings as they are, and changes of them.

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::clients::write;
use crate::environment::Environment;
use crate::project_settings::{Book, ProjectFile, Trust};
use crate::user_settings::file::SettingsFile;
use crate::user_settings::keys::{self, Form, KEYS, Key};
use crate::user_settings::source::Source;
use crate::user_settings::{self, removed};

pub(super) const NO_PLACE: &str = "there is no place for settings: set HOME or XDG_CONFIG_HOME";

/// A change of the file.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    /// What it held; `None`: it was not there.
    pub(super) before: Option<String>,
    pub(super) after: String,
}

/// The setting of this name.
pub(super) fn named(name: &str) -> anyhow::Result<&'static Key> {
    if let Some(key) = keys::named(name) {
        return Ok(key);
    }
    if let Some(advice) = removed::advice(name) {
        bail!("{advice}");
    }
    let meant = match keys::nearest(name, KEYS.iter().map(|key| key.name)) {
        Some(meant) => format!("did you mean `{meant}`? "),
        None => String::new(),
    };
    bail!("there is no setting `{name}`: {meant}`foveal config` lists all");
}

/// The file, which is understood.
pub(super) fn understood(environment: &Environment) -> anyhow::Result<SettingsFile> {
    let file = SettingsFile::read(environment)?.context(NO_PLACE)?;
    user_settings::check(file.source()).with_context(|| {
        format!("`{}` cannot be used: correct it, or remove it", file.path.display())
    })?;
    Ok(file)
}

/// A text without its quotes; other values as they are written.
pub(super) fn plain(value: &str) -> String {
    let parsed: Option<toml_edit::Value> = value.parse().ok();
    let text = parsed.as_ref().and_then(toml_edit::Value::as_str);
    text.map_or_else(|| value.to_owned(), str::to_owned)
}

/// The file of the project of the current folder, and whether it holds.
pub(super) fn project(environment: &Environment) -> Option<(ProjectFile, bool)> {
    let file = ProjectFile::of(&std::env::current_dir().ok()?).ok()??;
    let user = user_settings::read(environment).ok()?;
    let is_trusted = Book::open(environment).trust(&file) == Trust::Trusted;
    let holds = is_trusted && user_settings::project::over(&user, file.source()).is_ok();
    Some((file, holds))
}

/// What the project of the current folder sets of a setting, in which file, and whether that holds.
pub(super) fn of_project(name: &str, environment: &Environment) -> Option<(String, PathBuf, bool)> {
    let (file, holds) = project(environment)?;
    let value = file.source().value(name).ok()??;
    Some((value, file.path, holds))
}

pub(super) fn explained(name: &str, environment: &Environment) -> anyhow::Result<String> {
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
pub(super) fn rows(
    source: Source<'_>,
) -> anyhow::Result<Vec<(String, &'static Key, Option<String>)>> {
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

/// Writes the file with a change, if that leaves it understood; `None`: there is none to be made.
pub(super) fn changed(
    environment: &Environment,
    change: impl FnOnce(Source<'_>) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<Option<Change>> {
    let file = understood(environment)?;
    let Some(after) = change(file.source())? else { return Ok(None) };
    user_settings::check(Source { text: &after, ..file.source() })
        .context("nothing was changed: the file would not be understood")?;
    let SettingsFile { path, text: before } = file;
    if before.as_deref() != Some(&after) {
        write(&path, before.as_deref(), Some(&after), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    Ok(Some(Change { path, before, after }))
}
