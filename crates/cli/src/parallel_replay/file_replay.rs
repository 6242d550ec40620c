//! Replays many sessions in parallel and keeps their figures, but not their texts.
//!
//! Each of a few threads reads one file at a time; all share a pool for the profiles. So at most
//! one session a thread is in memory, and a single large session still uses every core.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use foveal_agent_setup::sessions::{LoadError, LoadResult, SessionFile};
use foveal_replay::copied_requests::{ConversationPlace, RequestOwners};
use foveal_transcript::RecordedSession;
use rayon::prelude::*;

use super::attachments::Attachments;
use super::replay_plan::ReplayPlan;
use super::session_replay;
use crate::replay_totals::SessionFigures;
use crate::sessions::load_sessions;

/// The outcome of one file.
#[derive(Debug, Default)]
pub(crate) struct FileOutcome {
    /// The figures of its sessions, in order.
    pub(crate) sessions: Vec<SessionFigures>,
    /// Messages about parts that could not be read; the first few.
    pub(crate) problems: Vec<String>,
    pub(crate) problem_count: u64,
    /// The number of sessions whose requests all count in other sessions.
    pub(crate) copied_sessions: u64,
    /// The number of requests whose bills already include savings of foveal.
    pub(crate) discounted_requests: u64,
    /// The number of such requests of foveal's own agent.
    pub(crate) discounted_run_requests: u64,
    /// The parts of its sessions without text.
    pub(crate) attachments: Attachments,
    /// The error that ended the reading of the file, if one did.
    pub(crate) error: Option<LoadError>,
}

/// Replays `files`, and calls `done` after each. Files that were not reached before a cancellation
/// are `None`.
///
/// # Errors
/// Returns an error if the prompt log cannot be written.
pub(crate) fn replay_files_in_parallel(
    plan: &ReplayPlan<'_>,
    files: &[SessionFile],
    done: &(dyn Fn() + Sync),
) -> io::Result<Vec<Option<FileOutcome>>> {
    let held = match files {
        [file] if is_small(file) => Some(LoadedFile::read(plan, file)),
        _ => None,
    };
    let owners = match &held {
        Some(held) => held.request_owners(),
        None => find_request_owners(plan, files),
    };
    let held = Mutex::new(held);
    let next = AtomicUsize::new(0);
    let mut outcomes = Vec::new();
    outcomes.resize_with(files.len(), || None);
    let outcomes = Mutex::new(outcomes);
    let failure = Mutex::new(None);
    let work = || {
        while !plan.cancel.is_cancelled() && lock(&failure).is_none() {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let Some(file) = files.get(number) else { break };
            match replay_file(plan, number, file, &owners, lock(&held).take()) {
                Ok(outcome) => lock(&outcomes)[number] = Some(outcome),
                Err(error) => *lock(&failure) = Some(error),
            }
            done();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(files.len()) {
            scope.spawn(work);
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(outcomes.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Largest file that is held in memory, in bytes. Only a single file is.
const HELD_BYTES_MAX: u64 = 64 << 20;

/// Returns whether the sessions of a file may be held in memory. Files that can be read only once,
/// such as pipes, have to be.
fn is_small(file: &SessionFile) -> bool {
    let fits = |data: fs::Metadata| !data.is_file() || data.len() <= HELD_BYTES_MAX;
    file.session.is_some() || fs::metadata(&file.path).is_ok_and(fits)
}

/// The sessions of a file in memory.
struct LoadedFile {
    sessions: Vec<RecordedSession>,
    result: LoadResult,
}

impl LoadedFile {
    fn read(plan: &ReplayPlan<'_>, file: &SessionFile) -> Self {
        let mut sessions = Vec::new();
        let result = load_sessions(file, plan.format, &mut |session| sessions.push(session));
        Self { sessions, result }
    }

    fn request_owners(&self) -> RequestOwners {
        let mut owners = RequestOwners::default();
        let conversations = self.sessions.iter().flat_map(|session| &session.conversations);
        for (conversation, one) in conversations.enumerate() {
            owners.add(ConversationPlace { file: 0, conversation }, one);
        }
        owners
    }
}

/// Reads all files to find the requests that several of them hold. Files that can be read only
/// once, such as pipes, are left out.
fn find_request_owners(plan: &ReplayPlan<'_>, files: &[SessionFile]) -> RequestOwners {
    let owners = Mutex::new(RequestOwners::default());
    files.par_iter().enumerate().for_each(|(number, file)| {
        let is_readable_again = fs::metadata(&file.path).is_ok_and(|data| data.is_file());
        if plan.cancel.is_cancelled() || !is_readable_again {
            return;
        }
        let mut conversation = 0;
        let _told_later = load_sessions(file, plan.format, &mut |session| {
            for one in &session.conversations {
                lock(&owners).add(ConversationPlace { file: number, conversation }, one);
                conversation += 1;
            }
        });
    });
    owners.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn replay_file(
    plan: &ReplayPlan<'_>,
    number: usize,
    file: &SessionFile,
    owners: &RequestOwners,
    held: Option<LoadedFile>,
) -> io::Result<FileOutcome> {
    let mut outcome = FileOutcome::default();
    let mut place = ConversationPlace { file: number, conversation: 0 };
    let mut written = Ok(());
    let name = file.path.display().to_string();
    let mut replay = |session: RecordedSession| {
        if written.is_err() {
            return;
        }
        let first = place;
        place.conversation += session.conversations.len();
        let origin =
            session_replay::SessionOrigin { file: &name, owners, first_conversation: first };
        let mut attachments = Attachments::default();
        attachments.add(&session);
        let Some(measured) = session_replay::replay_session(plan, session, &origin) else { return };
        if measured.figures.conversations == 0 && first != place {
            outcome.copied_sessions += 1;
            return;
        }
        outcome.attachments.merge(&attachments);
        outcome.discounted_requests += measured.discounted_requests;
        outcome.discounted_run_requests += measured.discounted_run_requests;
        outcome.sessions.push(measured.figures);
        if let Some(report) = &plan.report {
            let mut builder = lock(report.builder);
            measured.report_conversations.into_iter().for_each(|one| builder.add(one));
        }
        if let Some(log) = plan.prompt_log {
            written = log.write(number, &measured.prompt_lines);
        }
    };
    let read = match held {
        Some(held) => {
            held.sessions.into_iter().for_each(replay);
            held.result
        }
        None => load_sessions(file, plan.format, &mut replay),
    };
    if let Some(log) = plan.prompt_log {
        written = written.and(log.finish(number));
    }
    written?;
    match read {
        Ok(problems) => {
            outcome.problem_count = problems.len() as u64;
            let kept = problems.iter().take(plan.problems_max);
            outcome.problems.extend(kept.map(ToString::to_string));
        }
        Err(error) => outcome.error = Some(error),
    }
    Ok(outcome)
}
