//! bubblewrap, the program that gives a command mounts and processes of its own.
//!
//! All is mounted read-only but the writable folders, and read-only again what is forbidden in
//! these. The folders are the ones that are held open, not what their paths lead to by now: they are
//! mounted from inherited descriptors (`/proc/self/fd`). A mount point cannot be renamed or removed
//! in there, so the folders above a forbidden part are mount points too.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::landlock_rules::SandboxRules;
use super::path_handle::PathHandle;
use super::write_rules::WriteRule;
use crate::error::{BubblewrapError, CommandError};
use crate::inherited_files::InheritedFiles;

/// Where it is looked for: not in `PATH`, whose folders a command may be able to write.
const PROGRAM_PATHS: [&str; 4] =
    ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// The arguments that all calls share.
const COMMON_ARGUMENTS: [&str; 3] = ["--unshare-pid", "--as-pid-1", "--die-with-parent"];

/// Devices and processes, which are mounted over the root.
const SYSTEM_MOUNTS: [&str; 5] = ["--dev-bind", "/dev", "/dev", "--proc", "/proc"];

/// The folder of ssh's settings for the whole machine, from which it includes files. It refuses those
/// that do not belong to root or to the user, and in the user's namespace root's files belong to
/// `nobody`. So each connection would fail.
const SSH_INCLUDE_FOLDER: &str = "/etc/ssh/ssh_config.d";

/// An installed bubblewrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bubblewrap(&'static str);

/// The arguments that mount a command's file system.
pub(crate) struct MountArguments {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) has_forbidden_parts: bool,
}

/// Open folders and files by the path at which to mount them, and whether they are writable there.
type MountPoints = BTreeMap<PathBuf, (OwnedFd, bool)>;

impl Bubblewrap {
    /// Finds the program.
    pub(crate) fn find() -> Option<Self> {
        PROGRAM_PATHS.into_iter().find(|path| Path::new(path).is_file()).map(Self)
    }

    pub(crate) fn path(self) -> &'static Path {
        Path::new(self.0)
    }

    /// Returns the arguments for a command under `rules`; without rules it writes everywhere.
    ///
    /// # Errors
    /// If a folder or a forbidden part cannot be looked up.
    pub(crate) fn mounts(
        self,
        rules: Option<&SandboxRules>,
        files: &mut InheritedFiles,
    ) -> Result<MountArguments, CommandError> {
        let mut points = rules.map(mount_points).transpose().map_err(|error| {
            CommandError::Unconfined(format!(
                "the paths that it may not write cannot be checked: {error}"
            ))
        })?;
        let root = points.as_mut().and_then(|points| points.remove(Path::new("/")));
        let is_root_writable = points.is_none() || root.is_some_and(|(_, is_writable)| is_writable);
        let root = if is_root_writable { "--bind" } else { "--ro-bind" };
        let mut arguments: Vec<OsString> = COMMON_ARGUMENTS.map(Into::into).into();
        arguments.extend([root, "/", "/"].map(Into::into));
        arguments.extend(SYSTEM_MOUNTS.map(Into::into));
        if !rustix::process::geteuid().is_root() && Path::new(SSH_INCLUDE_FOLDER).is_dir() {
            arguments.extend(["--tmpfs", SSH_INCLUDE_FOLDER].map(Into::into));
        }
        let mut has_forbidden_parts = false;
        for (path, (file, is_writable)) in points.into_iter().flatten() {
            has_forbidden_parts |= !is_writable;
            let mount = if is_writable { "--bind" } else { "--ro-bind" };
            arguments.extend([mount.into(), files.add(file).into(), path.into_os_string()]);
        }
        Ok(MountArguments { arguments, has_forbidden_parts })
    }
}

/// Checks that bubblewrap can confine commands here.
///
/// # Errors
/// If it cannot.
pub fn check_bubblewrap() -> Result<(), BubblewrapError> {
    let bubblewrap = Bubblewrap::find().ok_or(BubblewrapError::NotInstalled)?;
    let ran = Command::new(bubblewrap.path())
        .args(COMMON_ARGUMENTS)
        .args(["--ro-bind", "/", "/"])
        .args(SYSTEM_MOUNTS)
        .args(["--", "true"])
        .stdin(Stdio::null())
        .output()?;
    match ran.status.success() {
        true => Ok(()),
        false => {
            Err(BubblewrapError::Failed(String::from_utf8_lossy(&ran.stderr).trim().to_owned()))
        }
    }
}

fn mount_points(rules: &SandboxRules) -> io::Result<MountPoints> {
    let mut points = MountPoints::new();
    for place in &rules.writable {
        let path = place.current_path()?;
        let now = PathHandle::if_exists(PathHandle::open_without_links(&path))?;
        if now.map(|now| now.identity()).transpose()? != Some(place.identity()?) {
            // It was removed, or lies outside of what this process sees.
            continue;
        }
        if !rules.write_rules.forbids(&place.original_path) {
            points.insert(path.clone(), (place.try_clone_descriptor()?, true));
        }
        for (part, rule) in rules.write_rules.rules_below(&place.original_path) {
            add_part(&mut points, rules, PartOfPlace { place, path: &path, part, rule })?;
        }
    }
    Ok(points)
}

/// A part of a writable folder to which a rule applies.
struct PartOfPlace<'a> {
    place: &'a PathHandle,
    /// The folder's path now.
    path: &'a Path,
    /// The part's path when the folder was opened.
    part: &'a Path,
    rule: WriteRule,
}

fn add_part(
    points: &mut MountPoints,
    rules: &SandboxRules,
    PartOfPlace { place, path, part, rule }: PartOfPlace<'_>,
) -> io::Result<()> {
    let is_allowed_anyway = part.parent().is_none_or(|parent| !rules.write_rules.forbids(parent));
    if !rule.is_forbidden() && is_allowed_anyway {
        return Ok(());
    }
    // Missing paths and links cannot be mounted.
    let Some(handle) = PathHandle::if_exists(place.open_below(part))? else { return Ok(()) };
    let below = part.strip_prefix(&place.original_path).unwrap_or(part);
    points.insert(path.join(below), (handle.into(), !rule.is_forbidden()));
    if rule != WriteRule::Forbidden {
        return Ok(());
    }
    for folder in below.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if let std::collections::btree_map::Entry::Vacant(entry) = points.entry(path.join(folder)) {
            let is_writable = !rules.write_rules.forbids(&place.original_path.join(folder));
            entry.insert((place.open_relative(folder)?.into(), is_writable));
        }
    }
    Ok(())
}
