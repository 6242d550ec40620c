//! Processes as the system lists them in `/proc`.

use rustix::process::{Pid, Signal};

/// A process that runs: one that has ended and only waits to be collected does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listed {
    pub(crate) id: Pid,
    /// Who waits for it; 0 for the first process.
    parent: i32,
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

/// What stands after the name, up to the number of threads.
const FIELDS: usize = 18;

fn read(id: Pid) -> Option<Listed> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
    // After the name in brackets, which may hold anything: state, parent, group, session, and so
    // on.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').take(FIELDS).collect();
    let [state, parent, group, session, .., threads] = fields[..] else { return None };
    let (parent, group, session) =
        (parent.parse().ok()?, group.parse().ok()?, session.parse().ok()?);
    // Where the first thread has ended and others run, it looks as if it had ended, too.
    let has_ended = matches!(state, "Z" | "X") && threads.parse::<u32>().is_ok_and(|all| all <= 1);
    (!has_ended).then_some(Listed { id, parent, group, session })
}

/// The first 15 bytes of the name of a process's program, as far as they are letters, digits and a
/// few signs; `None` if it has ended.
pub(crate) fn name_of(process: Pid) -> Option<String> {
    let name = std::fs::read(format!("/proc/{}/comm", process.as_raw_nonzero())).ok()?;
    let is_plain = |sign: &char| sign.is_ascii_alphanumeric() || "-_.+:/".contains(*sign);
    Some(name.into_iter().map(char::from).filter(is_plain).collect())
}

/// Sends to each of `processes`.
pub(crate) fn send(signal: Signal, processes: impl IntoIterator<Item = Listed>) {
    for process in processes {
        // Who ended meanwhile is what was wanted.
        let _ = rustix::process::kill_process(process.id, signal);
    }
}

/// The processes that run and that `ancestor` or one of them started.
pub(crate) fn descendants(ancestor: Pid) -> Vec<Listed> {
    descendants_among(&mut running().unwrap_or_default(), ancestor)
}

/// The same of a guard, and the `members` of its control group; of one that has ended before them,
/// what is left of its session.
pub(crate) fn of_guard(guard: Pid, members: &[Pid]) -> Vec<Listed> {
    let mut others = running().unwrap_or_default();
    let mut found = descendants_among(&mut others, guard);
    let session = guard.as_raw_nonzero().get();
    let is_left = |process: &mut Listed| {
        process.id != guard && (process.session == session || members.contains(&process.id))
    };
    found.extend(others.extract_if(.., is_left));
    found
}

/// Takes the descendants out of `others`.
fn descendants_among(others: &mut Vec<Listed>, ancestor: Pid) -> Vec<Listed> {
    let mut found: Vec<Listed> = Vec::new();
    let mut parents = vec![ancestor.as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        for child in others.extract_if(.., |process| process.parent == parent) {
            parents.push(child.id.as_raw_nonzero().get());
            found.push(child);
        }
    }
    found
}
