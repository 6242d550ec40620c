//! The user's file of settings: `config.toml`, or `config.json` where there is no other.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_files::bounded::{Links, read_regular};

use super::source::{Source, Syntax};
use super::told::line_at;
use crate::environment::Environment;

/// Bytes of settings that are read.
const BYTES_MAX: u64 = 1 << 20;

/// What it may be called; the first where there is none.
const NAMES: [&str; 2] = ["config.toml", "config.json"];

/// The file, as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    pub(crate) path: PathBuf,
    /// `None`: it is not there.
    pub(crate) text: Option<String>,
}

impl SettingsFile {
    /// Its text, with how it is written.
    pub(crate) fn source(&self) -> Source<'_> {
        let text = self.text.as_deref().unwrap_or_default();
        Source { text, syntax: Syntax::of(&self.path) }
    }

    /// Reads it; `None` if there is no place for it.
    ///
    /// # Errors
    /// If it cannot be read, or there are two.
    pub(crate) fn read(environment: &Environment) -> anyhow::Result<Option<Self>> {
        let Some(path) = path(environment) else { return Ok(None) };
        let (toml, json) = (path.with_file_name(NAMES[0]), path.with_file_name(NAMES[1]));
        refuse_both(&toml, &json)?;
        let text = text(&path)?;
        Ok(Some(Self { path, text }))
    }
}

/// Where the settings are, or would be; `None` if there is no place for them.
pub(crate) fn path(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.config_folder()?.join("foveal");
    let [toml, json] = NAMES.map(|name| folder.join(name));
    Some(if !is_there(&toml) && is_there(&json) { json } else { toml })
}

/// Where the user gives upstreams names, in words.
pub(crate) fn place_of_upstreams(environment: &Environment) -> String {
    match path(environment) {
        Some(path) if Syntax::of(&path) == Syntax::Json => {
            format!("\"upstreams\" of \"gateway\" in `{}`", path.display())
        }
        Some(path) => format!("[gateway.upstreams] in `{}`", path.display()),
        None => "[gateway.upstreams] of your settings".to_owned(),
    }
}

/// Refuses two files where one counts.
///
/// # Errors
/// If both are there.
pub(crate) fn refuse_both(toml: &Path, json: &Path) -> anyhow::Result<()> {
    if is_there(toml) && is_there(json) {
        let (toml, json) = (toml.display(), json.display());
        bail!(
            "there are settings in `{toml}` and in `{json}`, and only one may count: move what you \
             need of `{json}` into the other and delete it, or delete `{toml}`"
        );
    }
    Ok(())
}

fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn text(path: &Path) -> anyhow::Result<Option<String>> {
    let shown = path.display();
    let bytes = match read_regular(path, BYTES_MAX, Links::Followed) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            bail!("`{shown}` has more than {BYTES_MAX} bytes: these are no settings");
        }
        Err(error) => return Err(error).context(format!("`{shown}` cannot be read")),
    };
    of_bytes(bytes).map(Some).with_context(|| format!("`{shown}` cannot be used"))
}

/// The text of a file.
///
/// # Errors
/// If it is none, with the line.
pub(super) fn of_bytes(bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let line = line_at(error.as_bytes(), error.utf8_error().valid_up_to());
        anyhow::anyhow!("line {line}: this is no UTF-8: save the file as UTF-8")
    })
}
