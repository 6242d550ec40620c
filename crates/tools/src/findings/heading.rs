//! What stands before the text of a file: its name, how it is shown, and how much of it.

use crate::session::LineCounts;

/// What stands before the text of a file.
pub(super) fn heading(path: &str, how: &str, LineCounts { all, shown }: LineCounts) -> String {
    let share = if all == 0 { 100 } else { u64::from(shown) * 100 / u64::from(all) };
    format!("File: {path} ({how})\nTotal lines: {all} | Preserved: {shown} ({share} %)\n")
}
