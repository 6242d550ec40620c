//! Replays many sessions in parallel and keeps their figures; their texts are dropped.
//!
//! A few threads read one file each, in order, and share a pool for the profiles: so memory
//! is needed for as many sessions as there are threads, and a single large session still
//! uses every core.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use foveal_replay::copies::{ConversationPlace, RequestOwners};
use rayon::prelude::*;

use super::attachments::Attachments;
use super::plan::Plan;
use super::session;
use crate::figures::SessionFigures;
use crate::sessions::{LoadError, SessionFile, load};

/// What came of one file.
#[derive(Debug, Default)]
pub(crate) struct FileOutcome {
    /// Its sessions, in order.
    pub(crate) sessions: Vec<SessionFigures>,
    /// What could not be read as it stands.
    pub(crate) problems: Vec<String>,
    pub(crate) problem_count: u64,
    /// Sessions whose requests all count in other sessions.
    pub(crate) copies: u64,
    /// Requests whose bills hold savings of foveal already.
    pub(crate) discounted: u64,
    /// What of its sessions is no text.
    pub(crate) attachments: Attachments,
    /// Why the file could not be read, or not to its end.
    pub(crate) error: Option<LoadError>,
}

/// Replays `files`; `done` is called after each. Where the plan is interrupted, what was not
/// reached is `None`.
///
/// # Errors
/// If the prompt log cannot be written.
pub(crate) fn measure(
    plan: &Plan<'_>,
    files: &[SessionFile],
    done: &(dyn Fn() + Sync),
) -> io::Result<Vec<Option<FileOutcome>>> {
    let owners = request_owners(plan, files);
    let next = AtomicUsize::new(0);
    let mut outcomes = Vec::new();
    outcomes.resize_with(files.len(), || None);
    let outcomes = Mutex::new(outcomes);
    let failure = Mutex::new(None);
    let work = || {
        while !plan.cancel.is_cancelled() && lock(&failure).is_none() {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let Some(file) = files.get(number) else { break };
            match one_file(plan, number, file, &owners) {
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

/// Reads all files once to find the requests that several of them hold. What can be read only
/// once, such as a pipe, is left out.
fn request_owners(plan: &Plan<'_>, files: &[SessionFile]) -> RequestOwners {
    let owners = Mutex::new(RequestOwners::default());
    files.par_iter().enumerate().for_each(|(number, file)| {
        let is_readable_again = fs::metadata(&file.path).is_ok_and(|data| data.is_file());
        if plan.cancel.is_cancelled() || !is_readable_again {
            return;
        }
        let mut conversation = 0;
        let _told_later = load(file, plan.format, &mut |session| {
            for one in &session.conversations {
                lock(&owners).add(ConversationPlace { file: number, conversation }, one);
                conversation += 1;
            }
        });
    });
    owners.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn one_file(
    plan: &Plan<'_>,
    number: usize,
    file: &SessionFile,
    owners: &RequestOwners,
) -> io::Result<FileOutcome> {
    let mut outcome = FileOutcome::default();
    let mut place = ConversationPlace { file: number, conversation: 0 };
    let mut written = Ok(());
    let name = file.path.display().to_string();
    let read = load(file, plan.format, &mut |session| {
        if written.is_err() {
            return;
        }
        let first = place;
        place.conversation += session.conversations.len();
        let origin = session::Origin { file: &name, owners, first };
        let mut attachments = Attachments::default();
        attachments.add(&session);
        let Some(measured) = session::measure(plan, session, &origin) else { return };
        if measured.figures.conversations == 0 && first != place {
            outcome.copies += 1;
            return;
        }
        outcome.attachments.join(&attachments);
        outcome.discounted += measured.discounted;
        outcome.sessions.push(measured.figures);
        if let Some(report) = &plan.report {
            let mut builder = lock(report.builder);
            measured.measured.into_iter().for_each(|one| builder.add(one));
        }
        if let Some(log) = plan.prompt_log {
            written = log.write(number, &measured.prompt_lines);
        }
    });
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
