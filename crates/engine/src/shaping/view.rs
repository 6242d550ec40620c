//! Rule `view`: a read keeps the lines of its chosen view. Notes give the range of omitted lines,
//! names in them and, once, the handle.

use std::collections::HashSet;
use std::ops::Range;

use crate::lines::ResultLine;
use crate::message_shape::ShapeKind;
use crate::note::{Counts, Note, NoteKind, ViewLineCounts};
use crate::settings::Settings;
use crate::views::{
    ChosenView, GAP_NAMES_MAX, LineLabel, LineSelection, ViewRequest, is_listable_name,
    is_safe_in_note,
};
use foveal_transcript::LineNumber;

use super::draft::ShapeDraft;
use super::excerpt;

/// Largest length of a remark in bytes.
const REMARK_BYTES_MAX: usize = 240;

/// Omits the lines that the views of the files do not keep, and the kept lines at `unsaid`; inserts
/// the remarks of the views.
pub fn apply_views(
    draft: &mut ShapeDraft<'_>,
    chosen: &[ChosenView],
    unsaid: &[usize],
    settings: &Settings,
) {
    for chosen in chosen {
        apply_view(draft, chosen, unsaid, settings);
    }
}

fn apply_view(
    draft: &mut ShapeDraft<'_>,
    chosen: &ChosenView,
    unsaid: &[usize],
    settings: &Settings,
) {
    let (rule, states_share) = match chosen.wanted {
        ViewRequest::Curated(_) => {
            ("curated", settings.curate.as_ref().is_some_and(|curate| curate.states_share))
        }
        ViewRequest::Summary(_) => ("summary", false),
    };
    let mut keep = select_view_lines(draft, chosen);
    for at in unsaid {
        keep[*at] &= chosen.file.is_some() && !chosen.covers(draft.result_line(*at));
    }
    if matches!(chosen.wanted, ViewRequest::Summary(_)) {
        // After a client's truncation mark, lines have no number, so no view can keep them.
        for (at, keep) in keep.iter_mut().enumerate() {
            let line = draft.result_line(at);
            *keep &= line.number.is_some() || line.path.is_none();
        }
    }
    let places = LinePositions::from_draft(draft, chosen);
    let names = OmittedNames::from_view(draft, &chosen.view, &places);
    omit_ranges(draft, &keep, &names, rule, chosen.wanted.shape_kind());
    if states_share {
        insert_share(draft, chosen, rule);
    }
    insert_file_kind(draft, chosen, rule);
    for remark in &chosen.view.remarks {
        let is_fit = is_safe_in_note(&remark.text, REMARK_BYTES_MAX);
        let place = places.first_position(remark.line);
        if let Some(at) = place.filter(|at| is_fit && draft.is_visible(*at)) {
            let note = Note::new(NoteKind::Remark(remark.text.clone()));
            draft.insert_heading(rule, at..at + 1, note);
        }
    }
}

/// Inserts a note on the share of the file's lines that is kept, before the first of them.
fn insert_share(draft: &mut ShapeDraft<'_>, chosen: &ChosenView, rule: &'static str) {
    let numbered = |at: &usize| chosen.covers(draft.result_line(*at));
    let count = |sum: usize| u32::try_from(sum).unwrap_or(u32::MAX);
    let mut visible = (0..draft.len()).filter(numbered).filter(|at| draft.is_visible(*at));
    let Some(first) = visible.next() else { return };
    let share = ViewLineCounts {
        shown: count(1 + visible.count()),
        all: count((0..draft.len()).filter(numbered).count()),
    };
    draft.insert_heading(rule, first..first + 1, Note::new(NoteKind::Curated(share)));
}

/// Inserts a note on the kind of the file before its first kept line.
fn insert_file_kind(draft: &mut ShapeDraft<'_>, chosen: &ChosenView, rule: &'static str) {
    let Some(sort) = chosen.view.sort else { return };
    let numbered = |at: &usize| chosen.covers(draft.result_line(*at));
    let Some(first) = (0..draft.len()).filter(numbered).find(|at| draft.is_visible(*at)) else {
        return;
    };
    let count = |sum: usize| u32::try_from(sum).unwrap_or(u32::MAX);
    let counts = Counts {
        lines: count((0..draft.len()).filter(numbered).count()),
        bytes: count(
            (0..draft.len()).filter(numbered).map(|at| draft.line_text(at).len() + 1).sum(),
        ),
        ..Counts::default()
    };
    let note = Note { counts, ..Note::new(NoteKind::EndsOf(sort)) };
    draft.insert_heading(rule, first..first + 1, note);
}

/// Omits every kept line for which `keep` is false. A note gives the range of a gap whose lines
/// count up, and names in it; only the first names the handle.
pub fn omit_ranges(
    draft: &mut ShapeDraft<'_>,
    keep: &[bool],
    names: &OmittedNames<'_>,
    rule: &'static str,
    kind: ShapeKind,
) {
    excerpt::omit_runs(draft, keep, rule, kind, |draft, run, amount, is_first| {
        let is_named = !is_first && !amount.lines.is_empty();
        let handle = (!is_named).then(|| draft.handle());
        Note { kind: names.omission_kind(run), handle, ..amount }
    });
}

/// Returns for each line of a draft whether a view keeps it. Lines that it does not cover are kept.
pub fn select_view_lines(draft: &ShapeDraft<'_>, chosen: &ChosenView) -> Vec<bool> {
    let kept = chosen.view.kept_ranges();
    let lines = (0..draft.len()).map(|at| draft.result_line(at));
    let number = |line: &ResultLine| line.number.filter(|_| chosen.covers(line));
    lines.map(|line| number(line).is_none_or(|number| kept.contains(number))).collect()
}

/// The positions of the lines that a view covers, sorted by number.
struct LinePositions(Vec<(LineNumber, usize)>);

impl LinePositions {
    fn from_draft(draft: &ShapeDraft<'_>, chosen: &ChosenView) -> Self {
        let line = |at| Some(draft.result_line(at)).filter(|line| chosen.covers(line));
        let place = |at| Some((line(at)?.number?, at));
        let mut places: Vec<_> = (0..draft.len()).filter_map(place).collect();
        places.sort_unstable();
        Self(places)
    }

    /// Returns the first position of a line.
    fn first_position(&self, line: LineNumber) -> Option<usize> {
        let (number, at) = *self.0.get(self.0.partition_point(|(number, _)| *number < line))?;
        (number == line).then_some(at)
    }
}

/// The names of a view that occur in the lines of a draft: position, rank and text, ascending.
#[derive(Default)]
pub struct OmittedNames<'v>(Vec<(usize, usize, &'v str)>);

impl<'v> OmittedNames<'v> {
    fn from_view(draft: &ShapeDraft<'_>, view: &'v LineSelection, places: &LinePositions) -> Self {
        let name = |(rank, label): (usize, &'v LineLabel)| {
            let at = places.first_position(label.line)?;
            is_listable_name(label, draft.line_text(at)).then_some((at, rank, &*label.text))
        };
        let mut names: Vec<_> = view.names.iter().enumerate().filter_map(name).collect();
        names.sort_unstable();
        Self(names)
    }

    /// Returns the kind of the note on omitted lines, with the names that occur in them.
    fn omission_kind(&self, lines: Range<usize>) -> NoteKind {
        let start = self.0.partition_point(|(at, ..)| *at < lines.start);
        let end = self.0.partition_point(|(at, ..)| *at < lines.end);
        let mut here: Vec<(usize, &str)> =
            self.0[start..end].iter().map(|(_, rank, text)| (*rank, *text)).collect();
        here.sort_unstable();
        let mut known = HashSet::new();
        let texts = here.into_iter().map(|(_, text)| text);
        let mut names: Vec<Box<str>> =
            texts.filter(|text| known.insert(*text)).map(Into::into).collect();
        // The number of further names is not recorded.
        let has_more = names.len() > GAP_NAMES_MAX;
        names.truncate(GAP_NAMES_MAX);
        NoteKind::LeftOut { names, has_more }
    }
}
