//! Checks before a file is overwritten: the model must have seen the lines as they are on disk, or
//! the edit must contain them.

use std::fmt::Write;

use foveal_workspace::TextFile;
use foveal_workspace::edit::{
    DiffHunk, LineSpan, PlannedText, changed_hunks, delta_since_seen, diff_hunks,
};

use crate::error::ToolError;
use crate::session::{CallContext, LineRangeSet};

use super::edit_target::{EditTarget, readable_view};

/// Most lines that a refusal shows, so that they count as seen.
const LINES_SHOWN_MAX: u32 = 60;

/// Longest of these lines in bytes.
const LINE_BYTES_SHOWN_MAX: usize = 500;

/// Checks that the model has seen every line that an edit alters, or that the edit contains it.
/// Returns the altered runs, in lines of the readable view.
pub(super) fn check_edit(
    work: &CallContext<'_>,
    target: &EditTarget,
    planned: &PlannedText,
) -> Result<Vec<DiffHunk>, ToolError> {
    let view = target.view.text();
    let (runs, touched): (Vec<DiffHunk>, Vec<LineSpan>) = if target.is_notebook {
        let after = readable_view(&target.located, TextFile::new(&planned.text));
        let runs = diff_hunks(view, after.text());
        let touched = runs.iter().map(|run| run.before).collect();
        (runs, touched)
    } else {
        let runs = changed_hunks(view, &planned.text, &planned.changed);
        (runs, planned.changed.iter().map(|change| change.before).collect())
    };
    let known = target.known_file(work);
    if let Some(known) = known.as_ref().filter(|known| known.external_changes.overlaps(&touched)) {
        let path = target.located.display_path();
        let believed = known.external_changes.believed_text(view);
        let delta = delta_since_seen(&believed, view, &touched);
        let delta = delta.map(|delta| delta.text).unwrap_or_default();
        return Err(ToolError::from_error(format!(
            "`{path}` was changed since you saw these lines (- seen, + now); read it again:\n\
             {delta}"
        )));
    }
    let seen = known.as_ref().map(|known| &known.seen);
    let unseen = unseen_lines(target, planned, &runs, seen);
    if unseen.is_empty() { Ok(runs) } else { Err(refuse_unseen_lines(work, target, &unseen)) }
}

/// Returns the refusal to alter unseen lines, and shows the lines if they are few.
fn refuse_unseen_lines(
    work: &CallContext<'_>,
    target: &EditTarget,
    unseen: &LineRangeSet,
) -> ToolError {
    let path = target.located.display_path();
    let mut shown = String::new();
    let mut longest = 0;
    for (line, number) in target.view.text().lines().zip(1..) {
        if unseen.contains(number) && unseen.count() <= LINES_SHOWN_MAX {
            longest = longest.max(line.len());
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{number}→{line}");
        }
    }
    if shown.is_empty() || longest > LINE_BYTES_SHOWN_MAX {
        let (first, last) = unseen.ranges().first().copied().unwrap_or_default();
        return ToolError::from_error(format!(
            "you have not seen {} of the lines of `{path}` that this changes, {first}-{last} \
             first; read them before changing them",
            unseen.count()
        ));
    }
    work.session.files.update(&target.key, |known| Some(target.update_known_file(known)));
    work.files().record_shown_lines(&target.key, target.version.hash, unseen);
    ToolError::from_error(format!(
        "you had not seen these lines of `{path}`, which this changes; ask again if it is \
         still what you want:\n{shown}"
    ))
}

/// Checks that the model has seen the current version of a whole file that is to be replaced.
pub(super) fn check_overwrite(
    work: &CallContext<'_>,
    target: &EditTarget,
) -> Result<(), ToolError> {
    let path = target.located.display_path();
    let before = work.files().get(&target.key);
    let (Some(before), Some(known)) = (before, target.known_file(work)) else {
        return Err(ToolError::from_error(format!(
            "`{path}` is there already and you have not read it; read it before replacing it"
        )));
    };
    let view = target.view.text();
    // Parts of a notebook that a read does not show may have changed too.
    let is_other = target.is_notebook && before.version.hash != target.version.hash;
    if is_other || !known.external_changes.is_empty() {
        let all = LineSpan::from_indices(0, view.lines().count());
        let delta = delta_since_seen(&known.external_changes.believed_text(view), view, &[all]);
        let delta = delta.map(|delta| delta.text).unwrap_or_default();
        return Err(ToolError::from_error(format!(
            "`{path}` was changed since you saw it (- seen, + now); read it again:\n{delta}"
        )));
    }
    let count = u32::try_from(view.lines().count()).unwrap_or(u32::MAX);
    if !known.seen.covers_all(count) {
        return Err(ToolError::from_error(format!(
            "you have seen {} of the {count} lines of `{path}`: read it with mode full before \
             replacing it, or use edit_file",
            known.seen.count()
        )));
    }
    Ok(())
}

/// Returns the lines that `runs` alter, without those that were seen and those in the edits' texts.
fn unseen_lines(
    target: &EditTarget,
    planned: &PlannedText,
    runs: &[DiffHunk],
    seen: Option<&LineRangeSet>,
) -> LineRangeSet {
    let text = target.text.text();
    let is_spelled = |line: &str, start: usize| {
        let (start, line) = (start + line.len() - line.trim_start().len(), line.trim());
        let within = |bytes: &std::ops::Range<usize>| match target.is_notebook {
            true => text.get(bytes.clone()).is_some_and(|old| old.contains(line)),
            false => bytes.start <= start && start + line.len() <= bytes.end,
        };
        let is_spelled = || planned.changed.iter().any(|change| within(&change.bytes));
        line.is_empty() || planned.is_verbatim && is_spelled()
    };
    let mut unseen = Vec::new();
    let mut start = 0;
    let mut runs = runs.iter().map(|run| run.before.indices()).peekable();
    for (line, index) in target.view.text().split_inclusive('\n').zip(0..) {
        while runs.next_if(|run| run.end <= index).is_some() {}
        let is_altered = runs.peek().is_some_and(|run| run.contains(&index));
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let is_seen = seen.is_some_and(|seen| seen.contains(number));
        if is_altered && !is_seen && !is_spelled(line, start) {
            unseen.push((number, number));
        }
        start += line.len();
    }
    LineRangeSet::from_ranges(unseen)
}
