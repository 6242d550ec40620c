//! The running processes, as `/proc` lists them.

use rustix::process::{Pid, Signal};

/// A running process; a zombie does not count as running.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessEntry {
    pub(crate) id: Pid,
    /// The id of its parent; 0 for the first process.
    parent: i32,
    /// The id of its group.
    pub(crate) group: i32,
    /// The id of its session. Read from `/proc` and not by `getsid`, since kernel processes are in
    /// session 0, which is no process.
    pub(crate) session: i32,
}

/// Returns all running processes; `None` if the system does not list them.
pub(crate) fn running_processes() -> Option<Vec<ProcessEntry>> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let listed: Vec<ProcessEntry> =
        ids.filter_map(Pid::from_raw).filter_map(read_process).collect();
    // If `/proc` is something else, not even this process is in it.
    (!listed.is_empty()).then_some(listed)
}

/// Fields of `/proc/…/stat` after the name, up to the number of threads.
const STAT_FIELDS: usize = 18;

fn read_process(id: Pid) -> Option<ProcessEntry> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
    // The name in brackets may hold any character; state, parent, group, session and so on follow.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').take(STAT_FIELDS).collect();
    let [state, parent, group, session, .., threads] = fields[..] else { return None };
    let (parent, group, session) =
        (parent.parse().ok()?, group.parse().ok()?, session.parse().ok()?);
    // A process whose first thread has ended looks like a zombie while other threads run.
    let has_ended = matches!(state, "Z" | "X") && threads.parse::<u32>().is_ok_and(|all| all <= 1);
    (!has_ended).then_some(ProcessEntry { id, parent, group, session })
}

/// Sends a signal to each of `processes`.
pub(crate) fn send_signal(signal: Signal, processes: impl IntoIterator<Item = ProcessEntry>) {
    for process in processes {
        // A process that has ended meanwhile needs no signal.
        let _ = rustix::process::kill_process(process.id, signal);
    }
}

/// Returns the running descendants of `ancestor`.
pub(crate) fn descendants(ancestor: Pid) -> Vec<ProcessEntry> {
    let mut others = running_processes().unwrap_or_default();
    let mut found: Vec<ProcessEntry> = Vec::new();
    let mut parents = vec![ancestor.as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        for child in others.extract_if(.., |process| process.parent == parent) {
            parents.push(child.id.as_raw_nonzero().get());
            found.push(child);
        }
    }
    found
}
