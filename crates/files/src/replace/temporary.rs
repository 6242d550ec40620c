//! A new file beside the one it will replace.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use foveal_cancel::Cancel;
use rustix::fs::{Gid, Mode, RenameFlags, Uid};
use rustix::io::Errno;

/// Names tried before giving up.
const NAMES_MAX: usize = 32;

/// Bytes written at once; between two writes the caller is asked whether to go on.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// A file under a name that nobody uses, removed when dropped unless it was put in place.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
    file: File,
    placed: bool,
}

impl<'a> Temporary<'a> {
    /// A new empty file in `dir` that others may read and write as the system's mask says, or
    /// with `private` nobody but the user.
    pub(super) fn new(dir: &'a Dir, private: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        options.mode(if private { 0o600 } else { 0o666 });
        for _ in 0..NAMES_MAX {
            let name = unused_name();
            match dir.open_with(&name, &options) {
                Ok(file) => return Ok(Self { dir, name, file, placed: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes `bytes` and waits until they are on the device. False if it was cancelled before the end.
    pub(super) fn fill(&mut self, bytes: &[u8], cancel: &Cancel<'_>) -> io::Result<bool> {
        for chunk in bytes.chunks(CHUNK_BYTES) {
            if cancel.is_cancelled() {
                return Ok(false);
            }
            self.file.write_all(chunk)?;
        }
        self.file.sync_all()?;
        Ok(true)
    }

    /// Gives the file the owner and the permissions of `other`. Whether the owner could be kept.
    pub(super) fn take_after(&self, other: &Metadata) -> io::Result<bool> {
        let own = self.file.metadata()?;
        let differs = (own.uid(), own.gid()) != (other.uid(), other.gid());
        let (uid, gid) = (Uid::from_raw(other.uid()), Gid::from_raw(other.gid()));
        let kept = !differs
            || rustix::fs::fchown(&self.file, Some(uid), Some(gid)).is_ok()
            || (rustix::fs::fchown(&self.file, None, Some(gid)).is_ok()
                && own.uid() == other.uid());
        let mut mode = other.mode() & 0o7777;
        if !kept {
            // Another owner must not come to rights that were meant for the first.
            mode &= 0o777;
        }
        // After the owner, since a change of it takes bits away.
        rustix::fs::fchmod(&self.file, Mode::from_raw_mode(mode))?;
        Ok(kept)
    }

    /// Puts the file in the place of `name`, whatever is there.
    pub(super) fn replace(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.rename(&self.name, self.dir, name)?;
        self.placed = true;
        Ok(())
    }

    /// Gives each of the two files the other's name. False where the file system cannot.
    pub(super) fn exchange(&self, name: &OsStr) -> io::Result<bool> {
        let flags = RenameFlags::EXCHANGE;
        match rustix::fs::renameat_with(self.dir, &*self.name, self.dir, name, flags) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// What it is called.
    pub(super) fn name(&self) -> &OsStr {
        OsStr::new(&self.name)
    }

    /// Puts the file at `name`, if there is nothing.
    pub(super) fn place(mut self, name: &OsStr) -> io::Result<()> {
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(self.dir, &*self.name, self.dir, name, flags) {
            Ok(()) => {
                self.placed = true;
                Ok(())
            }
            // A second name cannot be given to a name that is taken either; the first goes
            // when this is dropped.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.dir.hard_link(&self.name, self.dir, name)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // Nothing more can be done about it here.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// A hidden name that starts as all of ours do; unlikely to be taken, and tried again if it is.
fn unused_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seed = format!("{} {count} {}", process::id(), time.as_nanos());
    let hash = blake3::hash(seed.as_bytes()).to_hex();
    format!(".foveal-{}.tmp", &hash[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_never_placed_over_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).expect("it");
        dir.write("a", "there").expect("written");
        let place = |name: &str| {
            let mut temporary = Temporary::new(&dir, true).expect("made");
            assert!(temporary.fill(b"new", &Cancel::NEVER).expect("written"));
            temporary.place(OsStr::new(name)).map_err(|error| error.kind())
        };
        assert_eq!(place("a"), Err(io::ErrorKind::AlreadyExists));
        assert_eq!(place("b"), Ok(()));
        let read = |name| dir.read_to_string(name).expect("there");
        assert_eq!((read("a"), read("b")), ("there".to_owned(), "new".to_owned()));
        assert_eq!(dir.entries().expect("listed").count(), 2);
    }
}
