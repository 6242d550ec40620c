//! A new file beside the one it will replace.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use foveal_cancel::Cancel;
use rustix::fs::{Gid, Mode, RenameFlags, Uid};
use rustix::io::Errno;

use super::attributes;
use super::extent::Extent;
use crate::bounded::open_in;

/// Bytes written at once; a cancelled write ends between two of them.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// Times that another program may put a file in the place of ours while we put back its last.
const EXCHANGES_MAX: usize = 16;

/// How the name of a file ends whose place was taken, where names cannot be exchanged.
pub(super) const OLD: &str = ".old";

/// A new file under a name that nobody uses. Whatever has that name when this is
/// dropped goes: the new file itself, or the one that it took the place of.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
    /// The new file, wherever it is by now.
    file: File,
    inode: u64,
    is_gone: bool,
}

impl<'a> Temporary<'a> {
    /// A new empty file `name` in `dir` that others may read and write as the system's mask says,
    /// or with `private` nobody but the user.
    pub(super) fn new(dir: &'a Dir, name: String, private: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
        options.mode(if private { 0o600 } else { 0o666 });
        let file = dir.open_with(&name, &options)?.into_std();
        let inode = Metadata::from_file(&file)?.ino();
        Ok(Self { dir, name, file, inode, is_gone: false })
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

    /// Gives the file the extended attributes of `other`. Before its permissions, which those of
    /// single users change.
    pub(super) fn take_attributes(&self, other: &File) {
        attributes::copy(other, &self.file);
    }

    /// Gives the file the owner and the permissions of `other`. Whether the owner could be kept.
    pub(super) fn take_after(&self, other: &Metadata) -> io::Result<bool> {
        let own = self.metadata()?;
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

    /// What the file system says of the new file.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        Metadata::from_file(&self.file)
    }

    /// The number of the new file.
    pub(super) fn inode(&self) -> u64 {
        self.inode
    }

    /// Puts the file in the place of `name`, which gets the other name: at once where the file
    /// system can exchange two names and `exchanges` says so, else by a second name.
    pub(super) fn take_place(&mut self, name: &OsStr, exchanges: bool) -> io::Result<()> {
        if exchanges && exchange(self.dir, &self.name, name)? {
            return Ok(());
        }
        let spare = spare_of(&self.name);
        if let Err(error) = self.dir.hard_link(name, self.dir, &spare) {
            if error.kind() == io::ErrorKind::NotFound {
                return Err(error);
            }
            self.dir.copy(name, self.dir, &spare)?;
        }
        if let Err(error) = self.dir.rename(&self.name, self.dir, name) {
            let _ = self.dir.remove_file(&spare);
            return Err(error);
        }
        self.name = spare;
        Ok(())
    }

    /// Puts the file whose place was taken back to `name`. If another program has put one of its
    /// own there since, it is that one.
    pub(super) fn give_back(&mut self, name: &OsStr) -> io::Result<()> {
        // Should that fail, the file with our name may be theirs, and stays.
        self.is_gone = true;
        self.is_gone = give_back(self.dir, &self.name, name, self.inode)?;
        Ok(())
    }

    /// Whether the file that has the name by now holds `extent` and nothing else.
    pub(super) fn displaced_holds(&self, extent: &Extent) -> bool {
        open(self.dir, OsStr::new(&self.name)).is_ok_and(|file| extent.is_content_of(&file))
    }

    /// A handle of the new file.
    pub(super) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Puts the file at `name`, if there is nothing.
    pub(super) fn place(mut self, name: &OsStr) -> io::Result<()> {
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(self.dir, &*self.name, self.dir, name, flags) {
            Ok(()) => {
                self.is_gone = true;
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
        if !self.is_gone {
            // Nothing more can be done about it here.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// The name of the file whose place was taken, where names cannot be exchanged.
pub(super) fn spare_of(name: &str) -> String {
    name.replace(".tmp", OLD)
}

/// The regular file `name`, to be read.
pub(super) fn open(dir: &Dir, name: &OsStr) -> io::Result<File> {
    open_in(dir, Path::new(name), OpenOptions::new().read(true))
}

/// Puts the file `temporary` back to `name`, where the file `ours` stands, or another one that
/// took its place; that gets the other name. True where nothing has the other name then, since
/// names cannot be exchanged.
pub(super) fn give_back(dir: &Dir, temporary: &str, name: &OsStr, ours: u64) -> io::Result<bool> {
    if temporary.ends_with(OLD) {
        dir.rename(temporary, dir, name)?;
        return Ok(true);
    }
    let mut put = ours;
    // If what comes back is not what was put there before, it is a later one of theirs.
    for _ in 0..EXCHANGES_MAX {
        let theirs = dir.symlink_metadata(temporary)?.ino();
        exchange(dir, temporary, name)?;
        if dir.symlink_metadata(temporary)?.ino() == put {
            break;
        }
        put = theirs;
    }
    Ok(false)
}

/// Gives each of the two files the other's name. False where the file system cannot.
fn exchange(dir: &Dir, one: &str, other: &OsStr) -> io::Result<bool> {
    match rustix::fs::renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
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
            let mut temporary = Temporary::new(&dir, "t.tmp".to_owned(), true).expect("made");
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
