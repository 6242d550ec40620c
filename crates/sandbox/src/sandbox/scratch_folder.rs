//! Scratch folders for files of ours that commands write.
//!
//! Each is locked during the life of the program that created it, so that a later program can
//! remove those of killed programs.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process;
use std::sync::{Arc, Once};

use rustix::fs::{FlockOperation, OFlags, flock};
use tempfile::TempDir;

use super::path_handle::PathHandle;
use crate::CommandError;

/// Prefix of their names; the id of the creating program and a random part follow.
const PREFIX: &str = "foveal-commands-";

/// Attempts to create one, since another program may remove it before it is locked.
const ATTEMPTS_MAX: usize = 8;

/// Entries of the temporary folder that are checked.
const CHECKED_ENTRIES_MAX: usize = 10_000;

/// Stale folders are removed once per program.
static STALE_FOLDERS_REMOVED: Once = Once::new();

/// A scratch folder. Dropping it removes it.
#[derive(Debug)]
pub(super) struct ScratchFolder {
    folder: TempDir,
    path_handle: Arc<PathHandle>,
    /// Holds the lock.
    _lock: File,
}

impl ScratchFolder {
    /// Creates a folder. The first call in a program removes the folders of programs that have
    /// ended.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(super) fn new() -> Result<Self, CommandError> {
        STALE_FOLDERS_REMOVED.call_once(|| remove_stale_folders(&std::env::temp_dir()));
        for _ in 0..ATTEMPTS_MAX {
            let prefix = format!("{PREFIX}{}-", process::id());
            let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
            // Before it is locked, another program may take it for a stale one and remove it.
            if let Ok(Some(lock)) = lock_folder(folder.path())
                && is_same_folder(&lock, folder.path())
            {
                let place = PathHandle::open_folder_no_follow(folder.path())?;
                return Ok(Self { folder, path_handle: Arc::new(place), _lock: lock });
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy).into())
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn path_handle(&self) -> &Arc<PathHandle> {
        &self.path_handle
    }
}

/// Removes the folders in `temporary` whose programs have ended.
fn remove_stale_folders(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else { return };
    let own = rustix::process::geteuid().as_raw();
    for entry in entries.flatten().take(CHECKED_ENTRIES_MAX) {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(is_scratch_folder_name)
            && entry.metadata().is_ok_and(|it| it.is_dir() && it.uid() == own);
        if !is_ours {
            continue;
        }
        // Locked until it is removed. On file systems without locks it is left.
        if let Ok(Some(lock)) = lock_folder(&entry.path())
            && is_same_folder(&lock, &entry.path())
        {
            // A folder that cannot be removed now may be removable later.
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// Returns whether a folder of this name is one of ours.
fn is_scratch_folder_name(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    number.is_some_and(|(number, chance)| {
        !number.is_empty() && !chance.is_empty() && number.bytes().all(|sign| sign.is_ascii_digit())
    })
}

/// Locks the folder at `path`; `None` if another process holds the lock.
fn lock_folder(path: &Path) -> io::Result<Option<File>> {
    let flags = (OFlags::NOFOLLOW | OFlags::DIRECTORY).bits().cast_signed();
    let folder = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(folder)),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether `folder` is still the one at `path`.
fn is_same_folder(folder: &File, path: &Path) -> bool {
    let same = |at: fs::Metadata, it: fs::Metadata| (at.dev(), at.ino()) == (it.dev(), it.ino());
    fs::symlink_metadata(path).is_ok_and(|at| folder.metadata().is_ok_and(|it| same(at, it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_dead_programs_are_removed() {
        let temporary = tempfile::tempdir().expect("a folder");
        let at = |name: &str| temporary.path().join(name);
        let dead = at("foveal-commands-12-Ab3dEf");
        let others = ["foveal-commands-Ab3dEf", "foveal-commands-12", "foveal-commands-x-Ab", "y"];
        let held = at("foveal-commands-13-Ab3dEf");
        for folder in others.iter().map(|name| at(name)).chain([dead.clone(), held.clone()]) {
            fs::create_dir_all(folder.join("in")).expect("a folder of ours");
            fs::write(folder.join("in/file"), "").expect("a folder of ours");
        }
        let link = at("foveal-commands-14-Ab3dEf");
        std::os::unix::fs::symlink(at("y"), &link).expect("a folder of ours");
        let lock = lock_folder(&held).expect("it is there").expect("nobody holds it");
        remove_stale_folders(temporary.path());
        assert!(!dead.exists());
        for left in others.iter().map(|name| at(name)).chain([held.clone(), link]) {
            assert!(left.join("in/file").exists(), "{}", left.display());
        }
        drop(lock);
        // A process that another test starts just now has it too, until it becomes its program.
        for _ in 0..1_000 {
            remove_stale_folders(temporary.path());
            if !held.exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("{} stays", held.display());
    }

    #[test]
    fn a_folder_in_use_is_left_to_its_program() {
        let folder = ScratchFolder::new().expect("a folder");
        let name = folder.path().file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(is_scratch_folder_name(name), "{name}");
        assert!(lock_folder(folder.path()).expect("it is there").is_none());
        remove_stale_folders(folder.path().parent().expect("it is in a folder"));
        assert!(folder.path().exists());
    }
}
