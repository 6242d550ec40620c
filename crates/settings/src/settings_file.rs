//! The user's settings file: `config.toml`, or `config.json` if there is no `config.toml`.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use foveal_workspace::regular_file::{LinkPolicy, read_regular};

use crate::parse_error::SettingsParseError;
use crate::settings_source::{SettingsSource, Syntax};
use crate::user_settings::UserSettings;

/// The largest settings file that is read, in bytes.
const BYTES_MAX: u64 = 1 << 20;

/// The possible names. The first is used for a new file.
const FILE_NAMES: [&str; 2] = ["config.toml", "config.json"];

/// The settings file and its current text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// The path.
    pub path: PathBuf,
    /// The text; `None` if the file does not exist.
    pub text: Option<String>,
}

impl SettingsFile {
    /// Returns the text with its syntax.
    pub fn source(&self) -> SettingsSource<'_> {
        let text = self.text.as_deref().unwrap_or_default();
        SettingsSource { text, syntax: Syntax::from_path(&self.path) }
    }

    /// Reads the file below the folder for settings of all programs; `None` if there is no such
    /// folder.
    ///
    /// # Errors
    /// If the file cannot be read, or if both names exist.
    pub fn read(folder: Option<&Path>) -> Result<Option<Self>, SettingsFileError> {
        let Some(path) = settings_path(folder) else { return Ok(None) };
        let (toml, json) = (path.with_file_name(FILE_NAMES[0]), path.with_file_name(FILE_NAMES[1]));
        refuse_two_files(&toml, &json)?;
        let text = read_text(&path)?;
        Ok(Some(Self { path, text }))
    }

    /// Parses the settings.
    ///
    /// # Errors
    /// If they are invalid, with the line.
    pub fn parse(&self) -> Result<UserSettings, SettingsFileError> {
        let path = || self.path.display().to_string();
        let parsed = self.source().parse();
        parsed.map_err(|source| SettingsFileError::Invalid { path: path(), source })
    }
}

/// Returns the path of the settings file, which need not exist. `folder` is the folder for settings
/// of all programs.
pub fn settings_path(folder: Option<&Path>) -> Option<PathBuf> {
    let folder = folder?.join("foveal");
    let [toml, json] = FILE_NAMES.map(|name| folder.join(name));
    Some(if !path_exists(&toml) && path_exists(&json) { json } else { toml })
}

/// Returns the place where the user names upstreams, in words for a message.
pub fn upstreams_place(folder: Option<&Path>) -> String {
    match settings_path(folder) {
        Some(path) if Syntax::from_path(&path) == Syntax::Json => {
            format!("\"upstreams\" of \"gateway\" in `{}`", path.display())
        }
        Some(path) => format!("[gateway.upstreams] in `{}`", path.display()),
        None => "[gateway.upstreams] of your settings".to_owned(),
    }
}

/// The reason why a settings file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFileError {
    /// Of two files only one could apply.
    #[error(
        "there are settings in `{toml}` and in `{json}`, but only one file is allowed: move what \
         you need of `{json}` into the other and delete it, or delete `{toml}`"
    )]
    TwoFiles {
        /// The path of the file in TOML.
        toml: String,
        /// The path of the file in JSON.
        json: String,
    },
    /// The file is too large.
    #[error("`{0}` has more than {BYTES_MAX} bytes: it is not a settings file")]
    TooLarge(String),
    /// The file cannot be read.
    #[error("`{path}` cannot be read")]
    Unreadable {
        /// The path.
        path: String,
        /// The reason.
        source: io::Error,
    },
    /// The file is no text.
    #[error("`{path}` cannot be used: line {line}: invalid UTF-8: save the file as UTF-8")]
    NoText {
        /// The path.
        path: String,
        /// The first line that is no text.
        line: usize,
    },
    /// The settings are invalid.
    #[error("`{path}` cannot be used: correct it, or remove it")]
    Invalid {
        /// The path.
        path: String,
        /// The reason.
        source: SettingsParseError,
    },
}

/// Refuses two settings files, of which only one could apply.
///
/// # Errors
/// If both exist.
pub fn refuse_two_files(toml: &Path, json: &Path) -> Result<(), SettingsFileError> {
    if path_exists(toml) && path_exists(json) {
        let [toml, json] = [toml, json].map(|path| path.display().to_string());
        return Err(SettingsFileError::TwoFiles { toml, json });
    }
    Ok(())
}

fn path_exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn read_text(path: &Path) -> Result<Option<String>, SettingsFileError> {
    let shown = || path.display().to_string();
    let bytes = match read_regular(path, BYTES_MAX, LinkPolicy::Followed) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            return Err(SettingsFileError::TooLarge(shown()));
        }
        Err(source) => return Err(SettingsFileError::Unreadable { path: shown(), source }),
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        SettingsFileError::NoText { path: shown(), line }
    })
}

/// Returns the user's settings, with defaults for all that is not set. `folder` is the folder for
/// settings of all programs.
///
/// # Errors
/// If the file cannot be read or parsed, with the line, or if there are two files.
pub fn read_user_settings(folder: Option<&Path>) -> Result<UserSettings, SettingsFileError> {
    match SettingsFile::read(folder)? {
        Some(file) => file.parse(),
        None => Ok(UserSettings::default()),
    }
}

/// Returns whether contents may be written to disk. They may not if the settings cannot be read.
pub fn may_keep_contents(folder: Option<&Path>) -> bool {
    read_user_settings(folder).is_ok_and(|settings| settings.keeps_contents())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_text_is_told_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("foveal")).expect("a folder");
        let path = folder.path().join("foveal/config.toml");
        std::fs::write(path, b"[read]\n\nsmall_lines = 1 # \xff\n").expect("it is written");
        let error = read_user_settings(Some(folder.path())).expect_err("no text").to_string();
        assert!(error.ends_with("line 3: invalid UTF-8: save the file as UTF-8"), "{error}");
    }
}
