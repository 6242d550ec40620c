//! The settings for the screen of `foveal chat`: what holds and why, and changes that can be taken
//! back.

use anyhow::{Context, bail};
use foveal_chat::{Origin, Setting, Settings, Takes};
use foveal_store::Grant;

use super::settings::{Change, changed, explained, named, plain, project, rows, understood};
use crate::clients::write;
use crate::environment::Environment;
use crate::gateway::named_by_variable;
use crate::grants::list_grants_here;
use crate::notice;
use crate::project_settings::ProjectFile;
use crate::user_settings::keys::{Form, Key, is_any};
use crate::user_settings::{NotUnderstood, change};

/// Changes that can be taken back.
const CHANGES_MAX: usize = 100;

/// What is said of a value that no line can say.
const IN_THE_FILE: &str =
    "what is set has more than one line can say: `foveal config edit` opens the file";

/// Settings that a person looks at and changes.
#[derive(Debug, Default)]
pub(crate) struct Panel {
    /// The changes that were made, the last one at the end.
    made: Vec<Change>,
}

impl Panel {
    /// All settings with what holds, where that comes from, and how they are changed.
    ///
    /// # Errors
    /// If the file cannot be read or understood.
    pub(crate) fn settings(environment: &Environment) -> anyhow::Result<Settings> {
        let file = understood(environment)?;
        let project = obeyed(environment);
        let all = rows(file.source())?.into_iter().map(|(name, key, set)| {
            let (value, origin) = match overruling(&name, project.as_ref(), environment)? {
                Some((value, origin)) => (Some(value), origin),
                None if set.is_some() => (set, Origin::File),
                None => (key.usual.map(str::to_owned), Origin::Default),
            };
            let line = value.as_deref().map(|value| change::line(key, value));
            let takes = match (takes(&name, key), &line) {
                (Takes::Text, Some(None)) => Takes::Elsewhere(IN_THE_FILE.to_owned()),
                (takes, _) => takes,
            };
            let value = value.map(|value| line.flatten().unwrap_or_else(|| shown(&value)));
            let usual = key.usual.map(shown);
            let (expected, about) = (key.expected(), key.about.to_owned());
            Ok(Setting { name, value, origin, usual, takes, expected, about })
        });
        let mut all: Vec<Setting> = all.collect::<anyhow::Result<_>>()?;
        all.extend(always_allowed(environment));
        Ok(Settings { file: file.path.display().to_string(), all })
    }

    /// Writes a setting, or takes it out; what became of it.
    ///
    /// # Errors
    /// If the value is none for it, or the file cannot be read, understood or written.
    pub(crate) fn set(
        &mut self,
        name: &str,
        value: Option<&str>,
        environment: &Environment,
    ) -> anyhow::Result<String> {
        let key = named(name)?;
        let change = changed(environment, |source| match value {
            Some(value) => Ok(Some(source.set(key, name, value)?)),
            None => Ok(source.unset(name)?),
        })?;
        let Some(change) = change else { return Ok(format!("{name} is not set in your file")) };
        let file = change.path.display().to_string();
        if change.before.as_ref() != Some(&change.after) {
            if self.made.len() >= CHANGES_MAX {
                self.made.remove(0);
            }
            self.made.push(change);
        }
        let what = if value.is_some() { "set in" } else { "taken out of" };
        let overruling = overruling(name, obeyed(environment).as_ref(), environment)?;
        let holds = match overruling.map(|(_, origin)| origin) {
            Some(Origin::Project) => "but here the project's value holds".to_owned(),
            Some(Origin::Environment(variable)) => {
                format!("but {variable} in the environment goes first, and holds here")
            }
            _ => "it holds for what begins from now on".to_owned(),
        };
        Ok(format!("{name} is {what} {file}: {holds}"))
    }

    /// Puts the file back as it was before the last change.
    ///
    /// # Errors
    /// If nothing was changed, or the file holds something else by now.
    pub(crate) fn undo(&mut self) -> anyhow::Result<String> {
        let Some(Change { path, before, after }) = self.made.pop() else {
            bail!("nothing was changed here: there is nothing to take back");
        };
        write(&path, Some(&after), before.as_deref(), false)
            .with_context(|| format!("`{}` cannot be put back", path.display()))?;
        Ok("the last change is taken back: the file is as it was before it".to_owned())
    }

    /// What is told of the setting that is named; with a value behind the name, that is set.
    ///
    /// # Errors
    /// As those of [`Self::set`].
    pub(crate) fn told(
        &mut self,
        argument: &str,
        environment: &Environment,
    ) -> anyhow::Result<String> {
        match argument.split_once(char::is_whitespace) {
            None => explained(argument, environment),
            Some((name, value)) => self.set(name, Some(value.trim()), environment),
        }
    }
}

/// What was allowed for good in the current folder, as rows beside the settings.
fn always_allowed(environment: &Environment) -> impl Iterator<Item = Setting> + use<> {
    let grants = list_grants_here(environment).into_iter().enumerate();
    grants.map(|(at, Grant { tool, subject })| {
        let number = at + 1;
        Setting {
            name: format!("always allowed here.{number}"),
            value: Some(format!("{tool} {subject}")),
            origin: Origin::Default,
            usual: None,
            takes: Takes::Elsewhere(format!("`foveal permissions revoke {number}` takes it back")),
            expected: "nothing: it is asked about again once it is revoked".to_owned(),
            about: "what you allowed for good in this folder".to_owned(),
        }
    })
}

/// The file of the project of the current folder, if it holds.
fn obeyed(environment: &Environment) -> Option<ProjectFile> {
    project(environment).filter(|(_, holds)| *holds).map(|(file, _)| file)
}

/// What holds of a setting whatever the user's file says, as it would be written there, and where
/// that comes from.
fn overruling(
    name: &str,
    project: Option<&ProjectFile>,
    environment: &Environment,
) -> anyhow::Result<Option<(String, Origin)>> {
    let variable = (name == "gateway.otel").then(|| named_by_variable(&environment.of_traces));
    if let Some((variable, value)) = variable.flatten() {
        let value = toml_edit::Value::from(value).to_string();
        return Ok(Some((value, Origin::Environment(variable.to_owned()))));
    }
    let Some(file) = project else { return Ok(None) };
    Ok(file.source().value(name)?.map(|value| (value, Origin::Project)))
}

/// Why a change was not made, without the place in the file: it was never written.
pub(crate) fn refusal(error: &anyhow::Error) -> String {
    let reason = error.chain().find_map(|cause| cause.downcast_ref::<NotUnderstood>());
    match reason {
        Some(reason) => format!("nothing was changed: {}", reason.message),
        None => notice::in_one_line(error.as_ref()),
    }
}

/// The first line of a value, texts without quotes.
fn shown(value: &str) -> String {
    let plain = plain(value);
    match plain.split_once('\n') {
        Some((first, _)) => format!("{first} …"),
        None => plain,
    }
}

/// How a setting is changed on a screen.
fn takes(name: &str, key: &Key) -> Takes {
    if name.split('.').any(is_any) {
        let how = format!("name one in place of the capitals: /config {name} VALUE");
        return Takes::Elsewhere(how);
    }
    match key.form {
        Form::YesNo => Takes::YesNo,
        Form::OneOf(all) => Takes::OneOf(all.iter().map(|one| (*one).to_owned()).collect()),
        Form::Tables | Form::ByName => Takes::Elsewhere(
            "it is written in tables of its own: `foveal config edit` opens the file".to_owned(),
        ),
        Form::Whole | Form::Share | Form::Text | Form::WholeOrText | Form::Texts => Takes::Text,
    }
}

#[cfg(test)]
mod tests;
