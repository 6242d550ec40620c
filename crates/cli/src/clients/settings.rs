//! Settings of agents, read for what they say.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::entry::EditError;
use super::file::{FileError, read};
use crate::environment::Environment;

/// Why settings are not understood.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("`{}`: {source}", path.display())]
    File { path: PathBuf, source: FileError },
    #[error("`{}`: {source}", path.display())]
    Json { path: PathBuf, source: EditError },
}

/// What a file of JSON says, comments allowed; nothing where there is none.
///
/// # Errors
/// If it cannot be read or understood.
pub(super) fn read_json(path: &Path) -> Result<Value, SettingsError> {
    let text = read(path)
        .map_err(|source| SettingsError::File { path: path.to_owned(), source })?
        .unwrap_or_default();
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    super::json::value(text).map_err(|source| SettingsError::Json { path: path.to_owned(), source })
}

/// What the file of variables says of one that Gemini CLI and those made of it read: the first that
/// there is, in the folders from `folder` up, and then in the home folder.
pub(super) fn dot_env(folder: &Path, home: Option<&Path>, own: &str, name: &str) -> Option<String> {
    let text = read(&dot_env_place(folder, home, own)?).ok().flatten()?;
    text.lines().find_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (key.trim() == name && !value.is_empty()).then(|| value.to_owned())
    })
}

/// Where that file is. Of others nothing is read.
pub(super) fn dot_env_place(folder: &Path, home: Option<&Path>, own: &str) -> Option<PathBuf> {
    let mut folders: Vec<&Path> = folder.ancestors().collect();
    folders.extend(home);
    let places = folders.into_iter().flat_map(|at| [at.join(own).join(".env"), at.join(".env")]);
    places.into_iter().find(|path| path.is_file())
}

/// The file of variables that Gemini CLI reads outside of projects: the first that there is. Where
/// there is none, its own: where there was another, that would not be read any more.
pub(super) fn gemini_variables(environment: &Environment) -> Option<PathBuf> {
    let own = environment.in_home(".gemini/.env")?;
    let plain = environment.in_home(".env")?;
    Some(if !own.is_file() && plain.is_file() { plain } else { own })
}
