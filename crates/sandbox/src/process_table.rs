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

/// Returns the first 15 bytes of the program's name, reduced to letters, digits and `-_.+:/`;
/// `None` if the process has ended.
pub(crate) fn process_name(process: Pid) -> Option<String> {
    let name = std::fs::read(format!("/proc/{}/comm", process.as_raw_nonzero())).ok()?;
    let is_plain = |sign: &char| sign.is_ascii_alphanumeric() || "-_.+:/".contains(*sign);
    Some(name.into_iter().map(char::from).filter(is_plain).collect())
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
    extract_descendants(&mut running_processes().unwrap_or_default(), ancestor)
}

/// Returns the running processes behind a guard: its descendants, the `members` of its control
/// group, and, for a guard that has ended, the rest of its session.
pub(crate) fn guarded_processes(guard: Pid, members: &[Pid]) -> Vec<ProcessEntry> {
    let mut others = running_processes().unwrap_or_default();
    let mut found = extract_descendants(&mut others, guard);
    let session = guard.as_raw_nonzero().get();
    let is_left = |process: &mut ProcessEntry| {
        process.id != guard && (process.session == session || members.contains(&process.id))
    };
    found.extend(others.extract_if(.., is_left));
    found
}

/// Removes the descendants of `ancestor` from `others` and returns them.
fn extract_descendants(others: &mut Vec<ProcessEntry>, ancestor: Pid) -> Vec<ProcessEntry> {
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
