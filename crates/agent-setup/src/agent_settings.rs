//! Reads the settings of agents.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agent_settings_file::{SettingsFileError, read_settings_file};
use super::foveal_entry::EditError;

/// An error of reading an agent's settings.
#[derive(Debug, thiserror::Error)]
pub enum AgentSettingsError {
    /// The file cannot be read.
    #[error("`{}`: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The fault.
        source: SettingsFileError,
    },
    /// The file cannot be parsed.
    #[error("`{}`: {source}", path.display())]
    Json {
        /// The path of the file.
        path: PathBuf,
        /// The fault.
        source: EditError,
    },
}

/// Parses a JSON file, which may have comments. Returns null if it does not exist or is empty.
///
/// # Errors
/// If the file cannot be read or parsed.
pub(crate) fn read_json_file(path: &Path) -> Result<Value, AgentSettingsError> {
    let text = read_settings_file(path)
        .map_err(|source| AgentSettingsError::File { path: path.to_owned(), source })?
        .unwrap_or_default();
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    crate::json_servers::parse_value(text)
        .map_err(|source| AgentSettingsError::Json { path: path.to_owned(), source })
}

/// Returns a variable from the file of variables that Gemini CLI and its forks read: the first that
/// exists in the folders from `folder` upwards, and then in the home folder.
pub(crate) fn read_dot_env_variable(
    folder: &Path,
    home: Option<&Path>,
    own: &str,
    name: &str,
) -> Option<String> {
    let text = read_settings_file(&dot_env_path(folder, home, own)?).ok().flatten()?;
    text.lines().find_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        (key.trim() == name && !value.is_empty()).then(|| value.to_owned())
    })
}

/// Returns the path of that file. The agent reads no other.
pub(crate) fn dot_env_path(folder: &Path, home: Option<&Path>, own: &str) -> Option<PathBuf> {
    let mut folders: Vec<&Path> = folder.ancestors().collect();
    folders.extend(home);
    let places = folders.into_iter().flat_map(|at| [at.join(own).join(".env"), at.join(".env")]);
    places.into_iter().find(|path| path.is_file())
}
