//! One line at a terminal that says what a call waits for, and is gone once it ends.

use std::time::Duration;

use foveal_context::views::ModelWork;
use foveal_screen::in_one_line;
use foveal_tools::control::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::notice;

/// Characters of what a model says that are shown, the latest.
const PIECE_CHARS_MAX: usize = 60;

/// The line. Where standard error is no terminal nothing is shown.
pub(crate) struct StatusLine {
    bar: ProgressBar,
    /// What the model said last.
    said: std::sync::Mutex<String>,
}

impl StatusLine {
    /// Nothing is shown before something is told.
    pub(crate) fn start() -> Self {
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{spinner} {msg} {prefix}")
            .expect("the template is valid, which every run on a terminal shows");
        bar.set_style(style);
        Self { bar, said: std::sync::Mutex::default() }
    }

    /// Shows what a model does; of other calls nothing.
    pub(crate) fn show(&self, progress: &Progress) {
        let Some(work) = &progress.model else { return };
        if self.bar.is_hidden() {
            return;
        }
        match work {
            ModelWork::Waits => {}
            ModelWork::Thinks(piece) | ModelWork::Answers(piece) => {
                self.bar.set_prefix(self.latest(piece));
            }
            ModelWork::Chose(_) | ModelWork::LeftOut(_) => {
                self.end();
                return notice::say(&progress.message);
            }
        }
        if !progress.message.is_empty() {
            self.bar.set_message(in_one_line(&progress.message).into_owned());
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    /// The end of what was said so far, in one line.
    fn latest(&self, piece: &str) -> String {
        let mut said = self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        said.push_str(piece);
        let more = said.chars().count().saturating_sub(PIECE_CHARS_MAX);
        if let Some((from, _)) = said.char_indices().nth(more).filter(|_| more > 0) {
            said.drain(..from);
        }
        in_one_line(said.trim()).into_owned()
    }

    /// Takes the line away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
        self.said.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }
}
