//! A control group for each command: the kernel's list of all its descendants, which survives the
//! guard. Requires cgroup version 2, and a group that is delegated to this process.
//!
//! Files and rules: `Documentation/admin-guide/cgroup-v2.rst` of the kernel ("Delegation", "Core
//! Interface Files").

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::process_table::descendants;

/// Prefix of our group folders; the id of the creating process and a counter follow.
const PREFIX: &str = "foveal-";

/// How long a group may take to become empty after all its processes were killed.
const EMPTY_TIMEOUT: Duration = Duration::from_millis(100);

/// How often to check whether it is empty.
const EMPTY_CHECK_INTERVAL: Duration = Duration::from_millis(1);

/// A control group. Dropping it removes its folder unless it has members.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    folder: PathBuf,
}

impl ControlGroup {
    /// Moves a guard and its descendants to a new control group; `None` if this process may create
    /// none.
    pub(super) fn with_guard(guard: Pid) -> Option<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{made}", std::process::id());
        let folder = own_group_folder()?.join(name);
        fs::create_dir(&folder).ok()?;
        let group = Self { folder };
        group.add_process(guard).ok()?;
        // Processes that the guard starts from now on join the group by themselves.
        for process in descendants(guard) {
            // A process that has ended meanwhile needs no group.
            let _ = group.add_process(process.id);
        }
        Some(group)
    }

    fn add_process(&self, process: Pid) -> io::Result<()> {
        fs::write(self.folder.join("cgroup.procs"), process.as_raw_nonzero().to_string())
    }

    /// Returns the ids of its processes.
    pub(super) fn members(&self) -> Vec<Pid> {
        let listed = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        listed.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)).collect()
    }

    /// Kills all its processes at once (Linux 5.14 and later).
    pub(super) fn kill(&self) {
        // An older kernel has no such file, and none is created.
        let _ = fs::OpenOptions::new()
            .write(true)
            .open(self.folder.join("cgroup.kill"))
            .and_then(|mut file| io::Write::write_all(&mut file, b"1"));
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let begun = Instant::now();
        // A killed process stays a member until it has ended.
        while fs::remove_dir(&self.folder).is_err_and(|error| is_busy(&error))
            && begun.elapsed() < EMPTY_TIMEOUT
        {
            std::thread::sleep(EMPTY_CHECK_INTERVAL);
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ResourceBusy
}

/// Returns whether commands get control groups of their own on this system.
pub fn has_control_groups() -> bool {
    own_group_folder().is_some()
}

/// Returns the folder of this process's control group, if it may create groups in it.
fn own_group_folder() -> Option<&'static Path> {
    static OWN: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let folder = group_folder(&groups, &mounts)?;
        if !is_delegated(&folder) || !can_create_group(&folder) {
            return None;
        }
        remove_stale_groups(&folder);
        Some(folder)
    };
    OWN.get_or_init(find).as_deref()
}

/// Returns the folder of the group that `groups` (`/proc/self/cgroup`) names, by `mounts`
/// (`/proc/self/mountinfo`).
fn group_folder(groups: &str, mounts: &str) -> Option<PathBuf> {
    let group = Path::new(groups.lines().find_map(|line| line.strip_prefix("0::"))?);
    // The kernel spells a group outside of the cgroup namespace so.
    let is_seen = !group.iter().any(|part| part == "..");
    let folder = |mount: &str| {
        let (place, kind) = mount.split_once(" - ")?;
        // Number, parent, device, root, mount point; a blank in a name is written `\040`.
        let mut fields = place.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let is_version_2 = kind.split(' ').next() == Some("cgroup2");
        let is_plain = !root.contains('\\') && !point.contains('\\');
        let below = group.strip_prefix(root).ok()?;
        (is_version_2 && is_plain).then(|| Path::new(point).join(below))
    };
    is_seen.then(|| mounts.lines().find_map(folder)).flatten()
}

/// Returns whether the group is delegated to us. The system refuses users that do not own the
/// files; root is not refused, and systemd manages every group that is not marked as delegated.
fn is_delegated(folder: &Path) -> bool {
    if !rustix::process::geteuid().is_root() || !Path::new("/run/systemd/system").exists() {
        return true;
    }
    ["trusted.delegate", "user.delegate"].iter().any(|name| {
        let mut value = [0_u8; 8];
        matches!(rustix::fs::getxattr(folder, *name, &mut value), Ok(1)) && value[0] == b'1'
    })
}

/// Returns whether a group can be created in it.
fn can_create_group(folder: &Path) -> bool {
    let probe = folder.join(format!("{PREFIX}{}-probe", std::process::id()));
    fs::create_dir(&probe).is_ok() && {
        let is_group = probe.join("cgroup.procs").exists();
        fs::remove_dir(&probe).is_ok() && is_group
    }
}

/// Removes the empty groups of programs that were killed.
fn remove_stale_groups(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        let has_ended = |maker: &str| !Path::new("/proc").join(maker).exists();
        if maker.is_some_and(|(maker, _)| maker.parse::<u32>().is_ok() && has_ended(maker)) {
            // A group with members cannot be removed.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - tmpfs tmpfs rw,mode=755
30 29 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
31 29 0:28 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
";

    #[test]
    fn the_group_is_found_where_it_is_mounted() {
        let found = |groups: &str, mounts: &str| group_folder(groups, mounts);
        let user = "4:memory:/else\n0::/user.slice/user-1000.slice/app.scope\n";
        assert_eq!(
            found(user, MOUNTS),
            Some("/sys/fs/cgroup/unified/user.slice/user-1000.slice/app.scope".into())
        );
        assert_eq!(found("0::/\n", MOUNTS), Some("/sys/fs/cgroup/unified/".into()));
        let part = MOUNTS.replace("0:28 / ", "0:28 /user.slice ");
        assert_eq!(
            found(user, &part),
            Some("/sys/fs/cgroup/unified/user-1000.slice/app.scope".into())
        );
        for (groups, mounts) in [
            ("4:memory:/else\n", MOUNTS),
            ("0::/../other\n", MOUNTS),
            ("0::/system.slice\n", &part),
            (user, "30 29 0:27 / /sys/fs/cgroup rw - cgroup cgroup rw\n"),
            (user, ""),
        ] {
            assert_eq!(found(groups, mounts), None, "{groups} {mounts}");
        }
    }
}
