//! The current settings, and changes of the file.

use std::path::PathBuf;

use anyhow::{Context, bail};
use foveal_agent_setup::replace_settings_file;
use foveal_settings::setting_keys::{self, SettingKey, SettingType, setting_keys};
use foveal_settings::settings_file::SettingsFile;
use foveal_settings::{SettingsSource, apply_project_settings, removal_advice};

use crate::environment::Environment;
use crate::project_settings::{ProjectFile, ProjectTrust, TrustState};

pub(super) const NO_SETTINGS_FOLDER: &str = "no folder for settings: set HOME or XDG_CONFIG_HOME";

/// A change of the settings file.
#[derive(Debug)]
pub(super) struct SettingsChange {
    pub(super) path: PathBuf,
    /// The text before; `None` if the file did not exist.
    pub(super) before: Option<String>,
    pub(super) after: String,
}

/// Returns the setting with this name, which may be another name of it.
pub(super) fn find_setting(name: &str) -> anyhow::Result<&'static SettingKey> {
    if let Some(key) = setting_keys::find_setting(name) {
        return Ok(key.leading());
    }
    if let Some(advice) = removal_advice(name) {
        bail!("{advice}");
    }
    let meant = match setting_keys::nearest_name(name, setting_keys().iter().map(|key| &*key.name))
    {
        Some(meant) => format!("did you mean `{meant}`? "),
        None => String::new(),
    };
    bail!("unknown setting `{name}`: {meant}`foveal config` lists all, in a chat `/config`");
}

/// Reads the settings file and checks that it is valid.
pub(super) fn read_valid_settings(environment: &Environment) -> anyhow::Result<SettingsFile> {
    let file = SettingsFile::read(environment.user.config_folder().as_deref())?;
    let file = file.context(NO_SETTINGS_FOLDER)?;
    file.parse()?;
    Ok(file)
}

/// Returns a text without its quotes, and any other value as it is written.
pub(super) fn unquote(value: &str) -> String {
    let parsed: Option<toml_edit::Value> = value.parse().ok();
    let text = parsed.as_ref().and_then(toml_edit::Value::as_str);
    text.map_or_else(|| value.to_owned(), str::to_owned)
}

/// Returns the settings file of the current project, and whether it is trusted and valid.
pub(super) fn current_project_file(environment: &Environment) -> Option<(ProjectFile, bool)> {
    let file = ProjectFile::find(&std::env::current_dir().ok()?).ok()??;
    let user = environment.read_user_settings().ok()?;
    let is_trusted = ProjectTrust::open(environment).trust_state(&file) == TrustState::Trusted;
    let holds = is_trusted && apply_project_settings(&user, file.source()).is_ok();
    Some((file, holds))
}

/// Returns the value that the current project sets, the file, and whether that is in effect.
pub(super) fn project_value(
    name: &str,
    environment: &Environment,
) -> Option<(String, PathBuf, bool)> {
    let (file, holds) = current_project_file(environment)?;
    let value = file.source().read_value(name).ok()??;
    Some((value, file.path, holds))
}

pub(super) fn explain_setting(name: &str, environment: &Environment) -> anyhow::Result<String> {
    let key = find_setting(name)?;
    let alias = key.alias();
    let name = if alias == Some(name) { &key.name } else { name };
    let mut lines =
        vec![format!("{name}: {}", key.description), format!("expects: {}", key.expected_value())];
    lines.extend(alias.map(|alias| format!("other name: {alias}")));
    lines.push(format!("default: {}", key.default_value.as_deref().unwrap_or("nothing")));
    lines.push(match read_valid_settings(environment) {
        Ok(file) => match file.source().read_value(name)? {
            Some(value) => format!("set: {value}, in {}", file.path.display()),
            None => "set: no".to_owned(),
        },
        Err(error) => format!("set: unknown. {error:#}").trim_end().to_owned(),
    });
    if let Some((value, path, holds)) = project_value(name, environment) {
        let path = path.display();
        lines.push(match holds {
            true => format!("set by the project, which takes precedence here: {value}, in {path}"),
            false => format!("set by the project: {value}, in {path}, which is ignored"),
        });
    }
    if !matches!(key.value_type, SettingType::Tables) {
        lines.push(format!("to set it: foveal config set {name} VALUE"));
    }
    Ok(lines.join("\n"))
}

/// Returns every setting with its value. A setting with a free part in its name has one row for
/// each name in use.
pub(super) fn setting_rows(
    source: SettingsSource<'_>,
) -> anyhow::Result<Vec<(String, &'static SettingKey, Option<String>)>> {
    let mut rows = Vec::new();
    for key in setting_keys().iter().filter(|key| !key.is_alias()) {
        let named = source.matching_names(key)?;
        for name in &named {
            rows.push((name.clone(), key, source.read_value(name)?));
        }
        if named.is_empty() {
            // The file may use another name of it.
            rows.push((key.name.clone(), key, source.read_value(&key.name)?));
        }
    }
    Ok(rows)
}

/// Applies `change` to the file and writes it, if the result is valid; `None` if there is no
/// change.
pub(super) fn write_change(
    environment: &Environment,
    change: impl FnOnce(SettingsSource<'_>) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<Option<SettingsChange>> {
    let file = read_valid_settings(environment)?;
    let Some(after) = change(file.source())? else { return Ok(None) };
    // The line of a text that was never written would mislead.
    if let Err(error) = (SettingsSource { text: &after, ..file.source() }).parse() {
        bail!("nothing was changed: {}", error.message);
    }
    let SettingsFile { path, text: before } = file;
    if before.as_deref() != Some(&after) {
        replace_settings_file(&path, before.as_deref(), Some(&after), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    Ok(Some(SettingsChange { path, before, after }))
}
