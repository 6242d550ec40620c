//! The folders that commands may write, held open.
//!
//! A name is looked up once. What a command puts in its place later is not meant by it. Nor may a
//! command choose what a later look-up finds: links that it may have made are not followed.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// As many links as the system follows in one path.
const LINKS_MAX: usize = 40;

/// What a file or folder is known by, whatever it is called: its device and its number there.
pub(super) type Identity = (u64, u64);

/// A folder or a file, whatever its name leads to by now.
#[derive(Debug)]
pub(super) struct Place {
    handle: File,
    /// Where it was, without links.
    pub(super) real: PathBuf,
    pub(super) is_folder: bool,
}

impl Place {
    /// What `path` leads to.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::open_with(path, OFlags::PATH)
    }

    /// What stands at `path` itself, which is no link.
    pub(super) fn open_itself(path: &Path) -> io::Result<Self> {
        Self::open_with(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY)
    }

    /// What `process` has open as `number`, if that is what is meant.
    pub(super) fn of_process(
        process: rustix::process::Pid,
        number: i32,
        meant: Identity,
    ) -> io::Result<Self> {
        let process = process.as_raw_nonzero();
        let place = Self::open(Path::new(&format!("/proc/{process}/fd/{number}")))?;
        match place.identity()? == meant {
            true => Ok(place),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// What stands at `path`, which is absolute, without following a link.
    pub(super) fn without_links(path: &Path) -> io::Result<Self> {
        let below = path.strip_prefix("/").map_err(|_| io::ErrorKind::InvalidInput)?;
        Self::open_itself(Path::new("/"))?.below(below)
    }

    /// What stands at `relative`, names alone, in this folder, without following a link.
    pub(super) fn below(&self, relative: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut handle = self.handle.try_clone()?;
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
            true => self.real.clone(),
            false => self.real.join(relative),
        };
        Ok(Self { handle, real, is_folder: metadata.is_dir() })
    }

    /// What stands at `path` in this folder, where that was called as it was.
    pub(super) fn at(&self, path: &Path) -> io::Result<Self> {
        self.below(path.strip_prefix(&self.real).map_err(|_| io::ErrorKind::NotFound)?)
    }

    /// What was looked up, if it is there and no link. Every other failure stays one: what cannot
    /// be looked at may be there.
    pub(super) fn if_there(looked_up: io::Result<Self>) -> io::Result<Option<Self>> {
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

    /// What it is known by.
    pub(super) fn identity(&self) -> io::Result<Identity> {
        self.handle.metadata().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    /// Its number among what this process has open.
    pub(super) fn number(&self) -> i32 {
        self.handle.as_raw_fd()
    }

    /// A name for it that leads to what is held, in this process.
    pub(super) fn name_here(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.number()).into()
    }

    /// Where it is by now, if it has a name.
    pub(super) fn path_now(&self) -> io::Result<PathBuf> {
        fs::read_link(self.name_here())
    }

    fn open_with(path: &Path, flags: OFlags) -> io::Result<Self> {
        let flags = flags.bits().cast_signed();
        let handle = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let is_folder = handle.metadata()?.is_dir();
        Ok(Self { handle, real: path.canonicalize()?, is_folder })
    }
}

impl AsFd for Place {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Whether `path` goes through links of the system alone: those of root, where we are not root
/// ourselves. Any other link may have been made by a command, in this session or an earlier one.
pub(super) fn is_of_the_system(path: &Path) -> bool {
    let are_we_root = rustix::process::geteuid().is_root();
    let is_of_root = |link: &Path| link.symlink_metadata().is_ok_and(|link| link.uid() == 0);
    goes_through(path, |_, link| !are_we_root && is_of_root(link))
}

/// Whether no link that `path` goes through lies in one of the folders `writable`, real paths.
pub(super) fn is_chosen_outside(path: &Path, writable: &[PathBuf]) -> bool {
    goes_through(path, |folder, _| !writable.iter().any(|one| folder.starts_with(one)))
}

/// Whether `may` says yes to all links on the way of `path`; it is given the folder that a link
/// lies in, and the link.
fn goes_through(path: &Path, may: impl Fn(&Path, &Path) -> bool) -> bool {
    let mut place = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = parts(path);
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
        let mut ahead = parts(&target);
        ahead.append(&mut rest);
        rest = ahead;
    }
    true
}

fn parts(path: &Path) -> VecDeque<OsString> {
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
        let folder = Place::open(base.path()).expect("it is there");
        for (name, is_there) in
            [("file", true), ("no", false), ("file/in", false), ("link", false), ("link/in", false)]
        {
            let place = Place::if_there(folder.below(Path::new(name))).expect("it is known");
            assert_eq!(place.is_some(), is_there, "{name}");
        }
        for error in [rustix::io::Errno::MFILE, rustix::io::Errno::ACCESS, rustix::io::Errno::IO] {
            assert!(Place::if_there(Err(error.into())).is_err(), "{error}");
        }
        assert!(Place::if_there(folder.below(Path::new(&"x".repeat(300)))).is_err());
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
            assert_eq!(is_chosen_outside(&at(name), &writable), is_outside, "{name}");
            // The links here are ours.
            let has_link = !is_outside || name == "honest";
            assert_eq!(is_of_the_system(&at(name)), !has_link, "{name}");
        }
    }
}
