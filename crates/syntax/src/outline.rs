//! The outline of a file: imports, types with all their members, and signatures, without bodies.

use serde::{Deserialize, Serialize};

use crate::entity::{EntityIndex, EntityKind, ParsedFile};
use crate::line_range::LineRange;
use foveal_transcript::LineNumber;

/// The deepest level of keys of data files in an outline; top-level keys have depth 1.
const KEY_DEPTH_MAX: usize = 2;

/// The longest line, in bytes, that is shown instead of the note of a gap.
const SINGLE_LINE_BYTES_MAX: usize = 100;

/// The largest gap, in rows, that may be kept because its note would take more room.
const SHORT_GAP_ROWS: usize = 2;

/// The lines of a file that show its structure. Parts and gaps together cover the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The lines shown, in order, without overlap.
    pub parts: Vec<OutlinePart>,
    /// The lines left out, in order.
    pub gaps: Vec<OmittedLines>,
    /// The number of lines of the file.
    pub line_count: u32,
}

/// Lines that an outline shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinePart {
    /// The lines.
    pub lines: LineRange,
    /// The entities whose imports, attributes and signatures the lines hold, in order; empty for
    /// lines that are shown because a note in their place would be longer.
    pub of: Vec<EntityIndex>,
}

/// Lines that an outline or view leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedLines {
    /// The lines.
    pub lines: LineRange,
    /// The innermost entity around the first line that the gap does not hide itself.
    pub inside: Option<EntityIndex>,
    /// The entities whose signatures the gap hides.
    pub hides: Vec<EntityIndex>,
}

/// Returns the outline of the file that `parsed` was made from; `text` must be the same text.
pub fn outline(parsed: &ParsedFile, text: &str) -> Outline {
    let count = parsed.line_count;
    let mut kept = vec![false; count as usize];
    let shown: Vec<bool> =
        parsed.indexed_entities().map(|(at, _)| is_in_outline(parsed, at)).collect();
    for (_, entity) in parsed.indexed_entities().filter(|(at, _)| shown[at.as_usize()]) {
        for lines in [Some(entity.signature), entity.attributes].into_iter().flatten() {
            mark_lines(&mut kept, lines);
        }
    }
    keep_short_gaps(&mut kept, text);
    Outline::from_kept_rows(parsed, &kept, &shown)
}

impl Outline {
    /// Divides a file into the rows that are kept and the gaps between them. `kept` has a value for
    /// each row, `shown` for each entity whether its signature is visible.
    pub fn from_kept_rows(parsed: &ParsedFile, kept: &[bool], shown: &[bool]) -> Self {
        let mut found =
            Outline { parts: Vec::new(), gaps: Vec::new(), line_count: parsed.line_count };
        let mut row = 0;
        while row < kept.len() {
            let same = kept[row..].iter().take_while(|keep| **keep == kept[row]).count();
            let lines = rows_to_range(row, row + same - 1);
            if kept[row] {
                let of = entities_starting_in(parsed, lines, shown, true);
                found.parts.push(OutlinePart { lines, of });
            } else {
                found.gaps.push(OmittedLines::new(parsed, lines, shown));
            }
            row += same;
        }
        found
    }
}

impl OmittedLines {
    /// Returns the gap at `lines`; `shown` has for every entity whether its signature is visible.
    pub fn new(parsed: &ParsedFile, lines: LineRange, shown: &[bool]) -> Self {
        let hides = entities_starting_in(parsed, lines, shown, false);
        let innermost = parsed.innermost_entity(lines.first);
        let inside = innermost
            .and_then(|at| parsed.ancestry(at).find(|(at, _)| !hides.contains(at)))
            .map(|(at, _)| at);
        Self { lines, inside, hides }
    }
}

/// Returns whether an outline shows the entity at `at`: all but keys below the upper levels, which
/// are data.
pub fn is_in_outline(parsed: &ParsedFile, at: EntityIndex) -> bool {
    let is_key = parsed.entity(at).is_some_and(|entity| entity.kind == EntityKind::Key);
    !is_key || parsed.ancestry(at).take(KEY_DEPTH_MAX + 1).count() <= KEY_DEPTH_MAX
}

/// Returns the entities whose signature begins in `lines` and whose entry in `shown` is `want`.
fn entities_starting_in(
    parsed: &ParsedFile,
    lines: LineRange,
    shown: &[bool],
    want: bool,
) -> Vec<EntityIndex> {
    // An entity begins at or before its signature: only its comment and attributes precede it.
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

/// Marks the rows of `lines` as kept.
pub fn mark_lines(kept: &mut [bool], lines: LineRange) {
    for number in lines.first.0..=lines.last.0 {
        if let Some(keep) = kept.get_mut(number as usize - 1) {
            *keep = true;
        }
    }
}

/// Returns the lines of the rows from `first` to `last`, which count from 0.
fn rows_to_range(first: usize, last: usize) -> LineRange {
    let number = |row: usize| LineNumber(u32::try_from(row + 1).unwrap_or(u32::MAX));
    LineRange::new(number(first), number(last))
}

/// Marks gaps of at most one short line and a blank one as kept: their notes would take more room.
pub fn keep_short_gaps(kept: &mut [bool], text: &str) {
    let mut lines = LineCursor::new(text);
    let mut row = 0;
    while row < kept.len() {
        if kept[row] {
            row += 1;
            continue;
        }
        let length = kept[row..].iter().take_while(|keep| !**keep).count();
        if length <= SHORT_GAP_ROWS {
            let gap = (row..row + length).map(|row| lines.line_at_row(row));
            let mut told = gap.filter(|line| !line.trim().is_empty());
            let is_short = told.next().is_none_or(|line| line.len() <= SINGLE_LINE_BYTES_MAX);
            if is_short && told.next().is_none() {
                kept[row..row + length].fill(true);
            }
        }
        row += length;
    }
}

/// A cursor over the lines of a text that moves forward only and stores no lines.
#[derive(Debug, Clone)]
pub struct LineCursor<'t> {
    lines: std::str::Lines<'t>,
    /// The row that comes next.
    next_row: usize,
}

impl<'t> LineCursor<'t> {
    /// Creates a cursor at the first line.
    pub fn new(text: &'t str) -> Self {
        Self { lines: text.lines(), next_row: 0 }
    }

    /// Returns the line of a row at or after the cursor; empty beyond the end.
    pub fn line_at_row(&mut self, row: usize) -> &'t str {
        let line = self.lines.nth(row.saturating_sub(self.next_row)).unwrap_or_default();
        self.next_row = row + 1;
        line
    }
}
