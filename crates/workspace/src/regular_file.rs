//! Bounded reads of regular files that no user named, such as rules, settings and sources. A
//! repository may contain a pipe, a device, a link or an endless file in place of each.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _, OpenOptionsExt as _};
use rustix::fs::OFlags;

/// The treatment of a symbolic link in place of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPolicy {
    /// Links are refused.
    Refused,
    /// Links are followed if the target is a regular file.
    Followed,
}

/// Open flags that keep `open` from blocking on a pipe and from acquiring a controlling terminal.
const NONBLOCKING_OPEN: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// A folder held open by its handle, so that no name in it leads out of it.
#[derive(Debug)]
pub struct OpenFolder {
    path: PathBuf,
    handle: Dir,
    /// Device and inode.
    identity: (u64, u64),
}

impl OpenFolder {
    /// Opens the folder at `path`.
    ///
    /// # Errors
    ///
    /// Fails if the folder does not exist or may not be read.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let handle = Dir::open_ambient_dir(&path, ambient_authority())?;
        let folder = handle.dir_metadata()?;
        Ok(Self { path, handle, identity: (folder.dev(), folder.ino()) })
    }

    /// Returns the path at which the folder was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the path still leads to this folder and not to a later replacement.
    pub fn is_still_at_path(&self) -> bool {
        let there = std::fs::symlink_metadata(&self.path);
        there.is_ok_and(|there| (there.dev(), there.ino()) == self.identity)
    }

    /// Opens the regular file at `path`, relative to the folder. Links that lead out of the folder
    /// are refused, and so is a link in place of the file.
    ///
    /// # Errors
    ///
    /// See [`open_regular`].
    pub fn open_regular(&self, path: &Path) -> io::Result<File> {
        open_regular_in(&self.handle, path, cap_std::fs::OpenOptions::new().read(true))
    }
}

/// Opens the regular file at `path` in `dir` with `options`, without blocking. A link in its place
/// is refused.
///
/// # Errors
///
/// See [`open_regular`].
pub(crate) fn open_regular_in(
    dir: &Dir,
    path: &Path,
    options: &mut cap_std::fs::OpenOptions,
) -> io::Result<File> {
    options.follow(FollowSymlinks::No).custom_flags(NONBLOCKING_OPEN.bits().cast_signed());
    require_regular(dir.open_with(path, options).map(cap_std::fs::File::into_std))
}

/// Opens the regular file at `path`, without waiting for the writer of a pipe.
///
/// # Errors
///
/// Fails if the file does not exist, may not be read, or is not a regular file.
pub fn open_regular(path: &Path, links: LinkPolicy) -> io::Result<File> {
    let mut flags = NONBLOCKING_OPEN;
    if links == LinkPolicy::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    require_regular(opened)
}

/// Returns the opened file if it is a regular one.
fn require_regular(opened: io::Result<File>) -> io::Result<File> {
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => not_regular_error("a link"),
        // Sockets cannot be opened at all.
        Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => {
            not_regular_error("a socket")
        }
        _ => error,
    })?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    Err(not_regular_error(if kind.is_dir() { "a folder" } else { "a pipe or a device" }))
}

/// Reads the regular file at `path`, up to `bytes_max` bytes.
///
/// # Errors
///
/// See [`open_regular`]. Also fails if the file is larger, even if it grows during the read.
pub fn read_regular(path: &Path, bytes_max: u64, links: LinkPolicy) -> io::Result<Vec<u8>> {
    let file = open_regular(path, links)?;
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let why = format!("it has more than {bytes_max} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

fn not_regular_error(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a regular file"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn no_name_leads_out_of_a_held_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for place in ["root/inner", "outside"] {
            fs::create_dir_all(at(place)).expect("a folder");
            fs::write(at(place).join("file"), place).expect("a file");
        }
        let root = OpenFolder::open(at("root")).expect("a folder");
        let read = |path: &str| {
            let mut text = String::new();
            root.open_regular(Path::new(path)).ok()?.read_to_string(&mut text).ok()?;
            Some(text)
        };
        assert_eq!(read("inner/file").as_deref(), Some("root/inner"));
        assert_eq!(read("../outside/file"), None);
        fs::rename(at("root/inner"), at("root/moved")).expect("a folder");
        symlink(at("outside"), at("root/inner")).expect("a link");
        assert_eq!(read("inner/file"), None, "a folder that was swapped for a link");
        symlink("file", at("root/moved/link")).expect("a link");
        assert_eq!(read("moved/link"), None, "a link in place of a file");
        assert!(root.is_still_at_path());
        fs::rename(at("root"), at("elsewhere")).expect("a folder");
        symlink(at("outside"), at("root")).expect("a link");
        assert!(!root.is_still_at_path());
        assert_eq!(read("moved/file").as_deref(), Some("root/inner"), "it is held");
    }

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("plain"), "four").expect("a file");
        symlink(at("plain"), at("link")).expect("a link");
        symlink("/dev/null", at("device")).expect("a link");
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        fs::create_dir(at("folder")).expect("a folder");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket");

        let read = |name: &str, links| read_regular(&at(name), 4, links);
        assert_eq!(read("plain", LinkPolicy::Refused).expect("a file"), b"four");
        assert_eq!(read("link", LinkPolicy::Followed).expect("a file"), b"four");
        assert!(read_regular(&at("plain"), 3, LinkPolicy::Refused).is_err());
        for name in ["link", "device", "pipe", "folder", "socket"] {
            let error = read(name, LinkPolicy::Refused).expect_err(name);
            assert!(error.to_string().ends_with("not a regular file"), "{name}: {error}");
        }
        for name in ["device", "pipe", "folder", "socket"] {
            read(name, LinkPolicy::Followed).expect_err(name);
        }
    }
}
