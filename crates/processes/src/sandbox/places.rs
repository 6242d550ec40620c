//! The folders that commands may write, held open.
//!
//! A name is looked up once, when the sandbox is made. What a command puts in its place later
//! is not meant by it. Nor may a command choose what a later sandbox looks up: a name that leads
//! through a folder that commands may write is not followed.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;

/// As many links as the system follows in one path.
const LINKS_MAX: usize = 40;

/// A folder or a file, whatever its name leads to by now.
#[derive(Debug)]
pub(super) struct Place {
    handle: File,
    pub(super) is_folder: bool,
}

impl Place {
    /// What `path` leads to.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let only_a_handle = OFlags::PATH.bits().cast_signed();
        let handle = OpenOptions::new().read(true).custom_flags(only_a_handle).open(path)?;
        let is_folder = handle.metadata()?.is_dir();
        Ok(Self { handle, is_folder })
    }
}

impl AsFd for Place {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// Those of `folders`, absolute paths, whose names lead through none of the others. A folder in
/// another one is left out too: with that one it may be written in any case.
pub(super) fn apart(folders: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let real: Vec<PathBuf> =
        folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    folders.into_iter().partition(|folder| !leads_through(folder, &real))
}

/// Whether what `path` leads to is chosen by an entry of one of `writable`, real paths, or of a
/// folder below. A path that cannot be followed leads nowhere.
fn leads_through(path: &Path, writable: &[PathBuf]) -> bool {
    let mut place = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            place.pop();
            continue;
        }
        if writable.iter().any(|folder| place.starts_with(folder)) {
            return true;
        }
        let next = place.join(&part);
        let Ok(target) = fs::read_link(&next) else {
            place = next;
            continue;
        };
        links += 1;
        if links > LINKS_MAX {
            return true;
        }
        if target.is_absolute() {
            place = PathBuf::from("/");
        }
        let mut ahead = parts(&target);
        ahead.append(&mut rest);
        rest = ahead;
    }
    false
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
    fn names_lead_through_no_folder_that_commands_write() {
        let base = tempfile::tempdir().expect("a folder");
        let base = base.path().canonicalize().expect("it is there");
        let at = |name: &str| base.join(name);
        for folder in ["project/inner", "elsewhere/cache", "alone"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        symlink("/", at("project/planted")).expect("a link");
        symlink("../elsewhere/cache", at("project/cache")).expect("a link");
        symlink("elsewhere/cache", at("honest")).expect("a link");
        symlink("project/cache", at("detour")).expect("a link");
        symlink("round", at("round")).expect("a link");

        let kept = |folders: &[&str]| {
            let (kept, _) = apart(folders.iter().map(|name| at(name)).collect());
            let name =
                |path: &PathBuf| path.strip_prefix(&base).expect("below").display().to_string();
            kept.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(kept(&["project", "alone", "honest"]), ["project", "alone", "honest"]);
        assert_eq!(kept(&["project", "project/inner", "project/./inner"]), ["project"]);
        assert_eq!(kept(&["project", "project/cache"]), ["project"]);
        assert_eq!(kept(&["project", "detour"]), ["project"]);
        assert_eq!(kept(&["project", "alone/../project/inner"]), ["project"]);
        assert_eq!(kept(&["alone", "round"]), ["alone"]);
        assert_eq!(kept(&["elsewhere", "missing"]), ["elsewhere", "missing"]);
        // It leads to the top, so that all others are in it: nothing is better than everything.
        assert_eq!(kept(&["project", "project/planted"]), [""; 0]);
    }
}
