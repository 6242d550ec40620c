//! Progress notifications of a running call, limited in rate.

use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use foveal_screen::escape_lines;
use foveal_tools::call_control::CallProgress;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::Notify;

/// The least time between two notifications.
pub(crate) const NOTIFICATION_INTERVAL: Duration = Duration::from_millis(100);

/// Bytes of output per notification; of longer output, the last.
const OUTPUT_BYTES_MAX: usize = 4_000;

/// The latest progress of a running call.
#[derive(Debug, Default)]
pub(crate) struct LatestProgress {
    latest: Mutex<Option<CallProgress>>,
    pub(crate) changed: Notify,
}

impl LatestProgress {
    /// Stores new progress. Output pieces are concatenated.
    pub(crate) fn update(&self, mut progress: CallProgress) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.total.is_none()
            && let Some(before) = latest.as_mut().filter(|before| before.total.is_none())
        {
            // A model's message replaces the previous one; an empty message leaves it.
            if progress.model.is_some() && !progress.message.is_empty() {
                before.message.clear();
            }
            before.message.push_str(&progress.message);
            progress.message = mem::take(&mut before.message);
        }
        truncate_front(&mut progress.message, OUTPUT_BYTES_MAX);
        *latest = Some(progress);
        drop(latest);
        self.changed.notify_one();
    }

    fn take(&self) -> Option<CallProgress> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn truncate_front(text: &mut String, bytes_max: usize) {
    if text.len() > bytes_max {
        let from = text.len() - bytes_max;
        let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        text.drain(..from);
    }
}

/// Builds progress notifications. The protocol requires each number to be higher than the one
/// before.
#[derive(Debug)]
pub(crate) struct ProgressNotifier {
    token: ProgressToken,
    done: Option<u64>,
}

impl ProgressNotifier {
    pub(crate) fn new(token: ProgressToken) -> Self {
        Self { token, done: None }
    }

    /// Takes the progress from `latest` and returns its notification; `None` if there is nothing
    /// new.
    pub(crate) fn next_notification(
        &mut self,
        latest: &LatestProgress,
    ) -> Option<ProgressNotificationParam> {
        let progress = latest.take()?;
        if self.done.is_some_and(|done| progress.done <= done) {
            return None;
        }
        self.done = Some(progress.done);
        let mut news = ProgressNotificationParam::new(self.token.clone(), progress.done as f64);
        news.total = progress.total.map(|total| total as f64);
        // Many clients print it to a terminal.
        let message = escape_lines(&progress.message).into_owned();
        news.message = Some(message).filter(|message| !message.is_empty());
        Some(news)
    }
}

#[cfg(test)]
mod tests;
