//! Sessions as opencode itself keeps them: a tree of small JSON files, in newer versions a
//! database. Each session is put together as the document that `opencode export` writes
//! and read as one, so that there is a single reader for all of them.

mod database;
mod document;
mod tree;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use foveal_context::transcript::Session;
use foveal_wire::{Format, Problem, ReadError};

use super::find::SessionFile;
use super::load::LoadError;

/// What came of reading; problems where there is a session.
pub(super) type Loaded = Result<Vec<Problem>, LoadError>;

/// Whether `file` is one that only this module can read.
pub(crate) fn is_own(file: &SessionFile) -> bool {
    file.session.is_some() || database::is_one(&file.path) || tree::Place::of(&file.path).is_some()
}

/// Whether the file at `path` holds what `opencode export` writes.
pub(super) fn is_export(path: &Path) -> bool {
    if path.extension().is_none_or(|extension| extension != "json") {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path)
        .and_then(|file| file.take(foveal_wire::DETECT_BYTES as u64).read_to_end(&mut head));
    read.is_ok() && foveal_wire::detect(&head) == Some(Format::OpenCode)
}

/// The sessions in the database at `path`, or `None` if it is no database. One that cannot
/// be listed stands for itself: reading it says why.
pub(super) fn in_database(path: &Path, named: bool) -> Option<Vec<SessionFile>> {
    if !database::is_one(path) {
        return None;
    }
    let file = |session| SessionFile { path: path.to_owned(), named, session };
    Some(match database::sessions(path) {
        Ok(ids) if !ids.is_empty() => ids.into_iter().map(|id| file(Some(id))).collect(),
        Ok(_) | Err(_) => vec![file(None)],
    })
}

/// The sessions in `folder` if it is opencode's data folder, or one that holds a tree of
/// sessions. A data folder has files with keys too, which are left alone, and after
/// opencode's change to a database the same sessions in both.
pub(super) fn in_folder(folder: &Path) -> Option<Vec<SessionFile>> {
    let tree = |files: Vec<PathBuf>| {
        files.into_iter().map(|path| SessionFile { path, named: false, session: None })
    };
    let in_tree = tree::sessions(folder);
    if !in_tree.is_empty() {
        return Some(tree(in_tree).collect());
    }
    let mut files = Vec::new();
    let entries = listed(folder);
    for path in entries.iter().filter(|path| has_database_name(path)) {
        files.extend(in_database(path, false).into_iter().flatten());
    }
    let mut trees = tree::sessions(&folder.join("storage"));
    for project in listed(&folder.join("project")) {
        trees.extend(tree::sessions(&project.join("storage/session")));
    }
    files.extend(tree(trees));
    if files.is_empty() {
        return None;
    }
    let exports = entries.into_iter().filter(|path| !has_keys(path) && is_export(path));
    files.extend(tree(exports.collect()));
    let mut known = HashSet::new();
    files.retain(|file| id(file).is_none_or(|id| known.insert(id)));
    Some(files)
}

/// `opencode.db`, or `opencode-CHANNEL.db` of another than the usual release.
fn has_database_name(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("opencode") && path.extension().is_some_and(|extension| extension == "db")
}

fn has_keys(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains("auth"))
}

/// The id of the session that opencode keeps there.
fn id(file: &SessionFile) -> Option<String> {
    file.session.clone().or_else(|| tree::Place::of(&file.path).map(|place| place.id))
}

/// The entries of a folder, sorted; none where it is no folder or cannot be listed.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Reads `file` if it is opencode's own; `None` if any reader may try.
pub(super) fn load(file: &SessionFile, sink: &mut dyn FnMut(Session)) -> Option<Loaded> {
    if file.session.is_some() || database::is_one(&file.path) {
        return Some(database::load(&file.path, file.session.as_deref(), sink));
    }
    let place = tree::Place::of(&file.path)?;
    Some(place.read().and_then(|document| document.read(&file.path, sink)))
}

impl document::Document {
    /// Reads the finished document as one session.
    fn read(self, path: &Path, sink: &mut dyn FnMut(Session)) -> Loaded {
        let (text, mut problems) = self.finish();
        let name = path.display().to_string();
        let read = foveal_wire::read(Format::OpenCode, &name, text.as_slice(), sink);
        problems.extend(read.map_err(|source| match source {
            ReadError::Io(why) => LoadError::Unreadable { path: path.to_owned(), why },
            why => LoadError::Broken { path: path.to_owned(), why },
        })?);
        Ok(problems)
    }
}
