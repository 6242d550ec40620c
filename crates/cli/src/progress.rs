//! The progress bar, shown on standard error where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for `files` files; invisible where standard error is no terminal.
pub(crate) fn bar(files: u64) -> ProgressBar {
    bar_of(files, "files")
}

/// A bar for `count` things of the kind that `things` names.
pub(crate) fn bar_of(count: u64, things: &'static str) -> ProgressBar {
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
