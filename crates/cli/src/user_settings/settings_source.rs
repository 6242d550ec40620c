//! The text of settings in TOML or JSON.

use std::borrow::Cow;
use std::path::Path;

use anyhow::bail;
use serde::Deserialize;
use toml_edit::{Document, Item, TableLike};

use super::config_file::ConfigFile;
use super::json_settings;
use super::parse_error::{SettingsParseError, line_number};
use super::setting_edit::{self, SettingEditError};
use super::setting_keys::SettingKey;
use super::unknown_names;

/// The syntax of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Toml,
    Json,
}

impl Syntax {
    /// Returns the syntax for a path, by its extension.
    pub(crate) fn from_path(path: &Path) -> Self {
        match path.extension() {
            Some(end) if end == "json" => Self::Json,
            _ => Self::Toml,
        }
    }
}

/// A text of settings with its syntax.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SettingsSource<'a> {
    pub(crate) text: &'a str,
    pub(crate) syntax: Syntax,
}

/// Parsed settings, with the TOML text that their spans refer to.
pub(super) struct ParsedSettings<'a> {
    pub(super) config: ConfigFile,
    pub(super) toml: Cow<'a, str>,
}

/// The document of settings that were converted from JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConvertedDocument {
    settings: ConfigFile,
}

impl<'a> SettingsSource<'a> {
    /// Parses the settings.
    ///
    /// # Errors
    /// If the text cannot be parsed, with the line.
    pub(super) fn parse(self) -> anyhow::Result<ParsedSettings<'a>> {
        let written = match self.syntax {
            Syntax::Toml => {
                let toml = Cow::Borrowed(self.text);
                return match toml::from_str(&toml) {
                    Ok(written) => Ok(ParsedSettings { config: written, toml }),
                    Err(error) => {
                        let advice = unknown_name_advice(&error, &toml, self.syntax);
                        Err(SettingsParseError::new(&error, advice).into())
                    }
                };
            }
            Syntax::Json => json_settings::convert_to_toml(self.text)?,
        };
        match toml::from_str::<ConvertedDocument>(&written) {
            Ok(ConvertedDocument { settings }) => {
                Ok(ParsedSettings { config: settings, toml: written.into() })
            }
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let advice = unknown_name_advice(&error, &written, self.syntax);
                Err(SettingsParseError::from_converted_text(
                    &error,
                    line_number(written.as_bytes(), at),
                    advice,
                )
                .into())
            }
        }
    }

    /// Returns the value of a setting as it would be written; `None` if it is not set.
    ///
    /// # Errors
    /// If the text has invalid syntax.
    pub(crate) fn read_value(self, name: &str) -> Result<Option<String>, SettingEditError> {
        match self.syntax {
            Syntax::Toml => setting_edit::read_value(self.text, name),
            Syntax::Json => setting_edit::json::read_value(self.text, name),
        }
    }

    /// Returns the names that are set for a setting: its own, or those that match its placeholder.
    ///
    /// # Errors
    /// If the text has invalid syntax.
    pub(crate) fn matching_names(self, key: &SettingKey) -> Result<Vec<String>, SettingEditError> {
        match self.syntax {
            Syntax::Toml => setting_edit::matching_names(self.text, key),
            Syntax::Json => setting_edit::json::matching_names(self.text, key),
        }
    }

    /// Returns the text with another value of a setting. All else in the text is preserved.
    ///
    /// # Errors
    /// All of [`SettingEditError`].
    pub(crate) fn set_value(
        self,
        key: &SettingKey,
        name: &str,
        value: &str,
    ) -> Result<String, SettingEditError> {
        match self.syntax {
            Syntax::Toml => setting_edit::set_value(self.text, key, name, value),
            Syntax::Json => setting_edit::json::set_value(self.text, key, name, value),
        }
    }

    /// Returns the text without a setting; `None` if it is not set.
    ///
    /// # Errors
    /// If the text has invalid syntax.
    pub(crate) fn remove_value(self, name: &str) -> Result<Option<String>, SettingEditError> {
        match self.syntax {
            Syntax::Toml => setting_edit::remove_value(self.text, name),
            Syntax::Json => setting_edit::json::remove_value(self.text, name),
        }
    }
}

/// Returns advice about an unknown name, if the error is on its line.
fn unknown_name_advice(error: &toml::de::Error, toml: &str, syntax: Syntax) -> Option<String> {
    let line = |at: usize| line_number(toml.as_bytes(), at);
    let is_there = |at| error.span().is_none_or(|span| line(span.start) == line(at));
    let mut advice = None;
    let look = |table: &dyn TableLike| {
        advice = unknown_names::unknown_name_advice(table, &is_there);
        Ok(())
    };
    with_settings_table(toml, syntax, look).ok()?;
    advice
}

/// Calls `look` with the root table of the settings in a text.
///
/// # Errors
/// If the text is not valid TOML, and the errors of `look`.
pub(super) fn with_settings_table(
    toml: &str,
    syntax: Syntax,
    look: impl FnOnce(&dyn TableLike) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let document = Document::parse(toml)?;
    match syntax {
        Syntax::Toml => look(document.as_table()),
        Syntax::Json => match document.get("settings").and_then(Item::as_table_like) {
            Some(table) => look(table),
            None => bail!("the settings are no object"),
        },
    }
}
