//! What foveal keeps on this machine: its store and the index of this folder. Both are looked at
//! and nothing is made, changed or repaired.

use std::fs;
use std::path::Path;

use foveal_index::{Looked, look};
use foveal_store::{ReadOnly, SqliteStore, Store};

use super::finding::{Finding, State};
use super::room::{is_full, is_writable};
use crate::environment::Environment;
use crate::notice::in_one_line;
use crate::numbers::plural;
use crate::{repository_index, toolbox};

/// Largest store of which every page is looked at: 256 MiB take about a second.
const STORE_BYTES_MAX: u64 = 256 << 20;

/// What holds as long as nothing can be written.
const UNTIL_THEN: &str = "until then answers are whole, and nothing is remembered";

/// The store of sessions.
pub(super) fn store(environment: &Environment) -> Finding {
    let about = "store";
    let Some(path) = toolbox::store_path(environment) else {
        return Finding::new(State::Broken, about, "there is no place for it")
            .remedy("set HOME or XDG_DATA_HOME");
    };
    if let Some(closed) = unwritable(about, &path) {
        return closed;
    }
    let shown = path.display();
    if !path.exists() {
        return Finding::new(State::Ok, about, format!("none yet; the first call makes {shown}"));
    }
    let kept = match SqliteStore::open_read_only(&path) {
        Ok(ReadOnly::Store(kept)) => kept,
        Ok(ReadOnly::Older) => {
            let what = format!("{shown} is of an earlier version: the next call updates it");
            return Finding::new(State::Ok, about, what);
        }
        Ok(ReadOnly::Newer) => {
            let what = format!("{shown} is of a later version of foveal: another file is used");
            return Finding::new(State::Note, about, what).remedy("update foveal");
        }
        Ok(ReadOnly::Foreign) => return begins_anew(&path, "it is no store of foveal"),
        Err(error) => return begins_anew(&path, &in_one_line(&error)),
    };
    let bytes = fs::metadata(&path).map_or(0, |data| data.len());
    if bytes <= STORE_BYTES_MAX {
        match kept.check() {
            Ok(wrong) if wrong.is_empty() => {}
            Ok(wrong) => return begins_anew(&path, &wrong.join("; ")),
            Err(error) => return begins_anew(&path, &error.to_string()),
        }
    }
    match kept.sessions() {
        Ok(sessions) => {
            let sessions = plural(sessions.len() as u64, "session");
            let size = bytes.div_ceil(1024);
            Finding::new(State::Ok, about, format!("{shown}, {size} KiB, {sessions}"))
        }
        Err(error) => begins_anew(&path, &in_one_line(&error)),
    }
}

/// That the next call puts the file away.
fn begins_anew(path: &Path, why: &str) -> Finding {
    let shown = path.display();
    let what =
        format!("{shown} cannot be used: {why}; the next call moves it away and begins anew");
    Finding::new(State::Note, "store", what)
}

/// The index of the folder that searches would use here.
pub(super) fn index(environment: &Environment) -> Finding {
    let about = "index";
    let (root, path) = match repository_index::place(None, environment) {
        Ok(place) => place,
        Err(error) => return Finding::new(State::Broken, about, format!("{error:#}")),
    };
    let (root, shown) = (root.display(), path.display());
    if let Some(closed) = unwritable(about, &path) {
        return closed;
    }
    if !path.exists() {
        return Finding::new(State::Note, about, format!("{root} has none yet"))
            .remedy("the first search makes it, or `foveal index`");
    }
    match look(&path) {
        Ok(Looked::Index { size, embedder }) => {
            let files = plural(size.files, "file");
            let embedder = embedder.unwrap_or_else(|| "built-in".to_owned());
            Finding::new(State::Ok, about, format!("{files} of {root}, vectors: {embedder}"))
        }
        Ok(Looked::OtherVersion) => {
            let what = format!("{shown} is of another version: the next search makes it anew");
            Finding::new(State::Note, about, what)
        }
        Ok(Looked::Foreign) => {
            let what = format!("{shown} is no index of foveal: the next search makes it anew");
            Finding::new(State::Note, about, what)
        }
        Err(error) => {
            let why = in_one_line(&error);
            Finding::new(State::Note, about, format!("{shown} cannot be used: {why}"))
                .remedy("the next search makes it anew")
        }
    }
}

/// That the file at `path` cannot be written or made.
fn unwritable(about: &str, path: &Path) -> Option<Finding> {
    let there = path.ancestors().find(|path| path.exists())?;
    let shown = path.display();
    // SQLite makes files beside its own.
    let beside = path.parent().filter(|folder| folder.exists()).unwrap_or(there);
    if !is_writable(there) || !is_writable(beside) {
        let what = format!("{shown} cannot be written: `{}` is closed", there.display());
        let remedy =
            format!("make it writable, or set XDG_DATA_HOME to another folder; {UNTIL_THEN}");
        return Some(Finding::new(State::Broken, about, what).remedy(remedy));
    }
    if is_full(beside) {
        let what = format!("{shown} cannot be written: the disk is full");
        let remedy = format!("make room, or set XDG_DATA_HOME to another disk; {UNTIL_THEN}");
        return Some(Finding::new(State::Broken, about, what).remedy(remedy));
    }
    None
}
