//! Checks of the store and of the index of this folder. They create, change and repair no file.

use std::fs;
use std::path::Path;

use foveal_index::{IndexFileStatus, inspect_index_file};
use foveal_store::{ReadOnlyStore, SessionStore, SqliteStore};

use super::diagnosis::{Diagnosis, HealthStatus};
use super::write_access::{is_disk_full, is_writable};
use crate::environment::Environment;
use crate::notice::describe_error;
use crate::numbers::format_plural;
use crate::{repository_index, toolbox};

/// Largest store that is checked page by page; 256 MiB take about a second.
const FULL_CHECK_BYTES_MAX: u64 = 256 << 20;

/// The consequence of a store or index that cannot be written.
const UNWRITABLE_CONSEQUENCE: &str = "until then, answers are not shortened and nothing is saved";

/// Checks the store of sessions.
pub(super) fn check_store(environment: &Environment) -> Diagnosis {
    let about = "store";
    let Some(path) = toolbox::store_path(environment) else {
        return Diagnosis::new(HealthStatus::Broken, about, "no data folder")
            .with_remedy("set HOME or XDG_DATA_HOME");
    };
    if let Some(closed) = diagnose_unwritable(about, &path) {
        return closed;
    }
    let shown = path.display();
    if !path.exists() {
        return Diagnosis::new(
            HealthStatus::Ok,
            about,
            format!("none yet; the first call creates {shown}"),
        );
    }
    let kept = match SqliteStore::open_read_only(&path) {
        Ok(ReadOnlyStore::Store(kept)) => kept,
        Ok(ReadOnlyStore::Older) => {
            let what = format!("{shown} is from an earlier version: the next call updates it");
            return Diagnosis::new(HealthStatus::Ok, about, what);
        }
        Ok(ReadOnlyStore::Newer) => {
            let what = format!("{shown} is from a later version of foveal: another file is used");
            return Diagnosis::new(HealthStatus::Note, about, what).with_remedy("update foveal");
        }
        Ok(ReadOnlyStore::Foreign) => {
            return diagnose_unusable_store(&path, "it is not a foveal store");
        }
        Err(error) => return diagnose_unusable_store(&path, &describe_error(&error)),
    };
    let bytes = fs::metadata(&path).map_or(0, |data| data.len());
    if bytes <= FULL_CHECK_BYTES_MAX {
        match kept.check_integrity() {
            Ok(wrong) if wrong.is_empty() => {}
            Ok(wrong) => return diagnose_unusable_store(&path, &wrong.join("; ")),
            Err(error) => return diagnose_unusable_store(&path, &error.to_string()),
        }
    }
    match kept.sessions() {
        Ok(sessions) => {
            let sessions = format_plural(sessions.len() as u64, "session");
            let size = bytes.div_ceil(1024);
            Diagnosis::new(HealthStatus::Ok, about, format!("{shown}, {size} KiB, {sessions}"))
        }
        Err(error) => diagnose_unusable_store(&path, &describe_error(&error)),
    }
}

/// Returns the diagnosis of a store that the next call will move to quarantine.
fn diagnose_unusable_store(path: &Path, why: &str) -> Diagnosis {
    let shown = path.display();
    let what = format!(
        "{shown} cannot be used: {why}; the next call moves it aside and creates a new one"
    );
    Diagnosis::new(HealthStatus::Note, "store", what)
}

/// Checks the index that searches in the current folder use.
pub(super) fn check_index(environment: &Environment) -> Diagnosis {
    let about = "index";
    let (root, path) = match repository_index::locate_index(None, environment) {
        Ok(place) => place,
        Err(error) => return Diagnosis::new(HealthStatus::Broken, about, format!("{error:#}")),
    };
    let (root, shown) = (root.display(), path.display());
    if let Some(closed) = diagnose_unwritable(about, &path) {
        return closed;
    }
    if !path.exists() {
        return Diagnosis::new(HealthStatus::Note, about, format!("{root} has no index yet"))
            .with_remedy("the first search creates it, or `foveal index`");
    }
    match inspect_index_file(&path) {
        Ok(IndexFileStatus::Index { size, embedder }) => {
            let files = format_plural(size.files, "file");
            let embedder = embedder.unwrap_or_else(|| "built-in".to_owned());
            Diagnosis::new(
                HealthStatus::Ok,
                about,
                format!("{files} of {root}, vectors: {embedder}"),
            )
        }
        Ok(IndexFileStatus::OtherVersion) => {
            let what = format!("{shown} is from another version: the next search rebuilds it");
            Diagnosis::new(HealthStatus::Note, about, what)
        }
        Ok(IndexFileStatus::Foreign) => {
            let what = format!("{shown} is not a foveal index: the next search rebuilds it");
            Diagnosis::new(HealthStatus::Note, about, what)
        }
        Err(error) => {
            let why = describe_error(&error);
            Diagnosis::new(HealthStatus::Note, about, format!("{shown} cannot be used: {why}"))
                .with_remedy("the next search rebuilds it")
        }
    }
}

/// Returns a diagnosis if the file at `path` cannot be written or created.
fn diagnose_unwritable(about: &str, path: &Path) -> Option<Diagnosis> {
    let there = path.ancestors().find(|path| path.exists())?;
    let shown = path.display();
    // SQLite creates more files beside its own.
    let beside = path.parent().filter(|folder| folder.exists()).unwrap_or(there);
    if !is_writable(there) || !is_writable(beside) {
        let what = format!("{shown} cannot be written: `{}` is not writable", there.display());
        let remedy = format!(
            "make it writable, or set XDG_DATA_HOME to another folder; {UNWRITABLE_CONSEQUENCE}"
        );
        return Some(Diagnosis::new(HealthStatus::Broken, about, what).with_remedy(remedy));
    }
    if is_disk_full(beside) {
        let what = format!("{shown} cannot be written: the disk is full");
        let remedy = format!(
            "free some space, or set XDG_DATA_HOME to another disk; {UNWRITABLE_CONSEQUENCE}"
        );
        return Some(Diagnosis::new(HealthStatus::Broken, about, what).with_remedy(remedy));
    }
    None
}
