//! What may be written over: only what the model has seen as it is on disk, or spelled out.

use std::fmt::Write;

use foveal_files::TextFile;
use foveal_files::edit::{
    LineSpan, PlannedText, Run, altered_lines, changed_since, differing_lines,
};

use crate::error::ToolError;
use crate::session::{Seen, Work};

use super::target::{Target, view_of};

/// Lines that a refusal shows, so that they count as seen.
const LINES_SHOWN_MAX: u32 = 60;

/// Bytes of each of them.
const LINE_BYTES_SHOWN_MAX: usize = 500;

/// That all lines an edit alters were seen as they are, or are spelled out by it. These
/// lines, as a read shows them.
pub(super) fn check_edit(
    work: &Work<'_>,
    target: &Target,
    planned: &PlannedText,
) -> Result<Vec<Run>, ToolError> {
    let view = target.view.text();
    let (runs, touched): (Vec<Run>, Vec<LineSpan>) = if target.is_notebook {
        let after = view_of(&target.located, TextFile::new(&planned.text));
        let runs = differing_lines(view, after.text());
        let touched = runs.iter().map(|run| run.before).collect();
        (runs, touched)
    } else {
        let runs = altered_lines(view, &planned.text, &planned.changed);
        (runs, planned.changed.iter().map(|change| change.before).collect())
    };
    let known = target.known_now(work);
    if let Some(known) = known.as_ref().filter(|known| known.unshown.meets(&touched)) {
        let path = target.located.shown();
        let believed = known.unshown.believed(view);
        let delta = changed_since(&believed, view, &touched);
        let delta = delta.map(|delta| delta.text).unwrap_or_default();
        return Err(ToolError::failed(format!(
            "`{path}` was changed since you saw these lines (- seen, + now); read it again:\n\
             {delta}"
        )));
    }
    let seen = known.as_ref().map(|known| &known.seen);
    let unseen = unseen(target, planned, &runs, seen);
    if unseen.is_empty() { Ok(runs) } else { Err(refuse_unseen(work, target, &unseen)) }
}

/// Refuses to alter lines that were not seen; shows them, where they are few.
fn refuse_unseen(work: &Work<'_>, target: &Target, unseen: &Seen) -> ToolError {
    let path = target.located.shown();
    let mut shown = String::new();
    let mut longest = 0;
    for (line, number) in target.view.text().lines().zip(1..) {
        if unseen.holds(number) && unseen.count() <= LINES_SHOWN_MAX {
            longest = longest.max(line.len());
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{number}→{line}");
        }
    }
    if shown.is_empty() || longest > LINE_BYTES_SHOWN_MAX {
        let (first, last) = unseen.ranges().first().copied().unwrap_or_default();
        return ToolError::failed(format!(
            "you have not seen {} of the lines of `{path}` that this changes, {first}-{last} \
             first; read them before changing them",
            unseen.count()
        ));
    }
    work.session.files.change(&target.key, |known| Some(target.known_as(known)));
    work.files().see_lines(&target.key, target.version.hash, unseen);
    ToolError::failed(format!(
        "you had not seen these lines of `{path}`, which this changes; ask again if it is \
         still what you want:\n{shown}"
    ))
}

/// That all of a file was seen as it is now, before it is replaced as a whole.
pub(super) fn check_overwrite(work: &Work<'_>, target: &Target) -> Result<(), ToolError> {
    let path = target.located.shown();
    let before = work.files().get(&target.key);
    let (Some(before), Some(known)) = (before, target.known_now(work)) else {
        return Err(ToolError::failed(format!(
            "`{path}` is there already and you have not read it; read it before replacing it"
        )));
    };
    let view = target.view.text();
    // What a read does not show of a notebook may have changed as well.
    let is_other = target.is_notebook && before.version.hash != target.version.hash;
    if is_other || !known.unshown.is_empty() {
        let all = LineSpan::of_indices(0, view.lines().count());
        let delta = changed_since(&known.unshown.believed(view), view, &[all]);
        let delta = delta.map(|delta| delta.text).unwrap_or_default();
        return Err(ToolError::failed(format!(
            "`{path}` was changed since you saw it (- seen, + now); read it again:\n{delta}"
        )));
    }
    let count = u32::try_from(view.lines().count()).unwrap_or(u32::MAX);
    if !known.seen.covers(count) {
        return Err(ToolError::failed(format!(
            "you have seen {} of the {count} lines of `{path}`: read it with mode full before \
             replacing it, or use edit_file",
            known.seen.count()
        )));
    }
    Ok(())
}

/// The lines that `runs` alter, without those that were seen and those that the edits spell out.
fn unseen(target: &Target, planned: &PlannedText, runs: &[Run], seen: Option<&Seen>) -> Seen {
    let text = target.text.text();
    let is_spelled = |line: &str, start: usize| {
        let (start, line) = (start + line.len() - line.trim_start().len(), line.trim());
        let within = |bytes: &std::ops::Range<usize>| match target.is_notebook {
            true => text.get(bytes.clone()).is_some_and(|old| old.contains(line)),
            false => bytes.start <= start && start + line.len() <= bytes.end,
        };
        let is_spelled = || planned.changed.iter().any(|change| within(&change.bytes));
        line.is_empty() || planned.is_spelled && is_spelled()
    };
    let mut unseen = Vec::new();
    let mut start = 0;
    let mut runs = runs.iter().map(|run| run.before.indices()).peekable();
    for (line, index) in target.view.text().split_inclusive('\n').zip(0..) {
        while runs.next_if(|run| run.end <= index).is_some() {}
        let is_altered = runs.peek().is_some_and(|run| run.contains(&index));
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let is_seen = seen.is_some_and(|seen| seen.holds(number));
        if is_altered && !is_seen && !is_spelled(line, start) {
            unseen.push((number, number));
        }
        start += line.len();
    }
    Seen::of(unseen)
}
