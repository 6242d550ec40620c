//! Sets up a mount namespace in which forbidden parts are read-only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs, io};

use rustix::fs::{StatVfsMountFlags, fstatvfs};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount_bind_recursive, mount_change, mount_remount,
};
use rustix::thread::UnshareFlags;

use super::confinement_order::MountFailure;
use super::mount_table::{MountEntry, read_mounts};
use crate::sandbox::path_handle::PathHandle;
use crate::sandbox::write_rules::{WriteRule, WriteRules};

/// A step that failed, and the error.
type MountStepError = (&'static str, io::Error);

/// Converts a failed step. Refusals of the system are permanent; after other errors another process
/// may succeed.
pub(super) fn mount_failure((step, error): MountStepError) -> MountFailure {
    let refusals = [Errno::PERM, Errno::NOSYS].map(|refusal| Some(refusal.raw_os_error()));
    MountFailure {
        why: format!("{step}: {error}"),
        is_permanent: refusals.contains(&error.raw_os_error()),
    }
}

/// The flag of mounts in which no link is followed (`statfs.h` of the kernel).
const ST_NOSYMFOLLOW: u64 = 0x2000;

/// Paths to make mounts of their own, since a mount point cannot be renamed or removed, with their
/// write rules. `None`: the rule of the enclosing path applies.
type MountPoints = BTreeMap<PathBuf, Option<WriteRule>>;

/// Moves this single-threaded process to a mount namespace in which forbidden `parts` of `places`
/// are read-only. It must not be in a Landlock sandbox, which forbids mounting.
///
/// # Errors
/// The failed step. Earlier steps are not undone.
pub(super) fn set_up_mounts(
    places: &[Arc<PathHandle>],
    parts: &WriteRules,
) -> Result<(), MountFailure> {
    let directory = env::current_dir().ok();
    // A process that may not create namespaces now never may.
    enter_namespaces()
        .map_err(|step| MountFailure { is_permanent: true, ..mount_failure(step) })?;
    mount_forbidden_parts(places, parts, directory).map_err(mount_failure)
}

fn mount_forbidden_parts(
    places: &[Arc<PathHandle>],
    parts: &WriteRules,
    directory: Option<PathBuf>,
) -> Result<(), MountStepError> {
    let at = |step: &'static str| move |error| (step, error);
    let points = mount_points(places, parts)?;
    for path in points.keys() {
        bind_mount_to_itself(path).map_err(at("mounting"))?;
    }
    let table = read_mounts().map_err(at("reading the mounts"))?;
    for mount in table.iter().filter(|mount| is_forbidden(&points, &mount.mount_point)) {
        remount_read_only(&mount.mount_point).map_err(at("mounting read-only"))?;
    }
    protect_other_mounts(&points, &table).map_err(at("mounting read-only elsewhere"))?;
    // The working directory may lie below a path that has been mounted since.
    if let Some(directory) = directory {
        reenter_directory(&directory).map_err(at("finding the folder to start in"))?;
    }
    Ok(())
}

/// Enters a mount namespace. A user other than root needs a user namespace for it, in which user
/// and group keep their ids.
fn enter_namespaces() -> Result<(), MountStepError> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let own = match user.is_root() {
        true => UnshareFlags::NEWNS,
        false => UnshareFlags::NEWNS | UnshareFlags::NEWUSER,
    };
    #[expect(deprecated, reason = "it is unsafe for open files alone, which stay shared here")]
    rustix::thread::unshare(own).map_err(|error| ("unshare", error.into()))?;
    if !user.is_root() {
        let map = |id: u32| format!("{id} {id} 1\n");
        let told = |file: &str, text: &str| {
            fs::write(format!("/proc/self/{file}"), text).map_err(|error| ("naming users", error))
        };
        told("setgroups", "deny")?;
        told("uid_map", &map(user.as_raw()))?;
        told("gid_map", &map(group.as_raw()))?;
    }
    // Mounts of other processes still propagate to this namespace.
    let alone = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", alone).map_err(|error| ("parting the mounts", error.into()))
}

/// Returns the paths to make mounts of their own.
fn mount_points(
    places: &[Arc<PathHandle>],
    parts: &WriteRules,
) -> Result<MountPoints, MountStepError> {
    let lost = |error| ("finding a folder again", error);
    let mut now = Vec::new();
    for place in places.iter().filter(|place| place.is_folder) {
        now.push((place, place.current_path().map_err(lost)?));
    }
    let mut points = MountPoints::new();
    for (place, path) in &now {
        let mut found = Vec::new();
        for (part, writing) in parts.rules_below(&place.original_path) {
            let below = part.strip_prefix(&place.original_path).unwrap_or(part);
            let path = path.join(below);
            // Missing paths and links cannot be mounted.
            if PathHandle::if_exists(PathHandle::open_without_links(&path)).map_err(lost)?.is_some()
            {
                found.push((path, writing));
            }
        }
        if !found.iter().any(|(_, writing)| writing.is_forbidden()) {
            continue;
        }
        let again = PathHandle::open_without_links(path).map_err(lost)?;
        if again.identity().map_err(lost)? != place.identity().map_err(lost)? {
            return Err(lost(io::ErrorKind::NotFound.into()));
        }
        // A process that may write a folder above this one could replace it.
        let outermost = now.iter().map(|(_, other)| other.as_path());
        let outermost = outermost.filter(|other| path.starts_with(other)).min();
        let outermost = outermost.unwrap_or(path);
        for (path, writing) in found {
            if writing == WriteRule::Forbidden {
                let way = path.ancestors().skip(1);
                for folder in way.take_while(|folder| *folder != outermost) {
                    points.entry(folder.to_owned()).or_default();
                }
            }
            points.insert(path, Some(writing));
        }
    }
    Ok(points)
}

/// Returns whether the nearest mount point at or above `path` is forbidden.
fn is_forbidden(points: &MountPoints, path: &Path) -> bool {
    let said = path.ancestors().find_map(|folder| points.get(folder).copied().flatten());
    said.is_some_and(WriteRule::is_forbidden)
}

/// Bind-mounts `path` to itself, with the mounts below it.
fn bind_mount_to_itself(path: &Path) -> io::Result<()> {
    let place = PathHandle::open_without_links(path)?;
    let name = place.proc_path();
    Ok(mount_bind_recursive(&name, &name)?)
}

/// Makes the mount at `path` read-only and keeps its other flags, which may not be changed in a
/// user namespace.
fn remount_read_only(path: &Path) -> io::Result<()> {
    let mount = PathHandle::open_without_links(path)?;
    let is = fstatvfs(&mount)?.f_flag;
    if is.contains(StatVfsMountFlags::RDONLY) {
        return Ok(());
    }
    let kept = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
        (StatVfsMountFlags::from_bits_retain(ST_NOSYMFOLLOW), MountFlags::NOSYMFOLLOW),
    ];
    let kept = kept.into_iter().filter(|(flag, _)| is.contains(*flag)).map(|(_, flag)| flag);
    let flags = kept.fold(MountFlags::BIND | MountFlags::RDONLY, |all, flag| all | flag);
    Ok(mount_remount(mount.proc_path(), flags, "")?)
}

/// Protects other mounts that show the forbidden paths too: write access belongs to the path, not
/// to the folder behind it.
fn protect_other_mounts(points: &MountPoints, table: &[MountEntry]) -> io::Result<()> {
    let forbidden = points.iter().filter(|(_, said)| said.is_some_and(WriteRule::is_forbidden));
    for (path, _) in forbidden {
        let Some(held) = table.iter().rfind(|mount| mount.mount_point == *path) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        // A path that this process may not access is not accessible to its descendants either.
        let reached = |path: &Path| match PathHandle::open_without_links(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            looked_up => PathHandle::if_exists(looked_up),
        };
        let is_same = |mount: &&MountEntry| {
            mount.device == held.device && !mount.mount_point.starts_with(path)
        };
        for other in table.iter().filter(is_same) {
            if other.file_system_path.starts_with(&held.file_system_path)
                && !points.contains_key(&other.mount_point)
                && reached(&other.mount_point)?.is_some()
            {
                remount_read_only(&other.mount_point)?;
            }
            let Ok(below) = held.file_system_path.strip_prefix(&other.file_system_path) else {
                continue;
            };
            let elsewhere = other.mount_point.join(below);
            if elsewhere.ancestors().any(|folder| folder == path) {
                continue;
            }
            let Some(place) = reached(&elsewhere)? else { continue };
            if place.identity()? == PathHandle::open_without_links(path)?.identity()? {
                bind_mount_to_itself(&elsewhere)?;
                remount_read_only(&elsewhere)?;
            }
        }
    }
    Ok(())
}

/// Changes to the folder `directory`, which must be the current one.
fn reenter_directory(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let here = fs::metadata(".")?;
    let place = PathHandle::open_without_links(directory)?;
    if place.identity()? != (here.dev(), here.ino()) {
        return Err(io::ErrorKind::NotFound.into());
    }
    env::set_current_dir(place.proc_path())
}
