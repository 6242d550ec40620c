//! Finds opencode's sessions in folders and databases.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use foveal_wire::Format;

use super::database;
use super::listing::OpencodeFiles;
use super::load::is_wanted;
use super::tree::{self, TreeSession};
use crate::sessions::file::SessionFile;

/// The files that opencode's versions keep keys in, in the data folder.
const KEYS: [&str; 4] = ["account.json", "auth.json", "auth-v2.json", "mcp-auth.json"];

/// Whether the file at `path` holds what `opencode export` writes.
fn is_export(path: &Path) -> bool {
    if path.extension().is_none_or(|extension| extension != "json") {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path)
        .and_then(|file| file.take(foveal_wire::DETECT_BYTES as u64).read_to_end(&mut head));
    read.is_ok() && foveal_wire::detect(&head) == Some(Format::OpenCode)
}

/// The sessions in the database at `path`, or `None` if it is no database or not to be read
/// as one. One that cannot be listed stands for itself: reading it says why.
pub(crate) fn in_database(
    path: &Path,
    named: bool,
    format: Option<Format>,
) -> Option<Vec<SessionFile>> {
    if !is_wanted(format) || !database::is_one(path) {
        return None;
    }
    let file = |session| SessionFile { session, ..SessionFile::new(path.to_owned(), named) };
    Some(match database::sessions(path) {
        Ok(ids) if !ids.is_empty() => ids.into_iter().map(|id| file(Some(id))).collect(),
        Ok(_) | Err(_) => vec![file(None)],
    })
}

/// What opencode has in `folder`, whose entries are `entries`, if that is its data folder or
/// one that holds a tree of sessions. After opencode's change to a database the same sessions
/// are in both. Trees in `owned` are left out.
pub(crate) fn in_folder(
    folder: &Path,
    entries: &[PathBuf],
    format: Option<Format>,
    owned: &HashSet<PathBuf>,
) -> OpencodeFiles {
    let mut found = OpencodeFiles::default();
    for path in entries.iter().filter(|path| has_database_name(path) && path.is_file()) {
        let itself = || vec![SessionFile::new(path.clone(), false)];
        found.files.extend(in_database(path, false, format).unwrap_or_else(itself));
        found.owned.push(path.clone());
    }
    let mut trees = vec![folder.to_owned(), folder.join("storage")];
    let projects = found.list(&folder.join("project"));
    trees.extend(projects.iter().map(|project| project.join("storage/session")));
    for tree in trees {
        tree::sessions(&tree, owned, &mut found);
    }
    if !found.files.is_empty() {
        found.owned.extend(entries.iter().filter(|path| has_keys(path)).cloned());
    }
    let mut known = HashSet::new();
    found.files.retain(|file| id(file).is_none_or(|id| known.insert(id)));
    found
}

/// What opencode has in its own data folder, and exports that a user has put there. Whatever
/// else is there is none of our business.
pub(crate) fn in_data_folder(folder: &Path, format: Option<Format>) -> OpencodeFiles {
    let mut found = OpencodeFiles::default();
    let entries = found.list(folder);
    if !found.unlisted.is_empty() {
        return found;
    }
    found = in_folder(folder, &entries, format, &HashSet::new());
    let exports = entries.into_iter().filter(|path| !has_keys(path) && is_export(path));
    found.files.extend(exports.map(|path| SessionFile::new(path, false)));
    found
}

/// `opencode.db`, or `opencode-CHANNEL.db` of another than the usual release.
fn has_database_name(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("opencode") && path.extension().is_some_and(|extension| extension == "db")
}

/// Whether this is a file that opencode keeps keys in.
fn has_keys(path: &Path) -> bool {
    path.file_name().is_some_and(|name| KEYS.iter().any(|keys| name == *keys))
}

/// The id of the session that opencode keeps there.
fn id(file: &SessionFile) -> Option<String> {
    file.session.clone().or_else(|| TreeSession::of(&file.path).map(|session| session.id))
}
