//! Settings of a project in `.foveal.toml` or `.foveal.json`, valid once the user trusted their
//! content.
//!
//! The author of a repository writes this file. It counts only for the folder and the content that
//! the user looked at, and it cannot widen any permission: see `foveal_settings::apply_project_settings`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_agent_setup::replace_settings_file;
use foveal_settings::settings_file::refuse_two_files;
use foveal_settings::{SettingsSource, Syntax, UserSettings, apply_project_settings};
use foveal_workspace::regular_file::{LinkPolicy, read_regular};
use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::repository_index::working_copy_root;

/// File names of project settings, in the top folder of a project.
pub(crate) const PROJECT_FILE_NAMES: [&str; 2] = [".foveal.toml", ".foveal.json"];

/// Limit of the file's size.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// Limit of remembered files; more than a user looks at.
const REMEMBERED_FILES_MAX: usize = 1_000;

/// The settings file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The user's trust in a project file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrustState {
    /// The user trusted exactly this content.
    Trusted,
    /// The user trusted an earlier content.
    Changed,
    /// The user never decided.
    Unknown,
}

impl ProjectFile {
    /// Finds the settings file of the project that contains `folder`; `None` if there is none.
    ///
    /// # Errors
    /// If the file is unreadable, a link, too long or no text, or if both files exist.
    pub(crate) fn find(folder: &Path) -> anyhow::Result<Option<Self>> {
        let [toml, json] = Self::candidate_paths(folder);
        refuse_two_files(&toml, &json)?;
        match Self::read_at(toml)? {
            Some(file) => Ok(Some(file)),
            None => Self::read_at(json),
        }
    }

    /// Returns the paths at which the file may be.
    pub(crate) fn candidate_paths(folder: &Path) -> [PathBuf; 2] {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        PROJECT_FILE_NAMES.map(|name| working_copy_root(&folder).join(name))
    }

    /// Returns the text with its syntax.
    pub(crate) fn source(&self) -> SettingsSource<'_> {
        SettingsSource { text: &self.text, syntax: Syntax::from_path(&self.path) }
    }

    fn read_at(path: PathBuf) -> anyhow::Result<Option<Self>> {
        let cannot = || format!("`{}` cannot be read", path.display());
        let bytes = match read_regular(&path, FILE_BYTES_MAX, LinkPolicy::Refused) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.with_context(cannot)?,
        };
        let text = String::from_utf8(bytes).with_context(cannot)?;
        Ok(Some(Self { path, text }))
    }

    fn trust_key(&self) -> String {
        self.path.display().to_string()
    }

    fn content_hash(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex().to_string()
    }
}

/// The user's decisions about project files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ProjectTrust {
    /// The hash of each trusted file's content, by its path.
    trusted: BTreeMap<String, String>,
    /// The hash of each file that the user was told about, by its path, so that each is announced
    /// once.
    told: BTreeMap<String, String>,
}

impl ProjectTrust {
    /// Returns the path of the stored decisions; `None` if there is no data folder.
    fn storage_path(environment: &Environment) -> Option<PathBuf> {
        Some(environment.user.data_folder()?.join("foveal").join("trusted.json"))
    }

    /// Reads the stored decisions. An unreadable file means that no project is trusted.
    pub(crate) fn open(environment: &Environment) -> Self {
        let text =
            Self::storage_path(environment).and_then(|path| std::fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Saves the decisions.
    ///
    /// # Errors
    /// If there is no data folder, or the file cannot be written.
    fn save(&self, environment: &Environment) -> anyhow::Result<()> {
        let path =
            Self::storage_path(environment).context("no data folder: set HOME or XDG_DATA_HOME")?;
        let before = std::fs::read_to_string(&path).ok();
        let text = format!("{:#}\n", serde_json::to_value(self)?);
        replace_settings_file(&path, before.as_deref(), Some(&text), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))
    }

    /// Returns the user's trust in a file.
    pub(crate) fn trust_state(&self, file: &ProjectFile) -> TrustState {
        match self.trusted.get(&file.trust_key()) {
            Some(hash) if *hash == file.content_hash() => TrustState::Trusted,
            Some(_) => TrustState::Changed,
            None => TrustState::Unknown,
        }
    }

    /// Returns the paths of trusted files.
    pub(crate) fn trusted_paths(&self) -> impl Iterator<Item = &str> {
        self.trusted.keys().map(String::as_str)
    }

    /// Trusts the content of a file.
    ///
    /// # Errors
    /// If the decision cannot be saved.
    pub(crate) fn trust_file(
        &mut self,
        file: &ProjectFile,
        environment: &Environment,
    ) -> anyhow::Result<()> {
        if self.trusted.len() >= REMEMBERED_FILES_MAX
            && !self.trusted.contains_key(&file.trust_key())
        {
            bail!(
                "{REMEMBERED_FILES_MAX} files are already trusted: run `foveal trust --remove` in \
                 one of their folders"
            );
        }
        self.trusted.insert(file.trust_key(), file.content_hash());
        self.save(environment)
    }

    /// Revokes the trust in the file at a path; returns true if it was trusted.
    ///
    /// # Errors
    /// If the decision cannot be saved.
    pub(crate) fn distrust(
        &mut self,
        path: &Path,
        environment: &Environment,
    ) -> anyhow::Result<bool> {
        let was = self.trusted.remove(&path.display().to_string()).is_some();
        if was {
            self.save(environment)?;
        }
        Ok(was)
    }

    /// Returns true if the user was not yet told that this file is ignored, and records that.
    fn announce_once(&mut self, file: &ProjectFile, environment: &Environment) -> bool {
        if self.told.get(&file.trust_key()) == Some(&file.content_hash()) {
            return false;
        }
        if self.told.len() >= REMEMBERED_FILES_MAX {
            self.told.clear();
        }
        self.told.insert(file.trust_key(), file.content_hash());
        // If this cannot be saved, the file is announced again.
        drop(self.save(environment));
        true
    }
}

/// Returns the user's settings, with those of the project that contains `folder` if the user trusts
/// them.
pub(crate) fn with_trusted_project(
    user: &UserSettings,
    folder: &Path,
    environment: &Environment,
) -> UserSettings {
    let file = ProjectFile::find(folder).ok().flatten();
    let trusted = file
        .filter(|file| ProjectTrust::open(environment).trust_state(file) == TrustState::Trusted);
    let settings = trusted.and_then(|file| apply_project_settings(user, file.source()).ok());
    settings.unwrap_or_else(|| user.clone())
}

/// Returns the user's settings, with those of the project that contains `folder` if the user trusts
/// them, and a notice for the user if they are ignored.
pub(crate) fn with_project_and_notice(
    user: &UserSettings,
    folder: &Path,
    environment: &Environment,
) -> (UserSettings, Option<String>) {
    let file = match ProjectFile::find(folder) {
        Ok(Some(file)) => file,
        Ok(None) => return (user.clone(), None),
        Err(error) => return (user.clone(), Some(format!("{error:#}; the file is ignored"))),
    };
    let mut book = ProjectTrust::open(environment);
    let shown = file.path.display();
    let says = match book.trust_state(&file) {
        TrustState::Trusted => match apply_project_settings(user, file.source()) {
            Ok(settings) => return (settings, None),
            Err(error) => {
                return (user.clone(), Some(format!("`{shown}` is ignored: {error:#}")));
            }
        },
        TrustState::Changed => "changed since you trusted it",
        TrustState::Unknown => "has settings for this project that you have not reviewed",
    };
    let told = book
        .announce_once(&file, environment)
        .then(|| format!("`{shown}` {says}: it is ignored; run `foveal trust` to review it"));
    (user.clone(), told)
}
