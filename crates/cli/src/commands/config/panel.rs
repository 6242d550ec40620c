//! The settings for the screen of `foveal chat`: effective values with their origin, and changes
//! with undo.

use anyhow::{Context, bail};
use foveal_agent_setup::replace_settings_file;
use foveal_gateway::traces::endpoint_variable;
use foveal_settings::setting_keys::{SettingKey, SettingType, is_placeholder};
use foveal_settings::{SettingsParseError, setting_edit};
use foveal_store::Grant;
use foveal_tui::{EditableSetting, SettingInput, SettingOrigin, SettingsList};

use super::settings::{
    SettingsChange, current_project_file, explain_setting, find_setting, read_valid_settings,
    setting_rows, unquote, write_change,
};
use crate::environment::Environment;
use crate::grants::list_grants_of_current_folder;
use crate::notice;
use crate::project_settings::ProjectFile;

/// Limit of changes that can be undone.
const CHANGES_MAX: usize = 100;

/// The notice for a value that does not fit on one line.
const EDIT_FILE_NOTICE: &str =
    "the value does not fit on one line: edit it with `foveal config edit`";

/// The settings panel, with its changes.
#[derive(Debug, Default)]
pub(crate) struct SettingsPanel {
    /// The changes so far, the latest last.
    changes: Vec<SettingsChange>,
}

impl SettingsPanel {
    /// Returns all settings with their effective values, origins, and ways to change them.
    ///
    /// # Errors
    /// If the file cannot be read or parsed.
    pub(crate) fn list_settings(environment: &Environment) -> anyhow::Result<SettingsList> {
        let file = read_valid_settings(environment)?;
        let project = trusted_project_file(environment);
        let all = setting_rows(file.source())?.into_iter().map(|(name, key, set)| {
            let (value, origin) = match overriding_value(&name, project.as_ref(), environment)? {
                Some((value, origin)) => (Some(value), origin),
                None if set.is_some() => (set, SettingOrigin::File),
                None => (key.default_value.clone(), SettingOrigin::Default),
            };
            let line = value.as_deref().map(|value| setting_edit::editable_line(key, value));
            let takes = match (input_kind(&name, key), &line) {
                (SettingInput::Text, Some(None)) => {
                    SettingInput::Unavailable(EDIT_FILE_NOTICE.to_owned())
                }
                (takes, _) => takes,
            };
            let value =
                value.map(|value| line.flatten().unwrap_or_else(|| first_line_unquoted(&value)));
            let usual = key.default_value.as_deref().map(first_line_unquoted);
            let (expected, about) = (key.expected_value(), key.description.clone());
            Ok(EditableSetting {
                name,
                value,
                origin,
                default_value: usual,
                input: takes,
                expected,
                description: about,
            })
        });
        let mut all: Vec<EditableSetting> = all.collect::<anyhow::Result<_>>()?;
        all.extend(grant_rows(environment));
        Ok(SettingsList { file: file.path.display().to_string(), settings: all })
    }

    /// Sets or, without a value, unsets a setting; returns the message for the user.
    ///
    /// # Errors
    /// If the value is invalid, or the file cannot be read, parsed or written.
    pub(crate) fn set_value(
        &mut self,
        name: &str,
        value: Option<&str>,
        environment: &Environment,
    ) -> anyhow::Result<String> {
        let key = find_setting(name)?;
        let change = write_change(environment, |source| match value {
            Some(value) => Ok(Some(source.set_value(key, name, value)?)),
            None => Ok(source.remove_value(name)?),
        })?;
        let Some(change) = change else { return Ok(format!("{name} is not set in your file")) };
        let file = change.path.display().to_string();
        if change.before.as_ref() != Some(&change.after) {
            if self.changes.len() >= CHANGES_MAX {
                self.changes.remove(0);
            }
            self.changes.push(change);
        }
        let what = if value.is_some() { "set in" } else { "removed from" };
        let overruling =
            overriding_value(name, trusted_project_file(environment).as_ref(), environment)?;
        let holds = match overruling.map(|(_, origin)| origin) {
            Some(SettingOrigin::Project) => {
                "but the project's value takes precedence here".to_owned()
            }
            Some(SettingOrigin::Environment(variable)) => {
                format!("but {variable} in the environment takes precedence")
            }
            _ => "this applies to new runs and sessions".to_owned(),
        };
        Ok(format!("{name} is {what} {file}: {holds}"))
    }

    /// Undoes the last change of the file.
    ///
    /// # Errors
    /// If there is no change, or the file was changed since.
    pub(crate) fn undo_last_change(&mut self) -> anyhow::Result<String> {
        let Some(SettingsChange { path, before, after }) = self.changes.pop() else {
            bail!("nothing was changed here: there is nothing to undo");
        };
        replace_settings_file(&path, Some(&after), before.as_deref(), false)
            .with_context(|| format!("`{}` cannot be restored", path.display()))?;
        Ok("undid the last change: the file is as it was before it".to_owned())
    }

    /// Explains the setting that is named; with a value after the name, sets it.
    ///
    /// # Errors
    /// See [`Self::set_value`].
    pub(crate) fn explain_or_set(
        &mut self,
        argument: &str,
        environment: &Environment,
    ) -> anyhow::Result<String> {
        match argument.split_once(char::is_whitespace) {
            None => explain_setting(argument, environment),
            Some((name, value)) => self.set_value(name, Some(value.trim()), environment),
        }
    }
}

/// Returns the permanent grants for the current folder, as rows beside the settings.
fn grant_rows(environment: &Environment) -> impl Iterator<Item = EditableSetting> + use<> {
    let grants = list_grants_of_current_folder(environment).into_iter().enumerate();
    grants.map(|(at, Grant { tool, subject })| {
        let number = at + 1;
        EditableSetting {
            name: format!("always allowed here.{number}"),
            value: Some(format!("{tool} {subject}")),
            origin: SettingOrigin::Default,
            default_value: None,
            input: SettingInput::Unavailable(format!(
                "`foveal permissions revoke {number}` revokes it"
            )),
            expected: "nothing: after it is revoked, foveal asks you again".to_owned(),
            description: "a permanent approval for this folder".to_owned(),
        }
    })
}

/// Returns the settings file of the current project, if it is trusted and valid.
fn trusted_project_file(environment: &Environment) -> Option<ProjectFile> {
    current_project_file(environment).filter(|(_, holds)| *holds).map(|(file, _)| file)
}

/// Returns a value that overrides the user's file, in the syntax of the file, with its origin.
fn overriding_value(
    name: &str,
    project: Option<&ProjectFile>,
    environment: &Environment,
) -> anyhow::Result<Option<(String, SettingOrigin)>> {
    let variable =
        (name == "gateway.otel").then(|| endpoint_variable(&environment.trace_variables));
    if let Some((variable, value)) = variable.flatten() {
        let value = toml_edit::Value::from(value).to_string();
        return Ok(Some((value, SettingOrigin::Environment(variable.to_owned()))));
    }
    let Some(file) = project else { return Ok(None) };
    Ok(file.source().read_value(name)?.map(|value| (value, SettingOrigin::Project)))
}

/// Explains why a change was refused, without a line number, since the change was never written.
pub(crate) fn refusal_message(error: &anyhow::Error) -> String {
    let reason = error.chain().find_map(|cause| cause.downcast_ref::<SettingsParseError>());
    match reason {
        Some(reason) => format!("nothing was changed: {}", reason.message),
        None => notice::describe_error(error.as_ref()),
    }
}

/// Returns the first line of a value, without the quotes of a text.
fn first_line_unquoted(value: &str) -> String {
    let plain = unquote(value);
    match plain.split_once('\n') {
        Some((first, _)) => format!("{first} …"),
        None => plain,
    }
}

/// Returns the way to change a setting on the screen.
fn input_kind(name: &str, key: &SettingKey) -> SettingInput {
    if name.split('.').any(is_placeholder) {
        let how = format!("replace the capitals by a name: /config {name} VALUE");
        return SettingInput::Unavailable(how);
    }
    match &key.value_type {
        SettingType::Boolean => SettingInput::Toggle,
        SettingType::Choice(all) => SettingInput::Choice(all.clone()),
        SettingType::Tables => {
            SettingInput::Unavailable("it is a table: edit it with `foveal config edit`".to_owned())
        }
        SettingType::Integer
        | SettingType::Text
        | SettingType::IntegerOrText
        | SettingType::TextList => SettingInput::Text,
    }
}

#[cfg(test)]
mod tests;
