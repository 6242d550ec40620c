//! Folders for files of ours that commands write.
//!
//! Each is locked as long as the program lives that made it, so that the next one can remove those
//! of programs that were killed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process;
use std::sync::Once;

use rustix::fs::{FlockOperation, OFlags, flock};
use tempfile::TempDir;

use super::places::Place;
use crate::CommandError;

/// How their names begin; the number of the program that made one comes next, and one by chance.
const PREFIX: &str = "foveal-commands-";

/// Times that one is made anew as it was taken for one of a dead program.
const TRIES_MAX: usize = 8;

/// Entries of the folder for temporary files that are looked at.
const LOOKED_AT_MAX: usize = 10_000;

/// What dead programs left is removed once.
static TIDIED: Once = Once::new();

/// A folder for files of ours that commands write. It goes with this.
#[derive(Debug)]
pub(super) struct OwnFolder {
    folder: TempDir,
    place: Place,
    /// Holds the lock.
    _lock: File,
}

impl OwnFolder {
    /// A new one. The first one of a program removes those of programs that are dead.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn new() -> Result<Self, CommandError> {
        TIDIED.call_once(|| remove_left(&std::env::temp_dir()));
        for _ in 0..TRIES_MAX {
            let prefix = format!("{PREFIX}{}-", process::id());
            let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
            // Between the two somebody may take it for one of a dead program, and remove it.
            if let Ok(Some(lock)) = locked(folder.path())
                && is_at(&lock, folder.path())
            {
                let place = Place::open_itself(folder.path())?;
                return Ok(Self { folder, place, _lock: lock });
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy).into())
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }
}

/// Removes the folders in `temporary` whose programs have ended.
fn remove_left(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else { return };
    let own = rustix::process::geteuid().as_raw();
    for entry in entries.flatten().take(LOOKED_AT_MAX) {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(is_our_name)
            && entry.metadata().is_ok_and(|it| it.is_dir() && it.uid() == own);
        if !is_ours {
            continue;
        }
        // Held until it is gone. One that cannot be locked everywhere is left.
        if let Ok(Some(lock)) = locked(&entry.path())
            && is_at(&lock, &entry.path())
        {
            // What cannot be removed now may be the next time.
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// Whether the folder of that name is locked by the program that made it.
fn is_our_name(name: &str) -> bool {
    let number = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    number.is_some_and(|(number, chance)| {
        !number.is_empty() && !chance.is_empty() && number.bytes().all(|sign| sign.is_ascii_digit())
    })
}

/// The folder at `path`, locked; `None` if somebody else holds it.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let flags = (OFlags::NOFOLLOW | OFlags::DIRECTORY).bits().cast_signed();
    let folder = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(folder)),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether `folder` still is what stands at `path`.
fn is_at(folder: &File, path: &Path) -> bool {
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
        let lock = locked(&held).expect("it is there").expect("nobody holds it");
        remove_left(temporary.path());
        assert!(!dead.exists());
        for left in others.iter().map(|name| at(name)).chain([held.clone(), link]) {
            assert!(left.join("in/file").exists(), "{}", left.display());
        }
        drop(lock);
        // A process that another test starts just now has it too, until it becomes its program.
        for _ in 0..1_000 {
            remove_left(temporary.path());
            if !held.exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("{} stays", held.display());
    }

    #[test]
    fn a_folder_in_use_is_left_to_its_program() {
        let folder = OwnFolder::new().expect("a folder");
        let name = folder.path().file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(is_our_name(name), "{name}");
        assert!(locked(folder.path()).expect("it is there").is_none());
        remove_left(folder.path().parent().expect("it is in a folder"));
        assert!(folder.path().exists());
    }
}
