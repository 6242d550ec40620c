//! A file's structure: imports, types with all their members, signatures; no bodies.

use serde::{Deserialize, Serialize};

use crate::entity::{EntityIndex, EntityKind, Parsed};
use crate::lines::LineRange;
use crate::listing::{ListingRow, text_of};
use foveal_context::note::{Lines, Note, NoteKind};
use foveal_transcript::LineNumber;

/// Depth of keys in data files that are shown; the top ones have depth 1.
const KEY_DEPTH_MAX: usize = 2;

/// Bytes of a line that is shown rather than named as a gap.
const SINGLE_LINE_BYTES_MAX: usize = 100;

/// Rows of a gap that may be kept because naming it would take more room.
const SHORT_GAP_ROWS: usize = 2;

/// Which names of hidden entities a gap tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamesTold {
    /// How many at most.
    pub(crate) most: usize,
    /// Longer ones, in bytes, are only counted.
    pub(crate) bytes_max: usize,
}

/// Those of an outline's gap.
const NAMES_TOLD: NamesTold = NamesTold { most: 8, bytes_max: usize::MAX };

/// The lines of a file that show its structure. Parts and gaps together are all its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The lines shown, in order; they share none.
    pub parts: Vec<OutlinePart>,
    /// The lines left out, in order.
    pub gaps: Vec<Gap>,
    /// How many lines the file has.
    pub line_count: u32,
}

/// Lines that an outline shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinePart {
    /// Which lines.
    pub lines: LineRange,
    /// Whose imports, attributes and signatures they are, in order; empty for lines that
    /// are shown because a note in their place would be longer.
    pub of: Vec<EntityIndex>,
}

/// Lines that an outline leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Which lines.
    pub lines: LineRange,
    /// The innermost entity that its first line belongs to, other than those it hides.
    pub inside: Option<EntityIndex>,
    /// Entities that lie in it with their signature and are not shown.
    pub hides: Vec<EntityIndex>,
}

/// The outline of the file that `parsed` was made from; `text` must be the same text.
pub fn outline(parsed: &Parsed, text: &str) -> Outline {
    let count = parsed.line_count;
    let mut kept = vec![false; count as usize];
    let shown: Vec<bool> = parsed.indexed().map(|(at, _)| is_shown(parsed, at)).collect();
    for (_, entity) in parsed.indexed().filter(|(at, _)| shown[at.get()]) {
        for lines in [Some(entity.signature), entity.attributes].into_iter().flatten() {
            mark(&mut kept, lines);
        }
    }
    keep_what_is_shorter(&mut kept, text);
    let mut found = Outline { parts: Vec::new(), gaps: Vec::new(), line_count: count };
    let mut row = 0;
    while row < kept.len() {
        let same = kept[row..].iter().take_while(|keep| **keep == kept[row]).count();
        let lines = range(row, row + same - 1);
        if kept[row] {
            found.parts.push(OutlinePart { lines, of: starting(parsed, lines, &shown, true) });
        } else {
            found.gaps.push(Gap::of(parsed, lines, &shown));
        }
        row += same;
    }
    found
}

impl Outline {
    /// Kept lines of `text` with their numbers, and for each gap a note that names its range.
    pub fn rows(&self, parsed: &Parsed, text: &str) -> Vec<ListingRow> {
        rows(self.parts.iter().map(|part| part.lines), &self.gaps, parsed, text)
    }

    /// The rows as text: lines as `12→`.
    pub fn render(&self, parsed: &Parsed, text: &str) -> String {
        text_of(&self.rows(parsed, text))
    }
}

impl Gap {
    /// The gap at `lines`, where `shown` tells for every entity whether its signature is.
    pub(crate) fn of(parsed: &Parsed, lines: LineRange, shown: &[bool]) -> Self {
        let hides = starting(parsed, lines, shown, false);
        let innermost = parsed.innermost(lines.first);
        let inside = innermost
            .and_then(|at| parsed.ancestry(at).find(|(at, _)| !hides.contains(at)))
            .map(|(at, _)| at);
        Self { lines, inside, hides }
    }
}

/// Lines of `text` with their numbers, and between them notes that name the gaps.
pub(crate) fn rows(
    parts: impl Iterator<Item = LineRange>,
    gaps: &[Gap],
    parsed: &Parsed,
    text: &str,
) -> Vec<ListingRow> {
    let mut lines = Walk::over(text);
    let width = parsed.line_count.max(1).ilog10() as usize + 1;
    let mut rows = Vec::new();
    let mut gaps = gaps.iter().peekable();
    for part in parts {
        while let Some(gap) = gaps.next_if(|gap| gap.lines.first < part.first) {
            rows.push(gap_row(parsed, gap, width, NAMES_TOLD));
        }
        for number in part.first.0..=part.last.0 {
            let text = lines.row(number as usize - 1).into();
            rows.push(ListingRow::Line { number: LineNumber(number), width, text });
        }
    }
    rows.extend(gaps.map(|gap| gap_row(parsed, gap, width, NAMES_TOLD)));
    rows
}

pub(crate) fn gap_row(parsed: &Parsed, gap: &Gap, width: usize, told: NamesTold) -> ListingRow {
    let first = gap.lines.first;
    let of = gap.inside.map(|at| parsed.qualified_name(at).into());
    let inside = gap.inside.and_then(|at| parsed.entity(at));
    let is_before = inside.is_some_and(|of| first < of.signature.first);
    let names = gap.hides.iter().filter_map(|at| parsed.entity(*at)).map(|of| &of.name);
    let names: Vec<Box<str>> =
        names.filter(|name| name.len() <= told.bytes_max).take(told.most).cloned().collect();
    let more = (gap.hides.len() - names.len()) as u32;
    let lines = vec![Lines(first.0, gap.lines.last.0)];
    let note = Note { lines, ..Note::new(NoteKind::Hidden { of, is_before, names, more }) };
    ListingRow::Note { indent: width + 1, note }
}

/// Keys below the upper levels are data; everything else is structure.
pub(crate) fn is_shown(parsed: &Parsed, at: EntityIndex) -> bool {
    let is_key = parsed.entity(at).is_some_and(|entity| entity.kind == EntityKind::Key);
    !is_key || parsed.ancestry(at).take(KEY_DEPTH_MAX + 1).count() <= KEY_DEPTH_MAX
}

/// Entities whose signature begins in `lines` and that are or are not `shown`.
pub(crate) fn starting(
    parsed: &Parsed,
    lines: LineRange,
    shown: &[bool],
    want: bool,
) -> Vec<EntityIndex> {
    // An entity begins at or before its signature, at most its comment and attributes before.
    let end = parsed.entities.partition_point(|entity| entity.lines.first <= lines.last);
    let mut found = Vec::new();
    for at in (0..end).rev() {
        let entity = &parsed.entities[at];
        if lines.contains(entity.signature.first) && shown[at] == want {
            found.extend(u32::try_from(at).ok().map(EntityIndex));
        }
        if entity.lines.first < lines.first && entity.signature.first < lines.first {
            break;
        }
    }
    found.reverse();
    found
}

pub(crate) fn mark(kept: &mut [bool], lines: LineRange) {
    for number in lines.first.0..=lines.last.0 {
        if let Some(keep) = kept.get_mut(number as usize - 1) {
            *keep = true;
        }
    }
}

pub(crate) fn range(first: usize, last: usize) -> LineRange {
    let number = |row: usize| LineNumber(u32::try_from(row + 1).unwrap_or(u32::MAX));
    LineRange::new(number(first), number(last))
}

/// Keeps gaps that are no more than a short line and a blank one: naming them would take
/// more room.
pub(crate) fn keep_what_is_shorter(kept: &mut [bool], text: &str) {
    let mut lines = Walk::over(text);
    let mut row = 0;
    while row < kept.len() {
        if kept[row] {
            row += 1;
            continue;
        }
        let length = kept[row..].iter().take_while(|keep| !**keep).count();
        if length <= SHORT_GAP_ROWS {
            let gap = (row..row + length).map(|row| lines.row(row));
            let mut told = gap.filter(|line| !line.trim().is_empty());
            let is_short = told.next().is_none_or(|line| line.len() <= SINGLE_LINE_BYTES_MAX);
            if is_short && told.next().is_none() {
                kept[row..row + length].fill(true);
            }
        }
        row += length;
    }
}

/// The rows of a text, asked for in order. Those between are passed over, none is held.
struct Walk<'t> {
    lines: std::str::Lines<'t>,
    /// The row that comes next.
    next: usize,
}

impl<'t> Walk<'t> {
    fn over(text: &'t str) -> Self {
        Self { lines: text.lines(), next: 0 }
    }

    /// The line of a row that was not passed; empty beyond the end.
    fn row(&mut self, row: usize) -> &'t str {
        let line = self.lines.nth(row.saturating_sub(self.next)).unwrap_or_default();
        self.next = row + 1;
        line
    }
}
