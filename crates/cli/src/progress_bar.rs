//! The progress bar on standard error, if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Returns a bar for `files` files; invisible if standard error is no terminal.
pub(crate) fn file_progress_bar(files: u64) -> ProgressBar {
    new_progress_bar(files, "files")
}

/// Returns a bar for `count` items with the label `things`.
pub(crate) fn new_progress_bar(count: u64, things: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(count).with_message(things);
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}  {elapsed} elapsed, {eta} to go")
            .expect("the template is valid, which every run on a terminal shows");
    bar.set_style(style);
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}
