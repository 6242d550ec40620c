//! Mounts of a process of its own that keep it, and all that it starts, from writing.

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

use super::order::NoMounts;
use super::table::{Mount, mounts};
use crate::sandbox::parts::{Parts, Writing};
use crate::sandbox::places::Place;

/// A step that failed, and why.
type Failed = (&'static str, io::Error);

/// Whether another process may do better, by what the system said.
pub(super) fn failed((step, error): Failed) -> NoMounts {
    let refusals = [Errno::PERM, Errno::NOSYS].map(|refusal| Some(refusal.raw_os_error()));
    NoMounts { why: format!("{step}: {error}"), lasts: refusals.contains(&error.raw_os_error()) }
}

/// That no link is followed in a mount (`statfs.h` of the kernel).
const ST_NOSYMFOLLOW: u64 = 0x2000;

/// What is made a mount of its own, by its path, and whether it may be written: a mount cannot be
/// renamed or removed. `None`: it is as what it lies in.
type Points = BTreeMap<PathBuf, Option<Writing>>;

/// Gives this process, which has one thread, mounts of its own, in which `parts` of `places`
/// cannot be written. It is in no Landlock sandbox: that allows no mounts.
///
/// # Errors
/// Why it cannot. What was done before is not undone.
pub(super) fn make(places: &[Arc<Place>], parts: &Parts) -> Result<(), NoMounts> {
    let directory = env::current_dir().ok();
    // Who cannot enter one never can.
    enter_name_spaces().map_err(|step| NoMounts { lasts: true, ..failed(step) })?;
    mount(places, parts, directory).map_err(failed)
}

fn mount(places: &[Arc<Place>], parts: &Parts, directory: Option<PathBuf>) -> Result<(), Failed> {
    let at = |step: &'static str| move |error| (step, error);
    let points = points(places, parts)?;
    for path in points.keys() {
        bind(path).map_err(at("mounting"))?;
    }
    let table = mounts().map_err(at("reading the mounts"))?;
    for mount in table.iter().filter(|mount| is_forbidden(&points, &mount.point)) {
        make_read_only(&mount.point).map_err(at("mounting read-only"))?;
    }
    hold_elsewhere(&points, &table).map_err(at("mounting read-only elsewhere"))?;
    // The process stands where it stood, which may be below what was mounted since.
    if let Some(directory) = directory {
        stand_in(&directory).map_err(at("finding the folder to start in"))?;
    }
    Ok(())
}

/// Mounts of this process reach nobody else from here on. Who is not root gets them by being
/// alone in a user name space, in which it is called what it is.
fn enter_name_spaces() -> Result<(), Failed> {
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
    // What others mount still comes here.
    let alone = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", alone).map_err(|error| ("parting the mounts", error.into()))
}

/// What is to be made a mount.
fn points(places: &[Arc<Place>], parts: &Parts) -> Result<Points, Failed> {
    let lost = |error| ("finding a folder again", error);
    let mut now = Vec::new();
    for place in places.iter().filter(|place| place.is_folder) {
        now.push((place, place.path_now().map_err(lost)?));
    }
    let mut points = Points::new();
    for (place, path) in &now {
        let mut found = Vec::new();
        for (part, writing) in parts.below(&place.real) {
            let below = part.strip_prefix(&place.real).unwrap_or(part);
            let path = path.join(below);
            // What is not there, or is a link, cannot be held.
            if Place::if_there(Place::without_links(&path)).map_err(lost)?.is_some() {
                found.push((path, writing));
            }
        }
        if !found.iter().any(|(_, writing)| writing.is_forbidden()) {
            continue;
        }
        let again = Place::without_links(path).map_err(lost)?;
        if again.identity().map_err(lost)? != place.identity().map_err(lost)? {
            return Err(lost(io::ErrorKind::NotFound.into()));
        }
        // Whoever may write a folder around this one could put another in its place.
        let outermost = now.iter().map(|(_, other)| other.as_path());
        let outermost = outermost.filter(|other| path.starts_with(other)).min();
        let outermost = outermost.unwrap_or(path);
        for (path, writing) in found {
            if writing == Writing::Forbidden {
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

/// Whether what is said of the nearest point that `path` is in forbids it.
fn is_forbidden(points: &Points, path: &Path) -> bool {
    let said = path.ancestors().find_map(|folder| points.get(folder).copied().flatten());
    said.is_some_and(Writing::is_forbidden)
}

/// Makes what is at `path` a mount of itself, with the mounts in it.
fn bind(path: &Path) -> io::Result<()> {
    let place = Place::without_links(path)?;
    let name = place.name_here();
    Ok(mount_bind_recursive(&name, &name)?)
}

/// Makes the mount at `path` one that is not written, and leaves all else of it as it is: in a
/// user name space what it is may not be changed.
fn make_read_only(path: &Path) -> io::Result<()> {
    let mount = Place::without_links(path)?;
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
    Ok(mount_remount(mount.name_here(), flags, "")?)
}

/// The same for other mounts that show what is forbidden: the right to write follows the folder,
/// whichever way leads there.
fn hold_elsewhere(points: &Points, table: &[Mount]) -> io::Result<()> {
    let forbidden = points.iter().filter(|(_, said)| said.is_some_and(Writing::is_forbidden));
    for (path, _) in forbidden {
        let Some(held) = table.iter().rfind(|mount| mount.point == *path) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        // Where we may not look, nothing that we start gets.
        let reached = |path: &Path| match Place::without_links(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            looked_up => Place::if_there(looked_up),
        };
        let is_same =
            |mount: &&Mount| mount.device == held.device && !mount.point.starts_with(path);
        for other in table.iter().filter(is_same) {
            if other.shows.starts_with(&held.shows)
                && !points.contains_key(&other.point)
                && reached(&other.point)?.is_some()
            {
                make_read_only(&other.point)?;
            }
            let Ok(below) = held.shows.strip_prefix(&other.shows) else { continue };
            let elsewhere = other.point.join(below);
            if elsewhere.ancestors().any(|folder| folder == path) {
                continue;
            }
            let Some(place) = reached(&elsewhere)? else { continue };
            if place.identity()? == Place::without_links(path)?.identity()? {
                bind(&elsewhere)?;
                make_read_only(&elsewhere)?;
            }
        }
    }
    Ok(())
}

/// Stands in the folder of that name, which is the one that this process stands in.
fn stand_in(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let here = fs::metadata(".")?;
    let place = Place::without_links(directory)?;
    if place.identity()? != (here.dev(), here.ino()) {
        return Err(io::ErrorKind::NotFound.into());
    }
    env::set_current_dir(place.name_here())
}
