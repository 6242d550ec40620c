//! The lines that an edit alters, with as much of long lines as lies around the altered places.

use std::fmt::Write;
use std::ops::Range;

use foveal_workspace::edit::PlannedText;

use crate::notes::FileNote;
use crate::session::{LineBytes, LineRangeSet, PartialLine};

use super::edit_target::EditTarget;

/// Most lines, and places in long lines, that are shown.
const LINES_SHOWN_MAX: u32 = 60;
const PLACES_SHOWN_MAX: usize = 20;

/// Longest line in bytes that is shown whole.
const LINE_BYTES_MAX: usize = 500;

/// Bytes of a long line shown before and after an altered place, and at both ends of a long place.
const SURROUNDING_BYTES: usize = 200;

/// Lines and parts of lines in a refusal, so that they count as seen.
#[derive(Debug, Default)]
pub(super) struct EditSurroundings {
    pub(super) text: String,
    /// The lines that are shown whole.
    pub(super) lines: LineRangeSet,
    /// The shown parts of the other lines.
    pub(super) parts: Vec<PartialLine>,
}

impl EditSurroundings {
    /// Returns these lines of the file with the altered places of long ones; `None` if there are
    /// too many, or if the altered place is too long.
    pub(super) fn from_lines(
        target: &EditTarget,
        planned: &PlannedText,
        lines: &LineRangeSet,
    ) -> Option<Self> {
        if lines.count() > LINES_SHOWN_MAX {
            return None;
        }
        let mut shown = Self::default();
        let mut start = 0;
        for (whole, number) in target.view.text().split_inclusive('\n').zip(1..) {
            let placed = LineBytes { number, bytes: start..start + whole.len() };
            start += whole.len();
            if !lines.contains(number) {
                continue;
            }
            let line = whole.trim_end_matches(['\r', '\n']);
            if line.len() <= LINE_BYTES_MAX {
                // Writing to a string cannot fail.
                let _ = writeln!(shown.text, "{number}→{line}");
                shown.lines.add_ranges([(number, number)]);
                continue;
            }
            let places = places_in_line(planned, &placed);
            if target.is_notebook || places.is_empty() || places.len() > PLACES_SHOWN_MAX {
                return None;
            }
            for place in join_near_places(places) {
                shown.push_place(number, line, &place, planned.is_verbatim)?;
            }
        }
        Some(shown)
    }

    /// Adds a place of a long line with its surroundings. `None` if the place is too long and the
    /// edit does not contain it.
    fn push_place(
        &mut self,
        number: u32,
        line: &str,
        place: &Range<usize>,
        is_verbatim: bool,
    ) -> Option<()> {
        let from = line.floor_char_boundary(place.start.saturating_sub(SURROUNDING_BYTES));
        let to = line.ceil_char_boundary((place.end + SURROUNDING_BYTES).min(line.len()));
        let middle_start = line.floor_char_boundary(place.start + SURROUNDING_BYTES);
        let middle_end = line.ceil_char_boundary(place.end.saturating_sub(SURROUNDING_BYTES));
        let shown = match to - from <= 2 * LINE_BYTES_MAX {
            true => line[from..to].to_owned(),
            false if is_verbatim => {
                let (head, tail) = (&line[from..middle_start], &line[middle_end..to]);
                format!("{head}{}{tail}", cut_note(middle_end - middle_start))
            }
            false => return None,
        };
        let (before, after) = (cut_note(from), cut_note(line.len() - to));
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{number}→{before}{shown}{after}");
        let to = (to < line.len()).then_some(to as u64);
        self.parts.push(PartialLine { line: number, from: from as u64, to });
        Some(())
    }
}

/// Returns the bytes that an edit replaces in a line, from the start of the line.
pub(super) fn places_in_line(planned: &PlannedText, line: &LineBytes) -> Vec<Range<usize>> {
    let Range { start, end } = line.bytes;
    let inside = planned.changed.iter().map(|change| &change.bytes).filter_map(|bytes| {
        let place = bytes.start.max(start)..bytes.end.min(end);
        (place.start < place.end).then(|| place.start - start..place.end - start)
    });
    inside.collect()
}

/// Joins places whose surroundings would overlap, as long as they can be shown without a gap.
fn join_near_places(places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for place in places {
        match joined.last_mut() {
            Some(last)
                if place.start <= last.end + SURROUNDING_BYTES
                    && place.end - last.start <= LINE_BYTES_MAX =>
            {
                last.end = place.end;
            }
            _ => joined.push(place),
        }
    }
    joined
}

/// Returns the note on omitted bytes of a line; empty if there are none.
fn cut_note(bytes: usize) -> String {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    if bytes == 0 { String::new() } else { FileNote::LineCut(bytes).to_string() }
}
