//! The text of settings in TOML or JSON. Both are parsed into one table with positions, from which
//! the one type of settings is read.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::json_table::parse_json_table;
use crate::parse_error::{SettingsParseError, line_number};
use crate::setting_edit::{self, BYTE_ORDER_MARK, SettingEditError};
use crate::setting_keys::{SettingKey, find_setting, is_placeholder};
use crate::unknown_names;
use crate::user_settings::{SettingConflict, UserSettings};

/// The syntax of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

impl Syntax {
    /// Returns the syntax for a path, by its extension.
    pub fn from_path(path: &Path) -> Self {
        match path.extension() {
            Some(end) if end == "json" => Self::Json,
            _ => Self::Toml,
        }
    }
}

/// A text of settings with its syntax.
#[derive(Debug, Clone, Copy)]
pub struct SettingsSource<'a> {
    /// The text.
    pub text: &'a str,
    /// The syntax.
    pub syntax: Syntax,
}

impl<'a> SettingsSource<'a> {
    /// Parses and checks the settings.
    ///
    /// # Errors
    /// If the text cannot be parsed, or settings contradict each other, with the line.
    pub fn parse(self) -> Result<UserSettings, SettingsParseError> {
        let table = self.parse_table()?;
        let settings = self.parse_settings(&table)?;
        settings.check().map_err(|conflict| self.conflict_error(&table, &conflict))?;
        Ok(settings)
    }

    /// Parses the text into a table with positions.
    pub(crate) fn parse_table(self) -> Result<Spanned<DeTable<'a>>, SettingsParseError> {
        match self.syntax {
            Syntax::Toml => DeTable::parse(self.text)
                .map_err(|error| SettingsParseError::with_excerpt(error, self.text)),
            Syntax::Json => parse_json_table(self.unmarked_text()),
        }
    }

    /// Reads the settings of a table; settings that contradict each other are accepted.
    pub(crate) fn parse_settings(
        self,
        table: &Spanned<DeTable<'a>>,
    ) -> Result<UserSettings, SettingsParseError> {
        UserSettings::deserialize(toml::Deserializer::from(table.clone())).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let advice = unknown_names::find_advice(table.get_ref(), &span);
            let error = match self.syntax {
                Syntax::Toml => SettingsParseError::with_excerpt(error, self.text),
                Syntax::Json => {
                    let line = self.line_number(span.start);
                    SettingsParseError::at_line(line, error.message().trim_end())
                }
            };
            match advice {
                Some(advice) => error.with_advice(&advice),
                None => error,
            }
        })
    }

    pub(crate) fn conflict_error(
        self,
        table: &Spanned<DeTable<'a>>,
        conflict: &SettingConflict,
    ) -> SettingsParseError {
        let offset = key_offset(table.get_ref(), conflict.name()).unwrap_or_default();
        SettingsParseError::at_line(self.line_number(offset), conflict.to_string())
    }

    pub(crate) fn line_number(self, offset: usize) -> usize {
        line_number(self.unmarked_text(), offset)
    }

    /// Returns the text that positions refer to.
    fn unmarked_text(self) -> &'a str {
        match self.syntax {
            Syntax::Toml => self.text,
            Syntax::Json => self.text.trim_start_matches(BYTE_ORDER_MARK),
        }
    }

    /// Returns the value of a setting as it would be written; `None` if it is not set.
    ///
    /// # Errors
    /// If the text has invalid syntax.
    pub fn read_value(self, name: &str) -> Result<Option<String>, SettingEditError> {
        self.read_value_named(&self.written_name(name)?)
    }

    fn read_value_named(self, name: &str) -> Result<Option<String>, SettingEditError> {
        match self.syntax {
            Syntax::Toml => setting_edit::read_value(self.text, name),
            Syntax::Json => setting_edit::json::read_value(self.text, name),
        }
    }

    /// Returns the name by which the text sets a setting; its leading name if it is not set.
    ///
    /// # Errors
    /// If the text has invalid syntax.
    pub fn written_name(self, name: &str) -> Result<String, SettingEditError> {
        let Some(key) = find_setting(name) else { return Ok(name.to_owned()) };
        let leading = key.leading();
        let Some(alias) = leading.alias() else { return Ok(name.to_owned()) };
        let is_alias = self.read_value_named(&leading.name)?.is_none()
            && self.read_value_named(alias)?.is_some();
        Ok(if is_alias { alias } else { &leading.name }.to_owned())
    }

    /// Returns the names that are set for a setting: its own, or those that match its placeholder.
    ///
    /// # Errors
    /// If the text has invalid syntax.
    pub fn matching_names(self, key: &SettingKey) -> Result<Vec<String>, SettingsParseError> {
        let mut found = vec![(String::new(), DeValue::Table(self.parse_table()?.into_inner()))];
        for part in key.name.split('.') {
            let mut next = Vec::new();
            for (prefix, value) in found {
                let DeValue::Table(table) = value else { continue };
                for (own, value) in table {
                    if is_placeholder(part) || own.get_ref() == part {
                        next.push((format!("{prefix}{}.", own.get_ref()), value.into_inner()));
                    }
                }
            }
            found = next;
        }
        let name = |(name, _): (String, _)| name.strip_suffix('.').map(str::to_owned);
        Ok(found.into_iter().filter_map(name).collect())
    }

    /// Returns the text with another value of a setting. All else in the text is preserved.
    ///
    /// # Errors
    /// All of [`SettingEditError`].
    pub fn set_value(
        self,
        key: &SettingKey,
        name: &str,
        value: &str,
    ) -> Result<String, SettingEditError> {
        let name = &self.written_name(name)?;
        match self.syntax {
            Syntax::Toml => setting_edit::set_value(self.text, key, name, value),
            Syntax::Json => setting_edit::json::set_value(self.text, key, name, value),
        }
    }

    /// Returns the text without a setting; `None` if it is not set.
    ///
    /// # Errors
    /// If the text has invalid syntax.
    pub fn remove_value(self, name: &str) -> Result<Option<String>, SettingEditError> {
        let name = &self.written_name(name)?;
        match self.syntax {
            Syntax::Toml => setting_edit::remove_value(self.text, name),
            Syntax::Json => setting_edit::json::remove_value(self.text, name),
        }
    }
}

/// Returns the offset of a setting's name.
fn key_offset(table: &DeTable<'_>, name: &str) -> Option<usize> {
    let (first, rest) =
        name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
    let (key, value) = table.get_key_value(first)?;
    match rest {
        Some(rest) => key_offset(value.get_ref().as_table()?, rest),
        None => Some(key.span().start),
    }
}
