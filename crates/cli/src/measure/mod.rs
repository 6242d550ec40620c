//! Replays many sessions in parallel and keeps their figures; their texts are dropped.
//!
//! A few threads read one file each, in order, and share a pool for the profiles: so memory
//! is needed for as many sessions as there are threads, and a single large session still
//! uses every core.

mod session;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_cancel::Cancel;
use foveal_context::prices::PriceCard;
use foveal_context::profile::Profile;
use foveal_context::tokens::Tokenizer;
use foveal_context::views::Views;
use foveal_report::{Limits, ReportBuilder};
use foveal_wire::Format;

use crate::figures::SessionFigures;
use crate::ordered::Ordered;
use crate::sessions::find::SessionFile;
use crate::sessions::load::{LoadError, load};

/// What is measured, and how.
pub(crate) struct Plan<'a> {
    /// The profiles.
    pub(crate) profiles: &'a [&'static Profile],
    /// The prices.
    pub(crate) prices: &'a PriceCard,
    /// Who chooses what of read files is shown.
    pub(crate) views: Arc<dyn Views>,
    /// What counts tokens.
    pub(crate) tokenizer: Tokenizer,
    /// The format, where the user named it.
    pub(crate) format: Option<Format>,
    /// Where the prompts of the first profile go.
    pub(crate) prompt_log: Option<&'a Ordered<'static>>,
    /// What is drawn, where a report is.
    pub(crate) report: Option<Report<'a>>,
    /// Problems kept of each file; the rest is counted.
    pub(crate) problems_max: usize,
    /// Whether to stop.
    pub(crate) cancel: &'a Cancel<'a>,
}

/// What is gathered for the report.
pub(crate) struct Report<'a> {
    /// Where it is gathered.
    pub(crate) builder: &'a Mutex<ReportBuilder>,
    /// How much is shown.
    pub(crate) limits: Limits,
    /// The places of the profiles, in the order the builder was given them.
    pub(crate) order: Vec<usize>,
}

impl Report<'_> {
    /// Whether the profile at `place` is drawn request by request.
    fn draws(&self, place: usize) -> bool {
        self.order.iter().take(self.limits.profiles_drawn).any(|drawn| *drawn == place)
    }
}

/// What came of one file.
#[derive(Debug, Default)]
pub(crate) struct FileOutcome {
    /// Its sessions, in order.
    pub(crate) sessions: Vec<SessionFigures>,
    /// What could not be read as it stands.
    pub(crate) problems: Vec<String>,
    /// Problems in all.
    pub(crate) problem_count: u64,
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
        let Some(measured) = session::measure(plan, &session, &name) else { return };
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
