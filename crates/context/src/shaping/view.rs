//! Rule `view`: of a read the lines are kept that were chosen; what is left out is named by
//! range, by names in it and, once, with the handle.

use std::collections::HashSet;
use std::ops::Range;

use crate::note::{Counts, Note, NoteKind};
use crate::shape::ShapeKind;
use crate::views::{Chosen, Label, NAMES_MAX, View, Wanted, is_fit, is_name_in};
use foveal_transcript::LineNumber;

use super::draft::Draft;
use super::excerpt;

/// Bytes of a remark.
const REMARK_BYTES_MAX: usize = 240;

/// Leaves out the lines of the file that were not chosen, and puts the remarks in.
pub fn show(draft: &mut Draft<'_>, chosen: &Chosen) {
    show_without(draft, chosen, &[]);
}

/// The same, and leaves out the lines at `unsaid` as well.
pub(super) fn show_without(draft: &mut Draft<'_>, chosen: &Chosen, unsaid: &[usize]) {
    let rule = match chosen.wanted {
        Wanted::Curated(_) => "curated",
        Wanted::Summary(_) => "summary",
    };
    let mut keep = lines_kept(draft, &chosen.view);
    unsaid.iter().for_each(|at| keep[*at] = false);
    if matches!(chosen.wanted, Wanted::Summary(_)) {
        // Behind a client's cut a file's lines have no number, and no one could choose them.
        for (at, keep) in keep.iter_mut().enumerate() {
            let line = draft.line(at);
            *keep &= line.number.is_some() || line.path.is_none();
        }
    }
    let places = Places::of(draft);
    let names = Names::of(draft, &chosen.view, &places);
    leave_out_ranges(draft, &keep, &names, (rule, chosen.wanted.kind()));
    tell_sort(draft, &chosen.view, rule);
    for remark in &chosen.view.remarks {
        let is_fit = is_fit(&remark.text, REMARK_BYTES_MAX);
        let place = places.at(remark.line);
        if let Some(at) = place.filter(|at| is_fit && draft.keeps(*at)) {
            let note = Note::new(NoteKind::Remark(remark.text.clone()));
            draft.head(rule, at..at + 1, note);
        }
    }
}

/// Says before the first line of the file that is kept what sort of file it is.
fn tell_sort(draft: &mut Draft<'_>, view: &View, rule: &'static str) {
    let Some(sort) = view.sort else { return };
    let numbered = |at: &usize| draft.line(*at).number.is_some();
    let Some(first) = (0..draft.len()).filter(numbered).find(|at| draft.keeps(*at)) else { return };
    let count = |sum: usize| u32::try_from(sum).unwrap_or(u32::MAX);
    let counts = Counts {
        lines: count((0..draft.len()).filter(numbered).count()),
        bytes: count((0..draft.len()).filter(numbered).map(|at| draft.text(at).len() + 1).sum()),
        ..Counts::default()
    };
    let note = Note { counts, ..Note::new(NoteKind::EndsOf(sort)) };
    draft.head(rule, first..first + 1, note);
}

/// Leaves out every kept line for which `keep` is false. Gaps are told by their range where
/// their lines count up, and by the names that stand in them; the handle is named once.
pub fn leave_out_ranges(
    draft: &mut Draft<'_>,
    keep: &[bool],
    names: &Names<'_>,
    rule_and_kind: (&'static str, ShapeKind),
) {
    excerpt::leave_out_runs(draft, keep, rule_and_kind, |draft, run, amount, is_first| {
        let is_named = !is_first && !amount.lines.is_empty();
        let handle = (!is_named).then(|| draft.handle());
        Note { kind: names.told_of(run), handle, ..amount }
    });
}

/// For each line of a draft, whether a view keeps it. Lines without a number are kept.
pub fn lines_kept(draft: &Draft<'_>, view: &View) -> Vec<bool> {
    let kept = view.kept();
    let lines = (0..draft.len()).map(|at| draft.line(at).number);
    lines.map(|number| number.is_none_or(|number| kept.has(number))).collect()
}

/// Where the numbered lines of a draft stand.
struct Places(Vec<(LineNumber, usize)>);

impl Places {
    fn of(draft: &Draft<'_>) -> Self {
        let place = |at| draft.line(at).number.map(|number| (number, at));
        let mut places: Vec<_> = (0..draft.len()).filter_map(place).collect();
        places.sort_unstable();
        Self(places)
    }

    /// The first place of a line.
    fn at(&self, line: LineNumber) -> Option<usize> {
        let (number, at) = *self.0.get(self.0.partition_point(|(number, _)| *number < line))?;
        (number == line).then_some(at)
    }
}

/// The names of a view that stand in the lines of a draft: place, rank and text, ascending.
#[derive(Default)]
pub struct Names<'v>(Vec<(usize, usize, &'v str)>);

impl<'v> Names<'v> {
    fn of(draft: &Draft<'_>, view: &'v View, places: &Places) -> Self {
        let name = |(rank, label): (usize, &'v Label)| {
            let at = places.at(label.line)?;
            is_name_in(label, draft.text(at)).then_some((at, rank, &*label.text))
        };
        let mut names: Vec<_> = view.names.iter().enumerate().filter_map(name).collect();
        names.sort_unstable();
        Self(names)
    }

    /// The names that stand in some lines that are left out.
    fn told_of(&self, lines: Range<usize>) -> NoteKind {
        let start = self.0.partition_point(|(at, ..)| *at < lines.start);
        let end = self.0.partition_point(|(at, ..)| *at < lines.end);
        let mut here: Vec<(usize, &str)> =
            self.0[start..end].iter().map(|(_, rank, text)| (*rank, *text)).collect();
        here.sort_unstable();
        let mut known = HashSet::new();
        let texts = here.into_iter().map(|(_, text)| text);
        let mut names: Vec<Box<str>> =
            texts.filter(|text| known.insert(*text)).map(Into::into).collect();
        // How many more there are is not recorded.
        let has_more = names.len() > NAMES_MAX;
        names.truncate(NAMES_MAX);
        NoteKind::LeftOut { names, has_more }
    }
}
