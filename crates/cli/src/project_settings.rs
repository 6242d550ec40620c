//! Settings that a project brings: `.foveal.toml` or `.foveal.json`, once the user trusted what it
//! says.
//!
//! Whoever writes a repository writes this file. So it counts only for the folder and the content
//! that the user looked at, and what it may set opens nothing: see `user_settings::project`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_files::bounded::{Links, read_regular};
use serde::{Deserialize, Serialize};

use crate::clients::write;
use crate::environment::Environment;
use crate::repository_index::working_copy;
use crate::user_settings::file::refuse_both;
use crate::user_settings::source::{Source, Syntax};
use crate::user_settings::{self, UserSettings};

/// What the file may be called, in the top folder of a project.
pub(crate) const NAMES: [&str; 2] = [".foveal.toml", ".foveal.json"];

/// Bytes of it that are read.
const BYTES_MAX: u64 = 64 << 10;

/// Files that are remembered; a user does not look at more.
const KNOWN_MAX: usize = 1_000;

/// The file of a project, as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The user trusted exactly this.
    Trusted,
    /// The user trusted what it said before.
    Changed,
    /// The user was never asked.
    Unknown,
}

impl ProjectFile {
    /// The file of the project that holds a folder; `None` where there is none.
    ///
    /// # Errors
    /// If it is there and cannot be read: a link, too long, no text; and if there are two.
    pub(crate) fn of(folder: &Path) -> anyhow::Result<Option<Self>> {
        let [toml, json] = Self::places(folder);
        refuse_both(&toml, &json)?;
        match Self::at(toml)? {
            Some(file) => Ok(Some(file)),
            None => Self::at(json),
        }
    }

    /// Where it may be.
    pub(crate) fn places(folder: &Path) -> [PathBuf; 2] {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        NAMES.map(|name| working_copy(&folder).join(name))
    }

    /// Its text, with how it is written.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { text: &self.text, syntax: Syntax::of(&self.path) }
    }

    fn at(path: PathBuf) -> anyhow::Result<Option<Self>> {
        let cannot = || format!("`{}` cannot be read", path.display());
        let bytes = match read_regular(&path, BYTES_MAX, Links::Refused) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.with_context(cannot)?,
        };
        let text = String::from_utf8(bytes).with_context(cannot)?;
        Ok(Some(Self { path, text }))
    }

    fn key(&self) -> String {
        self.path.display().to_string()
    }

    fn hash(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex().to_string()
    }
}

/// What the user said of files of projects.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Book {
    /// What each file said when the user trusted it, as a hash, by its path.
    trusted: BTreeMap<String, String>,
    /// The same of those that the user was told of, so that each is told once.
    told: BTreeMap<String, String>,
}

impl Book {
    /// Where it is; `None` if there is no place for it.
    fn path(environment: &Environment) -> Option<PathBuf> {
        Some(environment.data_folder()?.join("foveal").join("trusted.json"))
    }

    /// What is kept. A file that cannot be read trusts nobody.
    pub(crate) fn open(environment: &Environment) -> Self {
        let text = Self::path(environment).and_then(|path| std::fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Keeps it.
    ///
    /// # Errors
    /// If there is no place for it, or it cannot be written.
    fn keep(&self, environment: &Environment) -> anyhow::Result<()> {
        let path = Self::path(environment)
            .context("there is no place for it: set HOME or XDG_DATA_HOME")?;
        let before = std::fs::read_to_string(&path).ok();
        let text = format!("{:#}\n", serde_json::to_value(self)?);
        write(&path, before.as_deref(), Some(&text), false)
            .with_context(|| format!("`{}` cannot be written", path.display()))
    }

    /// What becomes of a file.
    pub(crate) fn trust(&self, file: &ProjectFile) -> Trust {
        match self.trusted.get(&file.key()) {
            Some(hash) if *hash == file.hash() => Trust::Trusted,
            Some(_) => Trust::Changed,
            None => Trust::Unknown,
        }
    }

    /// The paths of files that are trusted.
    pub(crate) fn trusted(&self) -> impl Iterator<Item = &str> {
        self.trusted.keys().map(String::as_str)
    }

    /// Trusts what a file says.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub(crate) fn trust_in(
        &mut self,
        file: &ProjectFile,
        environment: &Environment,
    ) -> anyhow::Result<()> {
        if self.trusted.len() >= KNOWN_MAX && !self.trusted.contains_key(&file.key()) {
            bail!("{KNOWN_MAX} files are trusted already: `foveal trust --remove` in one of them");
        }
        self.trusted.insert(file.key(), file.hash());
        self.keep(environment)
    }

    /// Trusts the file at a path no longer; whether it was trusted.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub(crate) fn distrust(
        &mut self,
        path: &Path,
        environment: &Environment,
    ) -> anyhow::Result<bool> {
        let was = self.trusted.remove(&path.display().to_string()).is_some();
        if was {
            self.keep(environment)?;
        }
        Ok(was)
    }

    /// Whether the user is to be told of a file that is not obeyed; from then on not.
    fn tells(&mut self, file: &ProjectFile, environment: &Environment) -> bool {
        if self.told.get(&file.key()) == Some(&file.hash()) {
            return false;
        }
        if self.told.len() >= KNOWN_MAX {
            self.told.clear();
        }
        self.told.insert(file.key(), file.hash());
        // Where that cannot be kept it is told again.
        drop(self.keep(environment));
        true
    }
}

/// The user's settings with those of the project that holds a folder, where the user trusts them.
pub(crate) fn trusted_settings(
    user: &UserSettings,
    folder: &Path,
    environment: &Environment,
) -> UserSettings {
    let file = ProjectFile::of(folder).ok().flatten();
    let trusted = file.filter(|file| Book::open(environment).trust(file) == Trust::Trusted);
    let settings = trusted.and_then(|file| user_settings::project::over(user, file.source()).ok());
    settings.unwrap_or_else(|| user.clone())
}

/// The user's settings with those of the project that holds a folder, where the user trusts them;
/// and what the user is to be told of that.
pub(crate) fn with_project(
    user: &UserSettings,
    folder: &Path,
    environment: &Environment,
) -> (UserSettings, Option<String>) {
    let file = match ProjectFile::of(folder) {
        Ok(Some(file)) => file,
        Ok(None) => return (user.clone(), None),
        Err(error) => return (user.clone(), Some(format!("{error:#}; it is not obeyed"))),
    };
    let mut book = Book::open(environment);
    let shown = file.path.display();
    let says = match book.trust(&file) {
        Trust::Trusted => match user_settings::project::over(user, file.source()) {
            Ok(settings) => return (settings, None),
            Err(error) => {
                return (user.clone(), Some(format!("`{shown}` is not obeyed: {error:#}")));
            }
        },
        Trust::Changed => "changed since you trusted it",
        Trust::Unknown => "sets things for this project that you have not looked at",
    };
    let told = book.tells(&file, environment).then(|| {
        format!("`{shown}` {says}: it is not obeyed; `foveal trust` shows it and asks you")
    });
    (user.clone(), told)
}
