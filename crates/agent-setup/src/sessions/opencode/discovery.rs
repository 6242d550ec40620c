//! Finds opencode's sessions in folders and databases.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use foveal_session_readers::{SessionFormat, StreamHead};

use super::database;
use super::loading::accepts_format;
use super::opencode_files::OpencodeFiles;
use super::session_tree::{self, TreeSession};
use crate::sessions::session_file::SessionFile;

/// The files in the data folder in which versions of opencode store credentials.
const CREDENTIAL_FILES: [&str; 4] = ["account.json", "auth.json", "auth-v2.json", "mcp-auth.json"];

/// Returns whether the file at `path` was written by `opencode export`.
fn is_export(path: &Path) -> bool {
    if path.extension().is_none_or(|extension| extension != "json") {
        return false;
    }
    let head = File::open(path).and_then(|mut file| StreamHead::read(&mut file));
    head.is_ok_and(|head| head.format == Some(SessionFormat::OpenCode))
}

/// Returns the sessions in the database at `path`, or `None` if it is no database or `format`
/// excludes it. A database that cannot be listed is returned as one file: loading it gives the
/// error.
pub(crate) fn find_in_database(
    path: &Path,
    named: bool,
    format: Option<SessionFormat>,
) -> Option<Vec<SessionFile>> {
    if !accepts_format(format) || !database::is_database(path) {
        return None;
    }
    let file = |session| SessionFile { session, ..SessionFile::new(path.to_owned(), named) };
    Some(match database::session_ids(path) {
        Ok(ids) if !ids.is_empty() => ids.into_iter().map(|id| file(Some(id))).collect(),
        Ok(_) | Err(_) => vec![file(None)],
    })
}

/// Returns the opencode sessions in `folder`, which has `entries`, if it is opencode's data folder
/// or holds a tree of sessions. A session that is both in a tree and in the database is returned
/// once. Trees in `owned` are skipped.
pub(crate) fn find_in_folder(
    folder: &Path,
    entries: &[PathBuf],
    format: Option<SessionFormat>,
    owned: &HashSet<PathBuf>,
) -> OpencodeFiles {
    let mut found = OpencodeFiles::default();
    for path in entries.iter().filter(|path| has_database_name(path) && path.is_file()) {
        let itself = || vec![SessionFile::new(path.clone(), false)];
        found.files.extend(find_in_database(path, false, format).unwrap_or_else(itself));
        found.owned.push(path.clone());
    }
    let mut trees = vec![folder.to_owned(), folder.join("storage")];
    let projects = found.list_folder(&folder.join("project"));
    trees.extend(projects.iter().map(|project| project.join("storage/session")));
    for tree in trees {
        session_tree::add_tree_sessions(&tree, owned, &mut found);
    }
    if !found.files.is_empty() {
        found.owned.extend(entries.iter().filter(|path| is_credential_file(path)).cloned());
    }
    let mut known = HashSet::new();
    found.files.retain(|file| session_id(file).is_none_or(|id| known.insert(id)));
    found
}

/// Returns the sessions in opencode's own data folder, and the exports that a user has put there.
/// Other files are ignored.
pub(crate) fn find_in_data_folder(folder: &Path, format: Option<SessionFormat>) -> OpencodeFiles {
    let mut found = OpencodeFiles::default();
    let entries = found.list_folder(folder);
    if !found.unlisted.is_empty() {
        return found;
    }
    found = find_in_folder(folder, &entries, format, &HashSet::new());
    let exports = entries.into_iter().filter(|path| !is_credential_file(path) && is_export(path));
    found.files.extend(exports.map(|path| SessionFile::new(path, false)));
    found
}

/// Returns whether the name is `opencode.db`, or `opencode-CHANNEL.db` of another release channel.
fn has_database_name(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("opencode") && path.extension().is_some_and(|extension| extension == "db")
}

/// Returns whether opencode stores credentials in this file.
fn is_credential_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| CREDENTIAL_FILES.iter().any(|keys| name == *keys))
}

/// Returns the id of an opencode session.
fn session_id(file: &SessionFile) -> Option<String> {
    file.session
        .clone()
        .or_else(|| TreeSession::from_info_file(&file.path).map(|session| session.id))
}
