//! Replays many sessions in parallel and keeps their figures; their texts are dropped.
//!
//! A few threads read one file each, in order, and share a pool for the profiles: so memory
//! is needed for as many sessions as there are threads, and a single large session still
//! uses every core.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

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
    let next = AtomicUsize::new(0);
    let mut outcomes = Vec::new();
    outcomes.resize_with(files.len(), || None);
    let outcomes = Mutex::new(outcomes);
    let failure = Mutex::new(None);
    let work = || {
        while !plan.cancel.is_cancelled() && lock(&failure).is_none() {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let Some(file) = files.get(number) else { break };
            match one_file(plan, number, file) {
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

fn one_file(plan: &Plan<'_>, number: usize, file: &SessionFile) -> io::Result<FileOutcome> {
    let mut outcome = FileOutcome::default();
    let mut written = Ok(());
    let name = file.path.display().to_string();
    let read = load(file, plan.format, &mut |session| {
        if written.is_err() {
            return;
        }
        outcome.attachments.add(&session);
        let Some(measured) = session::measure(plan, session, &name) else { return };
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
