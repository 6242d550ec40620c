//! Processes as the system lists them in `/proc`.

use rustix::process::Pid;

/// A process that runs: one that has ended and only waits to be collected does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed {
    pub(crate) id: Pid,
    /// The number of its group.
    pub(crate) group: i32,
    /// The number of its session. Asked of `/proc` and not of `getsid`: processes of the kernel
    /// are in session 0, which is no process.
    pub(crate) session: i32,
}

/// All processes that run; `None` where the system does not list them.
pub(crate) fn running() -> Option<Vec<Listed>> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let listed: Vec<Listed> = ids.filter_map(Pid::from_raw).filter_map(read).collect();
    // Where `/proc` is something else, not even this process is in it.
    (!listed.is_empty()).then_some(listed)
}

fn read(id: Pid) -> Option<Listed> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
    // After the name in brackets, which may hold anything: state, parent, group, session.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').take(4).collect();
    let [state, _, group, session] = fields[..] else { return None };
    let (group, session) = (group.parse().ok()?, session.parse().ok()?);
    (!matches!(state, "Z" | "X")).then_some(Listed { id, group, session })
}
