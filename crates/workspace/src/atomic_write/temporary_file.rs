//! A new file beside the one that it replaces.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use foveal_transcript::CancelToken;
use rustix::fs::{Gid, Mode, RenameFlags, Uid};
use rustix::io::Errno;

use super::content_digest::ContentDigest;
use super::extended_attributes;
use crate::regular_file::open_regular_in;

/// Bytes per write; a cancellation takes effect between two writes.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// Attempts to restore a file while another program keeps replacing it.
const EXCHANGES_MAX: usize = 16;

/// The suffix of a displaced file's name on file systems that cannot exchange names.
pub(super) const DISPLACED_SUFFIX: &str = ".old";

/// A new file under a unique name. Dropping this removes the file that has the name by then: the
/// new file itself, or the one that it displaced.
#[derive(Debug)]
pub(super) struct TemporaryFile<'a> {
    dir: &'a Dir,
    name: String,
    /// The new file, under whichever name it has now.
    file: File,
    inode: u64,
    is_gone: bool,
}

impl<'a> TemporaryFile<'a> {
    /// Creates an empty file `name` in `dir`, accessible to the user only if `private`, otherwise
    /// as the umask says.
    pub(super) fn new(dir: &'a Dir, name: String, private: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
        options.mode(if private { 0o600 } else { 0o666 });
        let file = dir.open_with(&name, &options)?.into_std();
        let inode = Metadata::from_file(&file)?.ino();
        Ok(Self { dir, name, file, inode, is_gone: false })
    }

    /// Writes `bytes` and syncs them to the device. Returns false if the write was cancelled.
    pub(super) fn write_content(
        &mut self,
        bytes: &[u8],
        cancel: &CancelToken<'_>,
    ) -> io::Result<bool> {
        for chunk in bytes.chunks(CHUNK_BYTES) {
            if cancel.is_cancelled() {
                return Ok(false);
            }
            self.file.write_all(chunk)?;
        }
        self.file.sync_all()?;
        Ok(true)
    }

    /// Copies the extended attributes of `other`. Must precede the permissions, which the access
    /// control lists among them change.
    pub(super) fn copy_attributes_from(&self, other: &File) {
        extended_attributes::copy_attributes(other, &self.file);
    }

    /// Copies the owner and permissions of `other`. Returns whether the owner could be preserved.
    pub(super) fn copy_owner_and_mode(&self, other: &Metadata) -> io::Result<bool> {
        let own = self.metadata()?;
        let differs = (own.uid(), own.gid()) != (other.uid(), other.gid());
        let (uid, gid) = (Uid::from_raw(other.uid()), Gid::from_raw(other.gid()));
        let kept = !differs
            || rustix::fs::fchown(&self.file, Some(uid), Some(gid)).is_ok()
            || (rustix::fs::fchown(&self.file, None, Some(gid)).is_ok()
                && own.uid() == other.uid());
        let mut mode = other.mode() & 0o7777;
        if !kept {
            // Another owner must not get set-id rights that were meant for the first.
            mode &= 0o777;
        }
        // After the owner, since a change of owner clears mode bits.
        rustix::fs::fchmod(&self.file, Mode::from_raw_mode(mode))?;
        Ok(kept)
    }

    /// Returns the metadata of the new file.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        Metadata::from_file(&self.file)
    }

    /// Returns the inode of the new file.
    pub(super) fn inode(&self) -> u64 {
        self.inode
    }

    /// Puts the file in the place of `name` and gives that file the temporary name: atomically if
    /// `exchanges` allows it and the file system can exchange names, otherwise by a hard link or a
    /// copy.
    pub(super) fn exchange_with(&mut self, name: &OsStr, exchanges: bool) -> io::Result<()> {
        if exchanges && exchange_names(self.dir, &self.name, name)? {
            return Ok(());
        }
        let spare = displaced_name(&self.name);
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

    /// Puts the displaced file back to `name`. If another program has put its own file there since,
    /// that one stays.
    pub(super) fn restore_displaced(&mut self, name: &OsStr) -> io::Result<()> {
        // If this fails, the file with the temporary name may belong to the other program and is
        // kept.
        self.is_gone = true;
        self.is_gone = restore_displaced(self.dir, &self.name, name, self.inode)?;
        Ok(())
    }

    /// Returns whether the file under the temporary name has exactly the content `extent`.
    pub(super) fn displaced_matches(&self, extent: &ContentDigest) -> bool {
        open_for_reading(self.dir, OsStr::new(&self.name))
            .is_ok_and(|file| extent.matches_file(&file))
    }

    /// Returns a duplicate of the new file's handle.
    pub(super) fn clone_handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Moves the file to `name`, if that is free.
    pub(super) fn move_to_free_name(mut self, name: &OsStr) -> io::Result<()> {
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(self.dir, &*self.name, self.dir, name, flags) {
            Ok(()) => {
                self.is_gone = true;
                Ok(())
            }
            // A hard link cannot overwrite an existing name either; the temporary name is removed
            // on drop.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.dir.hard_link(&self.name, self.dir, name)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.is_gone {
            // A failure here has no remedy.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// Returns the name of the displaced file on file systems that cannot exchange names.
pub(super) fn displaced_name(name: &str) -> String {
    name.replace(".tmp", DISPLACED_SUFFIX)
}

/// Opens the regular file `name` for reading.
pub(super) fn open_for_reading(dir: &Dir, name: &OsStr) -> io::Result<File> {
    open_regular_in(dir, Path::new(name), OpenOptions::new().read(true))
}

/// Puts the file `temporary` back to `name`, which leads to the file `ours` or to a later file of
/// another program, and exchanges the two. Returns true if the temporary name is free afterwards,
/// on file systems that cannot exchange names.
pub(super) fn restore_displaced(
    dir: &Dir,
    temporary: &str,
    name: &OsStr,
    ours: u64,
) -> io::Result<bool> {
    if temporary.ends_with(DISPLACED_SUFFIX) {
        dir.rename(temporary, dir, name)?;
        return Ok(true);
    }
    let mut put = ours;
    // If the exchange returns another inode than the one put there before, another program replaced
    // the file in between.
    for _ in 0..EXCHANGES_MAX {
        let theirs = dir.symlink_metadata(temporary)?.ino();
        exchange_names(dir, temporary, name)?;
        if dir.symlink_metadata(temporary)?.ino() == put {
            break;
        }
        put = theirs;
    }
    Ok(false)
}

/// Exchanges the names of two files. Returns false if the file system cannot.
fn exchange_names(dir: &Dir, one: &str, other: &OsStr) -> io::Result<bool> {
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
            let mut temporary = TemporaryFile::new(&dir, "t.tmp".to_owned(), true).expect("made");
            assert!(temporary.write_content(b"new", &CancelToken::NEVER).expect("written"));
            temporary.move_to_free_name(OsStr::new(name)).map_err(|error| error.kind())
        };
        assert_eq!(place("a"), Err(io::ErrorKind::AlreadyExists));
        assert_eq!(place("b"), Ok(()));
        let read = |name| dir.read_to_string(name).expect("there");
        assert_eq!((read("a"), read("b")), ("there".to_owned(), "new".to_owned()));
        assert_eq!(dir.entries().expect("listed").count(), 2);
    }
}
