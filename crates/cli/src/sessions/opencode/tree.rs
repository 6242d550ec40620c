//! opencode's files: `session/PROJECT/ID.json`, `message/ID/MESSAGE.json` and
//! `part/MESSAGE/PART.json` in its `storage` folder. The first versions had a `storage`
//! for each project, with `session/info/ID.json`, `session/message/ID/MESSAGE.json` and
//! `session/part/ID/MESSAGE/PART.json`. Ids sort by the time they were given.

use std::fs;
use std::path::{Path, PathBuf};

use foveal_wire::{LINE_BYTES_MAX, ProblemKind};

use super::document::{Document, Message};
use super::listed;
use crate::sessions::load::LoadError;

/// One session in a tree.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) id: String,
    info: PathBuf,
    /// The folder with its messages.
    messages: PathBuf,
    /// The folder with a folder for each message.
    parts: PathBuf,
}

/// The sessions of the tree in `folder`, which is a `storage` or the old `session`. One
/// without messages is not listed: there is nothing in it.
pub(super) fn sessions(folder: &Path) -> Vec<PathBuf> {
    let has = |name| folder.join(name).is_dir();
    let projects = match (has("session"), has("info"), has("message")) {
        (true, _, true) => listed(&folder.join("session")),
        (false, true, true) => vec![folder.join("info")],
        _ => return Vec::new(),
    };
    let files = projects.iter().flat_map(|project| listed(project));
    files.filter(|path| Place::of(path).is_some()).collect()
}

impl Place {
    /// The session described by the file at `info`, if that stands in a tree and has
    /// messages there.
    pub(super) fn of(info: &Path) -> Option<Self> {
        let info = std::path::absolute(info).ok()?;
        if info.extension()? != "json" || !info.is_file() {
            return None;
        }
        let id = info.file_stem()?.to_str()?.to_owned();
        let project = info.parent()?;
        let sessions = project.parent()?;
        if sessions.file_name()? != "session" {
            return None;
        }
        let old = sessions.join("message").join(&id);
        let (messages, parts) = if project.file_name()? == "info" && old.is_dir() {
            (old, sessions.join("part").join(&id))
        } else {
            let storage = sessions.parent()?;
            (storage.join("message").join(&id), storage.join("part"))
        };
        messages.is_dir().then_some(Self { id, info, messages, parts })
    }

    /// Puts the session together.
    ///
    /// # Errors
    /// If a file of it cannot be read.
    pub(super) fn read(&self) -> Result<Document, LoadError> {
        let name = self.info.display().to_string();
        let mut document = Document::new(&name, bytes(&self.info)?);
        for path in json_files(&self.messages) {
            let Some(info) = json(&mut document, &path)? else { continue };
            let folder = self.parts.join(path.file_stem().unwrap_or_default());
            let mut parts = Vec::new();
            for part in json_files(&folder) {
                parts.extend(json(&mut document, &part)?);
            }
            let message = Message::new(info, parts);
            if document.push(&path.display().to_string(), &message).is_none() {
                break;
            }
        }
        Ok(document)
    }
}

fn json_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    // Half-written files have names that start with a dot and end with `.tmp`.
    let files = listed(folder).into_iter();
    files.filter(|path| path.extension().is_some_and(|extension| extension == "json"))
}

fn json(document: &mut Document, path: &Path) -> Result<Option<String>, LoadError> {
    let name = path.display().to_string();
    let length = fs::metadata(path).map_or(0, |data| data.len());
    if length > LINE_BYTES_MAX as u64 {
        document.problem(&name, ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
        return Ok(None);
    }
    Ok(document.json(&name, bytes(path)?))
}

fn bytes(path: &Path) -> Result<Vec<u8>, LoadError> {
    fs::read(path).map_err(|why| LoadError::Unreadable { path: path.to_owned(), why })
}
