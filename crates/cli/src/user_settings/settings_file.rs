//! The user's settings file: `config.toml`, or `config.json` if there is no `config.toml`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_workspace::regular_file::{LinkPolicy, read_regular};

use super::parse_error::line_number;
use super::settings_source::{SettingsSource, Syntax};
use crate::environment::Environment;

/// The largest settings file that is read, in bytes.
const BYTES_MAX: u64 = 1 << 20;

/// The possible names. The first is used for a new file.
const FILE_NAMES: [&str; 2] = ["config.toml", "config.json"];

/// The settings file and its current text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    /// The text; `None` if the file does not exist.
    pub(crate) text: Option<String>,
}

impl SettingsFile {
    /// Returns the text with its syntax.
    pub(crate) fn source(&self) -> SettingsSource<'_> {
        let text = self.text.as_deref().unwrap_or_default();
        SettingsSource { text, syntax: Syntax::from_path(&self.path) }
    }

    /// Reads the file; `None` if the system has no folder for settings.
    ///
    /// # Errors
    /// If the file cannot be read, or if both names exist.
    pub(crate) fn read(environment: &Environment) -> anyhow::Result<Option<Self>> {
        let Some(path) = settings_path(environment) else { return Ok(None) };
        let (toml, json) = (path.with_file_name(FILE_NAMES[0]), path.with_file_name(FILE_NAMES[1]));
        refuse_two_files(&toml, &json)?;
        let text = read_text(&path)?;
        Ok(Some(Self { path, text }))
    }
}

/// Returns the path of the settings file, which need not exist; `None` if the system has no folder
/// for settings.
pub(crate) fn settings_path(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.user.config_folder()?.join("foveal");
    let [toml, json] = FILE_NAMES.map(|name| folder.join(name));
    Some(if !path_exists(&toml) && path_exists(&json) { json } else { toml })
}

/// Returns the place where the user names upstreams, in words for a message.
pub(crate) fn upstreams_place(environment: &Environment) -> String {
    match settings_path(environment) {
        Some(path) if Syntax::from_path(&path) == Syntax::Json => {
            format!("\"upstreams\" of \"gateway\" in `{}`", path.display())
        }
        Some(path) => format!("[gateway.upstreams] in `{}`", path.display()),
        None => "[gateway.upstreams] of your settings".to_owned(),
    }
}

/// Refuses two settings files, of which only one could apply.
///
/// # Errors
/// If both exist.
pub(crate) fn refuse_two_files(toml: &Path, json: &Path) -> anyhow::Result<()> {
    if path_exists(toml) && path_exists(json) {
        let (toml, json) = (toml.display(), json.display());
        bail!(
            "there are settings in `{toml}` and in `{json}`, and only one may count: move what you \
             need of `{json}` into the other and delete it, or delete `{toml}`"
        );
    }
    Ok(())
}

fn path_exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn read_text(path: &Path) -> anyhow::Result<Option<String>> {
    let shown = path.display();
    let bytes = match read_regular(path, BYTES_MAX, LinkPolicy::Followed) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            bail!("`{shown}` has more than {BYTES_MAX} bytes: these are no settings");
        }
        Err(error) => return Err(error).context(format!("`{shown}` cannot be read")),
    };
    decode_text(bytes).map(Some).with_context(|| format!("`{shown}` cannot be used"))
}

/// Decodes the bytes of a settings file.
///
/// # Errors
/// If they are not UTF-8, with the line.
pub(super) fn decode_text(bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let line = line_number(error.as_bytes(), error.utf8_error().valid_up_to());
        anyhow::anyhow!("line {line}: this is no UTF-8: save the file as UTF-8")
    })
}
