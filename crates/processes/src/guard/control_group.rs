//! A control group of a command's own: the kernel's list of all that came of it, which holds also
//! when the guard was killed. Needs version 2 of control groups, below one that is this process's
//! to divide.
//!
//! Files and rules: `Documentation/admin-guide/cgroup-v2.rst` of the kernel ("Delegation",
//! "Core Interface Files").

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::listed::descendants;

/// Folders of ours begin so; the number of the process that made them follows, and a counter.
const PREFIX: &str = "foveal-";

/// How long a group may take to be empty when all in it was killed.
const EMPTY_WAIT: Duration = Duration::from_millis(100);

/// How often is looked whether it is.
const TICK: Duration = Duration::from_millis(1);

/// One control group. Its folder is removed with it, unless somebody is in it.
#[derive(Debug)]
pub(crate) struct ControlGroup {
    folder: PathBuf,
}

impl ControlGroup {
    /// Puts a guard, and what it has started, in a group of their own; `None` where this process
    /// may make none.
    pub(super) fn around(guard: Pid) -> Option<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{made}", std::process::id());
        let folder = own_group()?.join(name);
        fs::create_dir(&folder).ok()?;
        let group = Self { folder };
        group.take_in(guard).ok()?;
        // What it starts from here on is in the group by itself.
        for process in descendants(guard) {
            // Who ended meanwhile is in no group.
            let _ = group.take_in(process.id);
        }
        Some(group)
    }

    fn take_in(&self, process: Pid) -> io::Result<()> {
        fs::write(self.folder.join("cgroup.procs"), process.as_raw_nonzero().to_string())
    }

    /// The processes in it, by their numbers here.
    pub(super) fn members(&self) -> Vec<Pid> {
        let listed = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
        listed.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)).collect()
    }

    /// Kills all that is in it at once (Linux 5.14 and later).
    pub(super) fn kill(&self) {
        // On an older kernel there is no such file, and none is made.
        let _ = fs::OpenOptions::new()
            .write(true)
            .open(self.folder.join("cgroup.kill"))
            .and_then(|mut file| io::Write::write_all(&mut file, b"1"));
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let begun = Instant::now();
        // Who was killed is in it until it has ended.
        while fs::remove_dir(&self.folder).is_err_and(|error| is_busy(&error))
            && begun.elapsed() < EMPTY_WAIT
        {
            std::thread::sleep(TICK);
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ResourceBusy
}

/// Whether commands get control groups of their own here.
pub fn has_control_groups() -> bool {
    own_group().is_some()
}

/// The folder of the control group of this process, if it may make others in it.
fn own_group() -> Option<&'static Path> {
    static OWN: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let folder = folder_of(&groups, &mounts)?;
        if !is_divided_by_us(&folder) || !can_divide(&folder) {
            return None;
        }
        remove_left(&folder);
        Some(folder)
    };
    OWN.get_or_init(find).as_deref()
}

/// The folder of the group that `groups` (`/proc/self/cgroup`) names, in one of `mounts`
/// (`/proc/self/mountinfo`).
fn folder_of(groups: &str, mounts: &str) -> Option<PathBuf> {
    let group = Path::new(groups.lines().find_map(|line| line.strip_prefix("0::"))?);
    // So does the kernel spell a group outside of what this process sees.
    let is_seen = !group.iter().any(|part| part == "..");
    let folder = |mount: &str| {
        let (place, kind) = mount.split_once(" - ")?;
        // Number, parent, device, root, point; a blank in a name is spelled `\040`.
        let mut fields = place.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let is_version_2 = kind.split(' ').next() == Some("cgroup2");
        let is_plain = !root.contains('\\') && !point.contains('\\');
        let below = group.strip_prefix(root).ok()?;
        (is_version_2 && is_plain).then(|| Path::new(point).join(below))
    };
    is_seen.then(|| mounts.lines().find_map(folder)).flatten()
}

/// Whether nobody else has the group for theirs. Whom the files do not belong to is refused by the
/// system; root is not, and where systemd runs, it divides what it was not told to leave.
fn is_divided_by_us(folder: &Path) -> bool {
    if !rustix::process::geteuid().is_root() || !Path::new("/run/systemd/system").exists() {
        return true;
    }
    ["trusted.delegate", "user.delegate"].iter().any(|name| {
        let mut value = [0_u8; 8];
        matches!(rustix::fs::getxattr(folder, *name, &mut value), Ok(1)) && value[0] == b'1'
    })
}

/// Whether a group can be made in it.
fn can_divide(folder: &Path) -> bool {
    let probe = folder.join(format!("{PREFIX}{}-probe", std::process::id()));
    fs::create_dir(&probe).is_ok() && {
        let is_group = probe.join("cgroup.procs").exists();
        fs::remove_dir(&probe).is_ok() && is_group
    }
}

/// Removes the empty groups of programs that were killed.
fn remove_left(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        let has_ended = |maker: &str| !Path::new("/proc").join(maker).exists();
        if maker.is_some_and(|(maker, _)| maker.parse::<u32>().is_ok() && has_ended(maker)) {
            // One that somebody is in stays.
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
        let found = |groups: &str, mounts: &str| folder_of(groups, mounts);
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
