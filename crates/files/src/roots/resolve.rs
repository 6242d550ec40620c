//! From what is asked to a place below a root.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, ResolveFlags};

use super::asked::{parse, quoted};
use super::error::PathError;
use super::located::Located;
use super::root::Root;
use super::workspace::Roots;

/// Symbolic links followed for one path, as systems do.
const LINKS_MAX: usize = 40;

impl Roots {
    /// These roots with another folder for relative paths to start at.
    ///
    /// # Errors
    ///
    /// When `folder` is refused, missing, or no folder.
    pub fn with_working_directory(&self, folder: &str) -> Result<Self, PathError> {
        let located = self.resolve(folder)?;
        located.folder()?;
        Ok(Self { all: Arc::clone(&self.all), working: located.absolute().into() })
    }

    /// Where `path` leads: relative to the working directory or absolute, with `.`, `..` and
    /// symbolic links followed as long as they end inside a root. The file itself may be missing;
    /// reading it then fails with names like its own.
    ///
    /// # Errors
    ///
    /// When the path is malformed, leads outside, goes through a file, or a root is gone.
    pub fn resolve(&self, path: &str) -> Result<Located, PathError> {
        let asked = parse(path)?;
        for root in self.all() {
            root.check()?;
        }
        if let Some(located) = without_links(self, &asked) {
            return Ok(located);
        }
        let at = self.working.to_path_buf();
        let mut walk = Walk { roots: self, asked: path, at, next: Vec::new(), link: None };
        walk.push(&asked);
        walk.run()
    }
}

/// The answer where `path` is plain: nothing but names, and no link on the way. One system call,
/// which is what most paths take.
fn without_links(roots: &Roots, path: &Path) -> Option<Located> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir | Component::RootDir));
    let absolute: PathBuf = roots.working.join(path).components().collect();
    let root = roots.holding(&absolute).filter(|_| plain)?;
    let relative = absolute.strip_prefix(root.path()).ok()?;
    let nearest = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
    #[cfg(target_os = "linux")]
    {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let confined =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(root.dir(), nearest, flags, Mode::empty(), confined).ok()?;
        Some(Located::new(roots, root, relative, None))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// A path on the way: what is behind is absolute and goes through no link, the rest is names.
struct Walk<'a> {
    roots: &'a Roots,
    asked: &'a str,
    at: PathBuf,
    /// What is still ahead, the next one last.
    next: Vec<OsString>,
    link: Option<Link>,
}

/// The last link that was followed.
struct Link {
    at: PathBuf,
    target: PathBuf,
    followed: usize,
}

/// What stands at a name.
enum NodeKind {
    Link(PathBuf),
    Folder,
    File,
    Nothing,
}

impl Walk<'_> {
    fn run(mut self) -> Result<Located, PathError> {
        while let Some(name) = self.next.pop() {
            if name == ".." {
                self.at.pop();
                continue;
            }
            let next = self.at.join(&name);
            // What is not in a root is not looked at: only names can lead back into one.
            let Some(root) = self.roots.holding(&self.at) else {
                self.at = next;
                continue;
            };
            match self.look(root, &next)? {
                NodeKind::Link(target) => self.follow(next, target)?,
                NodeKind::File if !self.next.is_empty() => {
                    let part = self.shown(&next);
                    return Err(PathError::NotAFolder { path: self.quoted(), part });
                }
                NodeKind::Folder | NodeKind::File | NodeKind::Nothing => self.at = next,
            }
        }
        let Some(root) = self.roots.holding(&self.at) else { return Err(self.outside()) };
        let relative = self.at.strip_prefix(root.path()).map_err(|_| self.outside())?;
        let link = self.link.as_ref().map(|link| self.shown(&link.at));
        Ok(Located::new(self.roots, root, relative, link))
    }

    fn look(&self, root: &Arc<Root>, next: &Path) -> Result<NodeKind, PathError> {
        let relative = next.strip_prefix(root.path()).map_err(|_| self.outside())?;
        let failed = |error: std::io::Error| PathError::of(&self.shown(next), error);
        let found = match root.dir().symlink_metadata(relative) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(NodeKind::Nothing);
            }
            Err(error) => return Err(failed(error)),
        };
        if found.is_symlink() {
            return root.dir().read_link_contents(relative).map(NodeKind::Link).map_err(failed);
        }
        Ok(if found.is_dir() { NodeKind::Folder } else { NodeKind::File })
    }

    fn follow(&mut self, at: PathBuf, target: PathBuf) -> Result<(), PathError> {
        let followed = self.link.as_ref().map_or(0, |link| link.followed) + 1;
        if followed > LINKS_MAX {
            return Err(PathError::Links { path: self.quoted(), limit: LINKS_MAX });
        }
        self.push(&target);
        self.link = Some(Link { at, target, followed });
        Ok(())
    }

    /// Puts `path` in front of what is ahead; an absolute one starts anew.
    fn push(&mut self, path: &Path) {
        let mut path = path.to_owned();
        if path.is_absolute() {
            // A root may have been given by a path with links.
            let under = |root: &Arc<Root>| {
                path.strip_prefix(&root.given)
                    .ok()
                    .map(|rest| (root.path().to_owned(), rest.to_owned()))
            };
            if let Some((root, rest)) = self.roots.all().find_map(under) {
                self.at = root;
                path = rest;
            } else {
                self.at = PathBuf::from("/");
            }
        }
        let names = path
            .components()
            .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        let names: Vec<_> = names.map(|part| part.as_os_str().to_owned()).collect();
        self.next.extend(names.into_iter().rev());
    }

    fn outside(&self) -> PathError {
        let path = self.quoted();
        match &self.link {
            Some(link) => PathError::LinkOutside {
                path,
                link: self.shown(&link.at),
                target: quoted(&link.target.to_string_lossy()),
            },
            None => PathError::Outside { path, roots: self.roots.named() },
        }
    }

    fn quoted(&self) -> String {
        quoted(self.asked)
    }

    fn shown(&self, absolute: &Path) -> String {
        quoted(&self.roots.display_path(absolute))
    }
}
