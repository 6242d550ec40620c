//! Reads opencode's files: `session/PROJECT/ID.json`, `message/ID/MESSAGE.json` and
//! `part/MESSAGE/PART.json` in its `storage` folder. The first versions had a `storage` folder for
//! each project, with `session/info/ID.json`, `session/message/ID/MESSAGE.json` and
//! `session/part/ID/MESSAGE/PART.json`. Ids sort by creation time.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use foveal_protocols::problem::ProblemKind;
use foveal_session_readers::LINE_BYTES_MAX;

use super::document::{OpencodeDocument, OpencodeMessage};
use super::opencode_files::{OpencodeFiles, sorted_entries};
use crate::sessions::error::LoadError;
use crate::sessions::session_file::{FindError, SessionFile};

/// One session in a tree of files.
#[derive(Debug)]
pub(super) struct TreeSession {
    pub(super) id: String,
    info: PathBuf,
    /// The folder with its messages.
    messages: PathBuf,
    /// The folder with a folder for each message.
    parts: PathBuf,
}

/// The folders of a tree: those with sessions, and those in which newer versions store data about a
/// session or project. No other session reader can use them.
const FOLDERS: [&str; 7] =
    ["session", "message", "part", "project", "todo", "session_diff", "session_share"];
const FOLDERS_OLD: [&str; 3] = ["info", "message", "part"];

/// Adds the sessions of the tree in `folder`, which is a `storage` or the old `session` folder, to
/// `found`, unless the tree is in `owned`. Sessions without messages are skipped.
pub(super) fn add_tree_sessions(
    folder: &Path,
    owned: &HashSet<PathBuf>,
    found: &mut OpencodeFiles,
) {
    let entries = found.list_folder(folder);
    let has = |name| {
        let path = folder.join(name);
        entries.contains(&path) && path.is_dir() && !owned.contains(&path)
    };
    let (messages, is_new, is_old) = (has("message"), has("session"), has("info"));
    let before = (found.files.len(), found.unlisted.len());
    let (projects, folders) = match (messages, is_new, is_old) {
        (true, true, _) => (found.list_folder(&folder.join("session")), FOLDERS.as_slice()),
        (true, false, true) => (vec![folder.join("info")], FOLDERS_OLD.as_slice()),
        _ => return,
    };
    // If this folder cannot be listed, every session seems to be empty, so the error is recorded.
    found.list_folder(&folder.join("message"));
    for project in projects {
        let files = found
            .list_folder(&project)
            .into_iter()
            .filter(|path| TreeSession::from_info_file(path).is_some());
        found.files.extend(files.map(|path| SessionFile::new(path, false)));
    }
    if before != (found.files.len(), found.unlisted.len()) {
        found.owned.extend(folders.iter().map(|name| folder.join(name)));
    }
}

impl TreeSession {
    /// Returns the session that the file at `info` describes, if the file is in a tree that has
    /// messages of the session.
    pub(super) fn from_info_file(info: &Path) -> Option<Self> {
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

    /// Builds the session's document.
    ///
    /// # Errors
    /// If a file of the session cannot be read, or its messages cannot be listed.
    pub(super) fn build_document(&self) -> Result<OpencodeDocument, LoadError> {
        let name = self.info.display().to_string();
        let mut document = OpencodeDocument::new(&name, read_bytes(&self.info)?);
        let messages = list_json_files(&self.messages)
            .map_err(|why| LoadError::Unreadable { path: self.messages.clone(), why })?;
        for path in messages {
            let Some(info) = read_json(&mut document, &path)? else { continue };
            let folder = self.parts.join(path.file_stem().unwrap_or_default());
            let mut parts = Vec::new();
            let files = list_json_files(&folder).unwrap_or_else(|why| {
                document.add_unlisted_folder(FindError::Unreadable { path: folder, why });
                Vec::new()
            });
            for part in files {
                parts.extend(read_json(&mut document, &part)?);
            }
            let message = OpencodeMessage::new(info, parts);
            if document.push_message(&path.display().to_string(), &message).is_none() {
                break;
            }
        }
        Ok(document)
    }
}

fn list_json_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = sorted_entries(folder)?;
    // Half-written files have names that start with a dot and end with `.tmp`.
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    Ok(files)
}

fn read_json(document: &mut OpencodeDocument, path: &Path) -> Result<Option<String>, LoadError> {
    let name = path.display().to_string();
    let length = fs::metadata(path).map_or(0, |data| data.len());
    if length > LINE_BYTES_MAX as u64 {
        document.add_problem(&name, ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
        return Ok(None);
    }
    Ok(document.validate_json(&name, read_bytes(path)?))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, LoadError> {
    fs::read(path).map_err(|why| LoadError::Unreadable { path: path.to_owned(), why })
}
