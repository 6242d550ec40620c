//! Resolution of a requested path to a place below a root.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, ResolveFlags};

use super::error::PathError;
use super::path_syntax::{parse_path, quote_for_message};
use super::resolved_path::ResolvedPath;
use super::root::Root;
use super::workspace_roots::WorkspaceRoots;

/// Links followed per path, the limit of Linux.
const LINKS_MAX: usize = 40;

impl WorkspaceRoots {
    /// Returns these roots with another folder as the base of relative paths.
    ///
    /// # Errors
    ///
    /// Fails if `folder` is refused, missing or not a folder.
    pub fn with_working_directory(&self, folder: &str) -> Result<Self, PathError> {
        let located = self.resolve(folder)?;
        located.open_folder()?;
        Ok(Self { all: Arc::clone(&self.all), working: located.absolute_path().into() })
    }

    /// Resolves `path`, which may be absolute or relative to the working directory. `.`, `..` and
    /// symbolic links are followed as long as the path ends inside a root. The file itself may be
    /// missing; reading it then fails with a list of similar names.
    ///
    /// # Errors
    ///
    /// Fails if the path is malformed, leads outside, goes through a file, or if a root is gone.
    pub fn resolve(&self, path: &str) -> Result<ResolvedPath, PathError> {
        let asked = parse_path(path)?;
        for root in self.all() {
            root.check_in_place()?;
        }
        if let Some(located) = resolve_without_links(self, &asked) {
            return Ok(located);
        }
        let at = self.working.to_path_buf();
        let mut walk = PathWalk { roots: self, asked: path, at, remaining: Vec::new(), link: None };
        walk.prepend_path(&asked);
        walk.resolve()
    }
}

/// Resolves a `path` of plain names with no link on the way, in one system call. Most paths are of
/// this kind.
fn resolve_without_links(roots: &WorkspaceRoots, path: &Path) -> Option<ResolvedPath> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir | Component::RootDir));
    let absolute: PathBuf = roots.working.join(path).components().collect();
    let root = roots.containing_root(&absolute).filter(|_| plain)?;
    let relative = absolute.strip_prefix(root.path()).ok()?;
    let nearest = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
    #[cfg(target_os = "linux")]
    {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let confined =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(root.dir(), nearest, flags, Mode::empty(), confined).ok()?;
        Some(ResolvedPath::new(roots, root, relative, None))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The state of a resolution: `at` is absolute and free of links, `next` holds the remaining names.
struct PathWalk<'a> {
    roots: &'a WorkspaceRoots,
    asked: &'a str,
    at: PathBuf,
    /// The remaining names in reverse order.
    remaining: Vec<OsString>,
    link: Option<FollowedLink>,
}

/// The last link that was followed.
struct FollowedLink {
    at: PathBuf,
    target: PathBuf,
    followed: usize,
}

/// The kind of a path component.
enum NodeKind {
    Link(PathBuf),
    Folder,
    File,
    Missing,
}

impl PathWalk<'_> {
    fn resolve(mut self) -> Result<ResolvedPath, PathError> {
        while let Some(name) = self.remaining.pop() {
            if name == ".." {
                self.at.pop();
                continue;
            }
            let next = self.at.join(&name);
            // Names outside of the roots are not looked up; only `..` can lead back into one.
            let Some(root) = self.roots.containing_root(&self.at) else {
                self.at = next;
                continue;
            };
            match self.node_kind(root, &next)? {
                NodeKind::Link(target) => self.follow_link(next, target)?,
                NodeKind::File if !self.remaining.is_empty() => {
                    let part = self.display_path(&next);
                    return Err(PathError::NotAFolder { path: self.message_path(), part });
                }
                NodeKind::Folder | NodeKind::File | NodeKind::Missing => self.at = next,
            }
        }
        let Some(root) = self.roots.containing_root(&self.at) else {
            return Err(self.outside_error());
        };
        let relative = self.at.strip_prefix(root.path()).map_err(|_| self.outside_error())?;
        let link = self.link.as_ref().map(|link| self.display_path(&link.at));
        Ok(ResolvedPath::new(self.roots, root, relative, link))
    }

    fn node_kind(&self, root: &Arc<Root>, next: &Path) -> Result<NodeKind, PathError> {
        let relative = next.strip_prefix(root.path()).map_err(|_| self.outside_error())?;
        let failed = |error: std::io::Error| PathError::from_io(&self.display_path(next), error);
        let found = match root.dir().symlink_metadata(relative) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(NodeKind::Missing);
            }
            Err(error) => return Err(failed(error)),
        };
        if found.is_symlink() {
            return root.dir().read_link_contents(relative).map(NodeKind::Link).map_err(failed);
        }
        Ok(if found.is_dir() { NodeKind::Folder } else { NodeKind::File })
    }

    fn follow_link(&mut self, at: PathBuf, target: PathBuf) -> Result<(), PathError> {
        let followed = self.link.as_ref().map_or(0, |link| link.followed) + 1;
        if followed > LINKS_MAX {
            return Err(PathError::TooManyLinks { path: self.message_path(), limit: LINKS_MAX });
        }
        self.prepend_path(&target);
        self.link = Some(FollowedLink { at, target, followed });
        Ok(())
    }

    /// Prepends `path` to the remaining names; an absolute path restarts the resolution.
    fn prepend_path(&mut self, path: &Path) {
        let mut path = path.to_owned();
        if path.is_absolute() {
            // The path of a root may have been given through links.
            let under = |root: &Arc<Root>| {
                path.strip_prefix(&root.given_path)
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
        self.remaining.extend(names.into_iter().rev());
    }

    fn outside_error(&self) -> PathError {
        let path = self.message_path();
        match &self.link {
            Some(link) => PathError::LinkOutside {
                path,
                link: self.display_path(&link.at),
                target: quote_for_message(&link.target.to_string_lossy()),
            },
            None => PathError::Outside { path, roots: self.roots.format_roots() },
        }
    }

    fn message_path(&self) -> String {
        quote_for_message(self.asked)
    }

    fn display_path(&self, absolute: &Path) -> String {
        quote_for_message(&self.roots.display_path(absolute))
    }
}
