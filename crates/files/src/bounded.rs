//! Files that are read without anybody having named them: rules, settings, sources. A repository
//! can put a pipe, a device, a link or a file without end in the place of each.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _, OpenOptionsExt as _};
use rustix::fs::OFlags;

/// Whether a symbolic link in place of the file is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// A link is refused.
    Refused,
    /// What the link leads to is read, if it is a regular file.
    Followed,
}

/// What stands at a path may be a pipe.
const WAITS_FOR_NOBODY: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// A folder that is held open, so that no name in it leads out of it.
#[derive(Debug)]
pub struct HeldFolder {
    path: PathBuf,
    handle: Dir,
    /// Device and number in it.
    identity: (u64, u64),
}

impl HeldFolder {
    /// Holds the folder at `path`.
    ///
    /// # Errors
    ///
    /// If there is none, or it may not be read.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let handle = Dir::open_ambient_dir(&path, ambient_authority())?;
        let folder = handle.dir_metadata()?;
        Ok(Self { path, handle, identity: (folder.dev(), folder.ino()) })
    }

    /// Where it was when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the folder that stands at its path, and not one that was put there since.
    pub fn is_in_place(&self) -> bool {
        let there = std::fs::symlink_metadata(&self.path);
        there.is_ok_and(|there| (there.dev(), there.ino()) == self.identity)
    }

    /// Opens the regular file at `path`, which starts in the folder. Links that lead out of the
    /// folder are refused, and so is one in place of the file.
    ///
    /// # Errors
    ///
    /// As [`open_regular`].
    pub fn open_regular(&self, path: &Path) -> io::Result<File> {
        open_in(&self.handle, path, cap_std::fs::OpenOptions::new().read(true))
    }
}

/// Opens the regular file at `path` in `dir` for what `options` say, without waiting; a link in its
/// place is refused.
///
/// # Errors
///
/// As [`open_regular`].
pub(crate) fn open_in(
    dir: &Dir,
    path: &Path,
    options: &mut cap_std::fs::OpenOptions,
) -> io::Result<File> {
    options.follow(FollowSymlinks::No).custom_flags(WAITS_FOR_NOBODY.bits().cast_signed());
    regular(dir.open_with(path, options).map(cap_std::fs::File::into_std))
}

/// Opens the regular file at `path`, without waiting for whoever might write into a pipe.
///
/// # Errors
///
/// If there is none, or it may not be read, or what is there is no regular file.
pub fn open_regular(path: &Path, links: Links) -> io::Result<File> {
    let mut flags = WAITS_FOR_NOBODY;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    regular(opened)
}

/// What was opened, if it is a regular file.
fn regular(opened: io::Result<File>) -> io::Result<File> {
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::LOOP.raw_os_error() => not_regular("a link"),
        // A socket cannot be opened at all.
        Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => not_regular("a socket"),
        _ => error,
    })?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    Err(not_regular(if kind.is_dir() { "a folder" } else { "a pipe or a device" }))
}

/// Reads the regular file at `path`, if it has at most `bytes_max` bytes.
///
/// # Errors
///
/// As [`open_regular`], and if it is larger, also if it grows while it is read.
pub fn read_regular(path: &Path, bytes_max: u64, links: Links) -> io::Result<Vec<u8>> {
    let file = open_regular(path, links)?;
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let why = format!("it has more than {bytes_max} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

fn not_regular(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, no regular file"))
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
        let root = HeldFolder::open(at("root")).expect("a folder");
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
        assert!(root.is_in_place());
        fs::rename(at("root"), at("elsewhere")).expect("a folder");
        symlink(at("outside"), at("root")).expect("a link");
        assert!(!root.is_in_place());
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
        assert_eq!(read("plain", Links::Refused).expect("a file"), b"four");
        assert_eq!(read("link", Links::Followed).expect("a file"), b"four");
        assert!(read_regular(&at("plain"), 3, Links::Refused).is_err());
        for name in ["link", "device", "pipe", "folder", "socket"] {
            let error = read(name, Links::Refused).expect_err(name);
            assert!(error.to_string().ends_with("no regular file"), "{name}: {error}");
        }
        for name in ["device", "pipe", "folder", "socket"] {
            read(name, Links::Followed).expect_err(name);
        }
    }
}
