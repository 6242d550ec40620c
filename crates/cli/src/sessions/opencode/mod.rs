//! Sessions as opencode itself keeps them: a tree of small JSON files, in newer versions a
//! database. Each session is put together as the document that `opencode export` writes
//! and read as one, so that there is a single reader for all of them.

mod database;
mod document;
mod tree;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use foveal_transcript::Session;
use foveal_wire::{Format, ReadError};

use super::find::{FindError, SessionFile};
use super::load::{LoadError, NotRead};

/// What came of reading; what was left out where there is a session.
pub(super) type Loaded = Result<Vec<NotRead>, LoadError>;

/// The files that opencode's versions keep keys in, in the data folder.
const KEYS: [&str; 4] = ["account.json", "auth.json", "auth-v2.json", "mcp-auth.json"];

/// Whether files of the format the user asked for, if any, can be read here.
fn reads(format: Option<Format>) -> bool {
    matches!(format, None | Some(Format::OpenCode))
}

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
pub(super) fn in_database(
    path: &Path,
    named: bool,
    format: Option<Format>,
) -> Option<Vec<SessionFile>> {
    if !reads(format) || !database::is_one(path) {
        return None;
    }
    let file = |session| SessionFile { path: path.to_owned(), named, session };
    Some(match database::sessions(path) {
        Ok(ids) if !ids.is_empty() => ids.into_iter().map(|id| file(Some(id))).collect(),
        Ok(_) | Err(_) => vec![file(None)],
    })
}

/// What opencode has in a folder.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The sessions.
    pub(super) files: Vec<SessionFile>,
    /// Files and folders in which there is nothing else to look for.
    pub(super) owned: Vec<PathBuf>,
    /// Folders that could not be listed; they are among those owned.
    pub(super) unlisted: Vec<FindError>,
}

impl Kept {
    /// The entries of `folder`, sorted; none where there is no such folder.
    fn list(&mut self, folder: &Path) -> Vec<PathBuf> {
        listed(folder).unwrap_or_else(|why| {
            self.owned.push(folder.to_owned());
            self.unlisted.push(FindError::Unreadable { path: folder.to_owned(), why });
            Vec::new()
        })
    }
}

/// What opencode has in `folder`, whose entries are `entries`, if that is its data folder or
/// one that holds a tree of sessions. After opencode's change to a database the same sessions
/// are in both. Trees in `owned` are left out.
pub(super) fn in_folder(
    folder: &Path,
    entries: &[PathBuf],
    format: Option<Format>,
    owned: &HashSet<PathBuf>,
) -> Kept {
    let mut kept = Kept::default();
    for path in entries.iter().filter(|path| has_database_name(path) && path.is_file()) {
        let itself = || vec![SessionFile::new(path.clone(), false)];
        kept.files.extend(in_database(path, false, format).unwrap_or_else(itself));
        kept.owned.push(path.clone());
    }
    let mut trees = vec![folder.to_owned(), folder.join("storage")];
    let projects = kept.list(&folder.join("project"));
    trees.extend(projects.iter().map(|project| project.join("storage/session")));
    for tree in trees {
        tree::sessions(&tree, owned, &mut kept);
    }
    if !kept.files.is_empty() {
        kept.owned.extend(entries.iter().filter(|path| has_keys(path)).cloned());
    }
    let mut known = HashSet::new();
    kept.files.retain(|file| id(file).is_none_or(|id| known.insert(id)));
    kept
}

/// What opencode has in its own data folder, and exports that a user has put there. Whatever
/// else is there is none of our business.
pub(super) fn in_data_folder(folder: &Path, format: Option<Format>) -> Kept {
    let mut kept = Kept::default();
    let entries = kept.list(folder);
    if !kept.unlisted.is_empty() {
        return kept;
    }
    kept = in_folder(folder, &entries, format, &HashSet::new());
    let exports = entries.into_iter().filter(|path| !has_keys(path) && is_export(path));
    kept.files.extend(exports.map(|path| SessionFile::new(path, false)));
    kept
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
    file.session.clone().or_else(|| tree::Place::of(&file.path).map(|place| place.id))
}

/// The entries of a folder, sorted; none where there is no such folder.
///
/// # Errors
/// If it cannot be listed, or what is in it not be had.
fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let list = || -> io::Result<Vec<PathBuf>> {
        // A folder may be listed and what is in it still not be had.
        fs::metadata(folder.join("."))?;
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = list().or_else(|why| match why.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(Vec::new()),
        _ => Err(why),
    })?;
    paths.sort();
    Ok(paths)
}

/// Reads `file` if it is opencode's own and `format` allows it; `None` if any reader may try.
pub(super) fn load(
    file: &SessionFile,
    format: Option<Format>,
    sink: &mut dyn FnMut(Session),
) -> Option<Loaded> {
    if !reads(format) {
        return None;
    }
    if file.session.is_some() || database::is_one(&file.path) {
        return Some(database::load(&file.path, file.session.as_deref(), sink));
    }
    let place = tree::Place::of(&file.path)?;
    Some(place.read().and_then(|document| document.read(&file.path, sink)))
}

impl document::Document {
    /// Reads the finished document as one session.
    fn read(self, path: &Path, sink: &mut dyn FnMut(Session)) -> Loaded {
        let (text, mut not_read) = self.finish();
        let name = path.display().to_string();
        let read = foveal_wire::read(Format::OpenCode, &name, text.as_slice(), sink);
        let problems = read.map_err(|source| match source {
            ReadError::Io(why) => LoadError::Unreadable { path: path.to_owned(), why },
            why => LoadError::Broken { path: path.to_owned(), why },
        })?;
        not_read.extend(problems.into_iter().map(NotRead::Problem));
        Ok(not_read)
    }
}
