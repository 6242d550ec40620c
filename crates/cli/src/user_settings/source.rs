//! The text of settings, in either of the two ways to write them.

use std::borrow::Cow;
use std::path::Path;

use anyhow::bail;
use serde::Deserialize;
use toml_edit::{Document, Item, TableLike};

use super::change::{self, ChangeError};
use super::json;
use super::keys::Key;
use super::names;
use super::told::{NotUnderstood, line_at};
use super::written::Written;

/// How a file of settings is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Toml,
    Json,
}

impl Syntax {
    /// As the name of a file says.
    pub(crate) fn of(path: &Path) -> Self {
        match path.extension() {
            Some(end) if end == "json" => Self::Json,
            _ => Self::Toml,
        }
    }
}

/// The text of settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) syntax: Syntax,
}

/// Settings that were read, with the text that their places are in.
pub(super) struct Read<'a> {
    pub(super) written: Written,
    pub(super) toml: Cow<'a, str>,
}

/// What the settings of JSON stand in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    settings: Written,
}

impl<'a> Source<'a> {
    /// Reads it.
    ///
    /// # Errors
    /// What is not understood, with its line.
    pub(super) fn read(self) -> anyhow::Result<Read<'a>> {
        let written = match self.syntax {
            Syntax::Toml => {
                let toml = Cow::Borrowed(self.text);
                return match toml::from_str(&toml) {
                    Ok(written) => Ok(Read { written, toml }),
                    Err(error) => {
                        let advice = advice(&error, &toml, self.syntax);
                        Err(NotUnderstood::of(&error, advice).into())
                    }
                };
            }
            Syntax::Json => json::as_toml(self.text)?,
        };
        match toml::from_str::<Whole>(&written) {
            Ok(Whole { settings }) => Ok(Read { written: settings, toml: written.into() }),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let advice = advice(&error, &written, self.syntax);
                Err(NotUnderstood::at(&error, line_at(written.as_bytes(), at), advice).into())
            }
        }
    }

    /// What is set, as it would be written; `None`: nothing is.
    ///
    /// # Errors
    /// If the text is not of its form.
    pub(crate) fn value(self, name: &str) -> Result<Option<String>, ChangeError> {
        match self.syntax {
            Syntax::Toml => change::value(self.text, name),
            Syntax::Json => change::json::value(self.text, name),
        }
    }

    /// The names under which a setting is set: its own, or those that a part in capitals stands for.
    ///
    /// # Errors
    /// If the text is not of its form.
    pub(crate) fn names(self, key: &Key) -> Result<Vec<String>, ChangeError> {
        match self.syntax {
            Syntax::Toml => change::names(self.text, key),
            Syntax::Json => change::json::names(self.text, key),
        }
    }

    /// The text with another value of a setting; everything else in it stays as it is.
    ///
    /// # Errors
    /// All of [`ChangeError`].
    pub(crate) fn set(self, key: &Key, name: &str, value: &str) -> Result<String, ChangeError> {
        match self.syntax {
            Syntax::Toml => change::set(self.text, key, name, value),
            Syntax::Json => change::json::set(self.text, key, name, value),
        }
    }

    /// The text without a setting; `None` if it is not set.
    ///
    /// # Errors
    /// If the text is not of its form.
    pub(crate) fn unset(self, name: &str) -> Result<Option<String>, ChangeError> {
        match self.syntax {
            Syntax::Toml => change::unset(self.text, name),
            Syntax::Json => change::json::unset(self.text, name),
        }
    }
}

/// Returns advice about a name that is none, if the error is about its line.
fn advice(error: &toml::de::Error, toml: &str, syntax: Syntax) -> Option<String> {
    let line = |at: usize| line_at(toml.as_bytes(), at);
    let is_there = |at| error.span().is_none_or(|span| line(span.start) == line(at));
    let mut advice = None;
    let look = |table: &dyn TableLike| {
        advice = names::advice(table, &is_there);
        Ok(())
    };
    with_table(toml, syntax, look).ok()?;
    advice
}

/// Calls `look` with the table of all settings in text that was read.
///
/// # Errors
/// If the text is no TOML, and what `look` finds.
pub(super) fn with_table(
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
