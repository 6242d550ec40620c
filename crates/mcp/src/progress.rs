//! What is told of a running call, so often that it helps and no more.

use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use foveal_tools::control::Progress;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::Notify;

/// The least time between two notifications.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// Bytes of output told at once; of more, the last.
const OUTPUT_BYTES_MAX: usize = 4_000;

/// Where a running call leaves how far it is.
#[derive(Debug, Default)]
pub(crate) struct Board {
    latest: Mutex<Option<Progress>>,
    pub(crate) changed: Notify,
}

impl Board {
    /// Leaves a new state. Output that comes in pieces is put together.
    pub(crate) fn put(&self, mut progress: Progress) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.total.is_none()
            && let Some(before) = latest.as_mut().filter(|before| before.total.is_none())
        {
            before.message.push_str(&progress.message);
            progress.message = mem::take(&mut before.message);
        }
        cut_front(&mut progress.message, OUTPUT_BYTES_MAX);
        *latest = Some(progress);
        drop(latest);
        self.changed.notify_one();
    }

    fn take(&self) -> Option<Progress> {
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
pub(crate) struct Told {
    token: ProgressToken,
    done: Option<u64>,
}

impl Told {
    pub(crate) fn nothing(token: ProgressToken) -> Self {
        Self { token, done: None }
    }

    /// The notification of what is new on the board, if anything is.
    pub(crate) fn next(&mut self, board: &Board) -> Option<ProgressNotificationParam> {
        let progress = board.take()?;
        if self.done.is_some_and(|done| progress.done <= done) {
            return None;
        }
        self.done = Some(progress.done);
        let mut told = ProgressNotificationParam::new(self.token.clone(), progress.done as f64);
        told.total = progress.total.map(|total| total as f64);
        told.message = Some(progress.message).filter(|message| !message.is_empty());
        Some(told)
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    fn check(put: &[&[(u64, Option<u64>, &str)]], expected: &[(f64, Option<f64>, Option<&str>)]) {
        let board = Board::default();
        let mut told = Told::nothing(ProgressToken(NumberOrString::Number(1)));
        let mut seen = Vec::new();
        for batch in put {
            for (done, total, message) in *batch {
                board.put(Progress { done: *done, total: *total, message: (*message).to_owned() });
            }
            seen.extend(told.next(&board));
        }
        let seen: Vec<_> =
            seen.iter().map(|told| (told.progress, told.total, told.message.as_deref())).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn output_is_put_together_and_numbers_rise() {
        check(
            &[&[(2, None, "a\n"), (4, None, "b\n")], &[(6, None, "c\n")]],
            &[(4.0, None, Some("a\nb\n")), (6.0, None, Some("c\n"))],
        );
        check(
            &[&[(1, Some(9), "one"), (2, Some(9), "two")], &[(2, Some(9), "two")], &[]],
            &[(2.0, Some(9.0), Some("two"))],
        );
        let long = "é".repeat(4_000);
        check(&[&[(8_000, None, &long)]], &[(8_000.0, None, Some(&long[4_000..]))]);
    }
}
