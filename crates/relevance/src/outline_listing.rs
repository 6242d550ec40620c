//! Outlines and other parts of files as numbered listings, with a note for each gap.

use foveal_engine::note::{LineNumberRange, Note, NoteKind};
use foveal_syntax::{LineCursor, LineRange, OmittedLines, Outline, ParsedFile};
use foveal_transcript::LineNumber;

use crate::numbered_listing::{ListingRow, render_rows};

/// Limits for the names of hidden entities in the note of a gap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GapNameLimits {
    /// The largest number of names.
    pub(crate) count_max: usize,
    /// The longest name, in bytes; longer ones are only counted.
    pub(crate) bytes_max: usize,
}

/// The limits for the gaps of an outline.
const OUTLINE_GAP_NAME_LIMITS: GapNameLimits =
    GapNameLimits { count_max: 8, bytes_max: usize::MAX };

/// Returns the lines that an outline shows, with their numbers, and for each gap a note that names
/// its range.
pub fn outline_rows(outline: &Outline, parsed: &ParsedFile, text: &str) -> Vec<ListingRow> {
    listing_rows(outline.parts.iter().map(|part| part.lines), &outline.gaps, parsed, text)
}

/// Renders an outline as text, with lines as `12→`.
pub fn render_outline(outline: &Outline, parsed: &ParsedFile, text: &str) -> String {
    render_rows(&outline_rows(outline, parsed, text))
}

/// Returns the lines of `parts` with their numbers, and between them notes that name the gaps.
pub(crate) fn listing_rows(
    parts: impl Iterator<Item = LineRange>,
    gaps: &[OmittedLines],
    parsed: &ParsedFile,
    text: &str,
) -> Vec<ListingRow> {
    let mut lines = LineCursor::new(text);
    let width = parsed.line_count.max(1).ilog10() as usize + 1;
    let mut rows = Vec::new();
    let mut gaps = gaps.iter().peekable();
    for part in parts {
        while let Some(gap) = gaps.next_if(|gap| gap.lines.first < part.first) {
            rows.push(gap_row(parsed, gap, width, OUTLINE_GAP_NAME_LIMITS));
        }
        for number in part.first.0..=part.last.0 {
            let text = lines.line_at_row(number as usize - 1).into();
            rows.push(ListingRow::Line { number: LineNumber(number), width, text });
        }
    }
    rows.extend(gaps.map(|gap| gap_row(parsed, gap, width, OUTLINE_GAP_NAME_LIMITS)));
    rows
}

pub(crate) fn gap_row(
    parsed: &ParsedFile,
    gap: &OmittedLines,
    width: usize,
    told: GapNameLimits,
) -> ListingRow {
    let first = gap.lines.first;
    let of = gap.inside.map(|at| parsed.qualified_name(at).into());
    let inside = gap.inside.and_then(|at| parsed.entity(at));
    let is_before = inside.is_some_and(|of| first < of.signature.first);
    let names = gap.hides.iter().filter_map(|at| parsed.entity(*at)).map(|of| &of.name);
    let names: Vec<Box<str>> =
        names.filter(|name| name.len() <= told.bytes_max).take(told.count_max).cloned().collect();
    let more = (gap.hides.len() - names.len()) as u32;
    let lines = vec![LineNumberRange(first.0, gap.lines.last.0)];
    let note = Note { lines, ..Note::new(NoteKind::Hidden { of, is_before, names, more }) };
    ListingRow::Note { indent: width + 1, note }
}
