//! What is told of a running call, so often that it helps and no more.

use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use foveal_screen::in_lines;
use foveal_tools::control::Progress;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::Notify;

/// The least time between two notifications.
pub(crate) const NOTIFICATION_PAUSE: Duration = Duration::from_millis(100);

/// Bytes of output told at once; of more, the last.
const OUTPUT_BYTES_MAX: usize = 4_000;

/// Where a running call leaves how far it is.
#[derive(Debug, Default)]
pub(crate) struct LatestProgress {
    latest: Mutex<Option<Progress>>,
    pub(crate) changed: Notify,
}

impl LatestProgress {
    /// Leaves a new state. Output that comes in pieces is put together.
    pub(crate) fn put(&self, mut progress: Progress) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.total.is_none()
            && let Some(before) = latest.as_mut().filter(|before| before.total.is_none())
        {
            // What a model does is told anew; where it is not, what was told holds.
            if progress.model.is_some() && !progress.message.is_empty() {
                before.message.clear();
            }
            before.message.push_str(&progress.message);
            progress.message = mem::take(&mut before.message);
        }
        cut_front(&mut progress.message, OUTPUT_BYTES_MAX);
        *latest = Some(progress);
        drop(latest);
        self.changed.notify_one();
    }

    fn remove(&self) -> Option<Progress> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn cut_front(text: &mut String, bytes_max: usize) {
    if text.len() > bytes_max {
        let from = text.len() - bytes_max;
        let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text.drain(..from);
    }
}

/// What was told last; the protocol wants every number higher than the one before.
#[derive(Debug)]
pub(crate) struct ProgressNotifier {
    token: ProgressToken,
    done: Option<u64>,
}

impl ProgressNotifier {
    pub(crate) fn new(token: ProgressToken) -> Self {
        Self { token, done: None }
    }

    /// The notification of what is new in `latest`, if anything is.
    pub(crate) fn next(&mut self, latest: &LatestProgress) -> Option<ProgressNotificationParam> {
        let progress = latest.remove()?;
        if self.done.is_some_and(|done| progress.done <= done) {
            return None;
        }
        self.done = Some(progress.done);
        let mut news = ProgressNotificationParam::new(self.token.clone(), progress.done as f64);
        news.total = progress.total.map(|total| total as f64);
        // Many clients print it in a terminal.
        let message = in_lines(&progress.message).into_owned();
        news.message = Some(message).filter(|message| !message.is_empty());
        Some(news)
    }
}

#[cfg(test)]
mod tests;
