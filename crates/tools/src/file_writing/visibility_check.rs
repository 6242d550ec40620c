//! Checks before a file is overwritten: the model must have seen the lines as they are on disk, or
//! the edit must contain them.

use std::ops::Range;

use foveal_screen::numbers::PlainCount;
use foveal_workspace::TextFile;
use foveal_workspace::edit::{
    DiffHunk, LineSpan, PlannedText, changed_hunks, delta_since_seen, diff_hunks,
};

use crate::error::ToolError;
use crate::session::{CallContext, KnownFile, LineBytes, LineRangeSet, TextChanges};

use super::edit_surroundings::{EditSurroundings, places_in_line};
use super::edit_target::{EditTarget, readable_view};
use super::write_record::AuthoredRuns;

/// Checks that the model has seen every line that an edit alters, or the altered places of the
/// line, or that the edit contains the line. Returns the altered runs, in lines of the readable
/// view.
pub(super) fn check_edit(
    work: &CallContext<'_>,
    target: &EditTarget,
    planned: &PlannedText,
) -> Result<AuthoredRuns, ToolError> {
    let view = target.view.text();
    let runs = if target.is_notebook {
        diff_hunks(view, readable_view(&target.located, TextFile::new(&planned.text)).text())
    } else {
        changed_hunks(view, &planned.text, &planned.changed)
    };
    record_found_lines(work, target);
    let known = target.known_file(work);
    let altered = altered_lines(target, planned, &runs, known.as_ref());
    let Some(known) = known else {
        return match altered.unseen.is_empty() {
            true => Ok(AuthoredRuns { runs, parts: Vec::new() }),
            false => Err(refuse_unseen_lines(work, target, planned, &altered.unseen)),
        };
    };
    let touched: Vec<LineSpan> = match target.is_notebook {
        true => runs.iter().map(|run| run.before).collect(),
        false => {
            let spans = planned.changed.iter().map(|change| change.before);
            spans.filter(|span| !altered.is_partly_seen(*span)).collect()
        }
    };
    if known.external_changes.overlaps(&touched) {
        return Err(refuse_external_changes(work, target, planned, &known, &touched));
    }
    if !altered.unseen.is_empty() {
        return Err(refuse_unseen_lines(work, target, planned, &altered.unseen));
    }
    let edited = TextChanges { after: &planned.text, changes: &planned.changed };
    let partly_seen = altered.partly_seen.iter();
    let parts = partly_seen.flat_map(|line| known.seen_parts.parts_after(line, &edited)).collect();
    Ok(AuthoredRuns { runs, parts })
}

/// Returns the refusal to alter lines that others changed, and shows the differences.
fn refuse_external_changes(
    work: &CallContext<'_>,
    target: &EditTarget,
    planned: &PlannedText,
    known: &KnownFile,
    touched: &[LineSpan],
) -> ToolError {
    let (path, view) = (target.located.display_path(), target.view.text());
    let believed = known.external_changes.believed_text(view);
    let delta = delta_since_seen(&believed, view, touched);
    let delta = delta.map(|delta| delta.text).unwrap_or_default();
    let mut message = format!(
        "`{path}` was changed since you saw these lines (- seen, + now); read it again:\n{delta}"
    );
    // A difference shows only the beginning of long lines.
    let touched = touched.iter().map(|span| (span.first.0, span.first.0 + span.lines - 1));
    let surroundings =
        EditSurroundings::from_lines(target, planned, &LineRangeSet::from_ranges(touched));
    if let Some(surroundings) = surroundings.filter(|shown| !shown.parts.is_empty()) {
        message.push_str("the places of this edit as they are now:\n");
        message.push_str(&surroundings.text);
        record_surroundings(work, target, surroundings);
    }
    ToolError::from_error(message)
}

/// Returns the refusal to alter unseen lines, and shows the lines if they are few.
fn refuse_unseen_lines(
    work: &CallContext<'_>,
    target: &EditTarget,
    planned: &PlannedText,
    unseen: &LineRangeSet,
) -> ToolError {
    let path = target.located.display_path();
    let Some(surroundings) = EditSurroundings::from_lines(target, planned, unseen) else {
        let (first, last) = unseen.ranges().first().copied().unwrap_or_default();
        return ToolError::from_error(format!(
            "you have not seen {} of the lines of `{path}` that this changes, {first}-{last} \
             first; read them before changing them",
            unseen.count()
        ));
    };
    let message = format!(
        "you had not seen these lines of `{path}`, which this changes; ask again if it is \
         still what you want:\n{}",
        surroundings.text
    );
    record_surroundings(work, target, surroundings);
    ToolError::from_error(message)
}

/// Counts the lines of the file that searches showed as seen.
fn record_found_lines(work: &CallContext<'_>, target: &EditTarget) {
    let (lines, parts) = work.files().found_lines(&target.key, target.view.text());
    if !lines.is_empty() || !parts.is_empty() {
        let text = String::new();
        record_surroundings(work, target, EditSurroundings { text, lines, parts });
    }
}

/// Records that the answer shows these lines and parts of lines.
fn record_surroundings(work: &CallContext<'_>, target: &EditTarget, shown: EditSurroundings) {
    work.session.files.update(&target.key, |known| Some(target.update_known_file(known)));
    let EditSurroundings { lines, parts, .. } = shown;
    work.files().record_shown_lines(&target.key, target.version.hash, lines, parts);
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
            "you have seen {} of the {} of `{path}`: read it with mode full before replacing it, or \
             use edit_file",
            known.seen.count(),
            PlainCount::new(count, "line")
        )));
    }
    Ok(())
}

/// The lines that an edit alters and that the model has not seen whole.
#[derive(Default)]
struct AlteredLines {
    /// The lines of which the model has not seen the altered places.
    unseen: LineRangeSet,
    /// The long lines of which the model has seen the altered places.
    partly_seen: Vec<LineBytes>,
}

impl AlteredLines {
    /// Returns whether `span` is one line of which the model has seen the altered places.
    fn is_partly_seen(&self, span: LineSpan) -> bool {
        span.lines == 1 && self.partly_seen.iter().any(|line| line.number == span.first.0)
    }
}

/// Returns the lines that `runs` alter, without those that were seen and those in the edits' texts.
fn altered_lines(
    target: &EditTarget,
    planned: &PlannedText,
    runs: &[DiffHunk],
    known: Option<&KnownFile>,
) -> AlteredLines {
    let text = target.text.text();
    let is_spelled = |line: &str, start: usize| {
        let (start, line) = (start + line.len() - line.trim_start().len(), line.trim());
        let within = |bytes: &Range<usize>| match target.is_notebook {
            true => text.get(bytes.clone()).is_some_and(|old| old.contains(line)),
            false => bytes.start <= start && start + line.len() <= bytes.end,
        };
        let is_spelled = || planned.changed.iter().any(|change| within(&change.bytes));
        line.is_empty() || planned.is_verbatim && is_spelled()
    };
    let is_partly_seen = |line: &LineBytes| {
        let parts = known.map(|known| &known.seen_parts).filter(|_| !target.is_notebook);
        parts.filter(|parts| !parts.is_empty()).is_some_and(|parts| {
            let places = places_in_line(planned, line);
            !places.is_empty() && places.iter().all(|place| parts.contains(line.number, place))
        })
    };
    let mut unseen = Vec::new();
    let mut partly_seen = Vec::new();
    let mut start = 0;
    let mut runs = runs.iter().map(|run| run.before.indices()).peekable();
    for (line, index) in target.view.text().split_inclusive('\n').zip(0..) {
        while runs.next_if(|run| run.end <= index).is_some() {}
        let is_altered = runs.peek().is_some_and(|run| run.contains(&index));
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let is_seen = known.is_some_and(|known| known.seen.contains(number));
        if is_altered && !is_seen && !is_spelled(line, start) {
            let placed = LineBytes { number, bytes: start..start + line.len() };
            if is_partly_seen(&placed) {
                partly_seen.push(placed);
            } else {
                unseen.push((number, number));
            }
        }
        start += line.len();
    }
    AlteredLines { unseen: LineRangeSet::from_ranges(unseen), partly_seen }
}
