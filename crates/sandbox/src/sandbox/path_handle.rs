//! Handles of the folders that commands may write.
//!
//! A path is looked up once; a file that a command later puts in its place is not meant. Nor may a
//! command choose what a later look-up finds: links that it may have created are not followed.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// The most links that the system follows in one path.
const LINKS_MAX: usize = 40;

/// Identifies a file or folder under whatever name: device and inode.
pub(super) type FileIdentity = (u64, u64);

/// A handle of a folder or a file, wherever its path leads by now.
#[derive(Debug)]
pub(crate) struct PathHandle {
    file: File,
    /// Its path without links when it was opened.
    pub(crate) original_path: PathBuf,
    pub(super) is_folder: bool,
}

impl PathHandle {
    /// Opens `path` and follows links.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::open_with_flags(path, OFlags::PATH)
    }

    /// Opens the folder `path`, which must not be a link.
    pub(super) fn open_folder_no_follow(path: &Path) -> io::Result<Self> {
        Self::open_with_flags(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY)
    }

    /// Opens what this process inherited as `number`; it was opened at `original_path`.
    pub(crate) fn open_inherited(number: i32, original_path: PathBuf) -> io::Result<Self> {
        let place =
            Self::open_with_flags(Path::new(&format!("/proc/self/fd/{number}")), OFlags::PATH)?;
        Ok(Self { original_path, ..place })
    }

    /// Opens an absolute path without following links.
    pub(super) fn open_without_links(path: &Path) -> io::Result<Self> {
        let below = path.strip_prefix("/").map_err(|_| io::ErrorKind::InvalidInput)?;
        Self::open_folder_no_follow(Path::new("/"))?.open_relative(below)
    }

    /// Opens a path relative to this folder, made of names only, without following links.
    pub(super) fn open_relative(&self, relative: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut handle = self.file.try_clone()?;
        for name in relative.components() {
            let Component::Normal(name) = name else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            handle = rustix::fs::openat(&handle, name, flags, Mode::empty())?.into();
        }
        let metadata = handle.metadata()?;
        if metadata.is_symlink() {
            return Err(rustix::io::Errno::LOOP.into());
        }
        let real = match relative.as_os_str().is_empty() {
            true => self.original_path.clone(),
            false => self.original_path.join(relative),
        };
        Ok(Self { file: handle, original_path: real, is_folder: metadata.is_dir() })
    }

    /// Opens a path below the folder's original path in this folder.
    pub(super) fn open_below(&self, path: &Path) -> io::Result<Self> {
        self.open_relative(
            path.strip_prefix(&self.original_path).map_err(|_| io::ErrorKind::NotFound)?,
        )
    }

    /// Turns a missing path or a link into `None`. Other errors remain, since a path that cannot be
    /// looked up may exist.
    pub(super) fn if_exists(looked_up: io::Result<Self>) -> io::Result<Option<Self>> {
        let is_missing = |error: &io::Error| {
            let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
            is_link
                || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        };
        match looked_up {
            Ok(place) => Ok(Some(place)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the device and the inode.
    pub(super) fn identity(&self) -> io::Result<FileIdentity> {
        self.file.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    /// Returns another descriptor of it.
    pub(crate) fn try_clone_descriptor(&self) -> io::Result<OwnedFd> {
        self.file.try_clone().map(OwnedFd::from)
    }

    /// Returns the current path, if the file has one.
    pub(super) fn current_path(&self) -> io::Result<PathBuf> {
        fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    fn open_with_flags(path: &Path, flags: OFlags) -> io::Result<Self> {
        let flags = flags.bits().cast_signed();
        let handle = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let is_folder = handle.metadata()?.is_dir();
        Ok(Self { file: handle, original_path: path.canonicalize()?, is_folder })
    }
}

impl From<PathHandle> for OwnedFd {
    fn from(place: PathHandle) -> Self {
        place.file.into()
    }
}

impl AsFd for PathHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Returns whether `path` goes only through links of the system: those owned by root, if we are not
/// root ourselves. Any other link may have been created by a command, in this session or an earlier
/// one.
pub(super) fn has_only_system_links(path: &Path) -> bool {
    let are_we_root = rustix::process::geteuid().is_root();
    let is_of_root = |link: &Path| link.symlink_metadata().is_ok_and(|link| link.uid() == 0);
    accepts_all_links(path, |_, link| !are_we_root && is_of_root(link))
}

/// Returns whether no link on `path` lies in one of the `writable` folders, given without links.
pub(super) fn has_no_link_within(path: &Path, writable: &[PathBuf]) -> bool {
    accepts_all_links(path, |folder, _| !writable.iter().any(|one| folder.starts_with(one)))
}

/// Returns whether `may` accepts all links on `path`; it receives the folder of a link, and the
/// link.
fn accepts_all_links(path: &Path, may: impl Fn(&Path, &Path) -> bool) -> bool {
    let mut place = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = path_components(path);
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            place.pop();
            continue;
        }
        let next = place.join(&part);
        let Ok(target) = fs::read_link(&next) else {
            place = next;
            continue;
        };
        links += 1;
        if links > LINKS_MAX || !may(&place, &next) {
            return false;
        }
        if target.is_absolute() {
            place = PathBuf::from("/");
        }
        let mut ahead = path_components(&target);
        ahead.append(&mut rest);
        rest = ahead;
    }
    true
}

fn path_components(path: &Path) -> VecDeque<OsString> {
    let named = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_is_missing_or_a_link_is_not_there() {
        let base = tempfile::tempdir().expect("a folder");
        fs::write(base.path().join("file"), "").expect("a file");
        symlink("file", base.path().join("link")).expect("a link");
        let folder = PathHandle::open(base.path()).expect("it is there");
        for (name, is_there) in
            [("file", true), ("no", false), ("file/in", false), ("link", false), ("link/in", false)]
        {
            let place =
                PathHandle::if_exists(folder.open_relative(Path::new(name))).expect("it is known");
            assert_eq!(place.is_some(), is_there, "{name}");
        }
        for error in [rustix::io::Errno::MFILE, rustix::io::Errno::ACCESS, rustix::io::Errno::IO] {
            assert!(PathHandle::if_exists(Err(error.into())).is_err(), "{error}");
        }
        assert!(PathHandle::if_exists(folder.open_relative(Path::new(&"x".repeat(300)))).is_err());
    }

    #[test]
    fn links_that_a_command_may_have_made_are_not_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let base = base.path().canonicalize().expect("it is there");
        let at = |name: &str| base.join(name);
        for folder in ["project/inner", "elsewhere/cache"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        symlink("/", at("project/planted")).expect("a link");
        symlink("elsewhere/cache", at("honest")).expect("a link");
        symlink("project/planted", at("detour")).expect("a link");
        symlink("round", at("round")).expect("a link");

        let writable = [at("project")];
        for (name, is_outside) in [
            ("project", true),
            ("project/inner", true),
            ("project/./inner/../inner", true),
            ("project/missing", true),
            ("honest", true),
            ("project/planted", false),
            ("project/planted/usr", false),
            ("detour", false),
            ("elsewhere/../project/planted", false),
            ("round", false),
        ] {
            assert_eq!(has_no_link_within(&at(name), &writable), is_outside, "{name}");
            // The links here are ours.
            let has_link = !is_outside || name == "honest";
            assert_eq!(has_only_system_links(&at(name)), !has_link, "{name}");
        }
    }
}
