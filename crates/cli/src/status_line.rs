//! A status line at the terminal that shows the progress of a call and disappears at its end.

use std::time::Duration;

use foveal_engine::views::CurationProgress;
use foveal_screen::escape_one_line;
use foveal_tools::call_control::CallProgress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::notice;

/// Limit of characters of the model's latest text that are shown.
const TEXT_CHARS_MAX: usize = 60;

/// The line; invisible if standard error is no terminal.
pub(crate) struct StatusLine {
    bar: ProgressBar,
    /// The model's latest text.
    recent_text: std::sync::Mutex<String>,
}

impl StatusLine {
    /// Creates the line; it appears with the first progress.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{spinner} {msg} {prefix}")
            .expect("the template is valid, which every run on a terminal shows");
        bar.set_style(style);
        Self { bar, recent_text: std::sync::Mutex::default() }
    }

    /// Shows the progress of a model; other calls show none.
    pub(crate) fn show_progress(&self, progress: &CallProgress) {
        let Some(work) = &progress.model else { return };
        if self.bar.is_hidden() {
            return;
        }
        match work {
            CurationProgress::Waits => {}
            CurationProgress::Thinks(piece) | CurationProgress::Answers(piece) => {
                self.bar.set_prefix(self.append_text(piece));
            }
            CurationProgress::Chose(_) | CurationProgress::LeftOut(_) => {
                self.hide_line();
                return notice::print_notice(&progress.message);
            }
        }
        if !progress.message.is_empty() {
            self.bar.set_message(escape_one_line(&progress.message).into_owned());
            self.bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    /// Appends `piece` to the latest text and returns the end of it, in one line.
    fn append_text(&self, piece: &str) -> String {
        let mut said = self.recent_text.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        said.push_str(piece);
        let more = said.chars().count().saturating_sub(TEXT_CHARS_MAX);
        if let Some((from, _)) = said.char_indices().nth(more).filter(|_| more > 0) {
            said.drain(..from);
        }
        escape_one_line(said.trim()).into_owned()
    }

    /// Clears the line.
    pub(crate) fn hide_line(&self) {
        self.bar.finish_and_clear();
        self.recent_text.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }
}
