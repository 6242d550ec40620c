//! Rule `hits`: search hits that are visible above are reduced to their numbers.
//!
//! A hit has a file, a number and a text. File and number are the answer of the search, so all of
//! them stay; the text can be read at its place above.

use std::ops::Range;

use crate::entry_facts::line_text;
use crate::ledger::LinePosition;
use crate::message_shape::ShapeKind;
use crate::note::{LineNumberRange, Note, NoteKind};
use foveal_tool_effects::EffectKind;

use super::draft::{DraftGap, ShapeDraft};
use super::gutter::is_context_line;
use super::pointers::{self, PointerContext};

const RULE: &str = "hits";

/// Smallest number of saved bytes; below it a note takes as many tokens as the hits.
const SAVING_BYTES_MIN: usize = 24;

/// Replaces hits of one file that are visible above, at `sources`, by a list of their numbers, with
/// those of context lines in brackets.
pub fn list_visible_hits(draft: &mut ShapeDraft<'_>, sources: &[Option<LinePosition>]) {
    let mut at = 0;
    while at < sources.len() {
        if sources[at].is_none() {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        loop {
            // Separators of groups of hits are replaced with them.
            let next = if is_separator(draft, end) { end + 1 } else { end };
            let alike =
                next < draft.len() && draft.result_line(next).path == draft.result_line(at).path;
            if !alike || sources[next].is_none() {
                break;
            }
            end = next + 1;
        }
        let mut refers_to: Vec<_> =
            sources[at..end].iter().flatten().map(|place| place.entry).collect();
        refers_to.sort_unstable();
        refers_to.dedup();
        let note = Note { refers_to, ..visible_hits_note(draft, at..end) };
        let gap = DraftGap::new(ShapeKind::Pointer, note);
        let bytes: usize = (at..end).map(|line| draft.visible_len(line)).sum();
        if gap.note_len() + SAVING_BYTES_MIN <= bytes {
            draft.omit_lines(RULE, at..end, gap);
        }
        at = end;
    }
}

/// Returns the place at which each hit of a search is visible under its own number, if any; an
/// empty vector for other results. The place after that of the previous hit is preferred, then the
/// latest one.
pub fn find_hit_sources(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
) -> Vec<Option<LinePosition>> {
    if !matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List) {
        return Vec::new();
    }
    let mut found: Vec<Option<LinePosition>> = Vec::with_capacity(draft.len());
    for at in 0..draft.len() {
        let line = draft.result_line(at);
        let is_hit = line.number.is_some() && line.text.start > line.whole.start;
        if !is_hit || !draft.is_fully_visible(at) {
            found.push(None);
            continue;
        }
        let beside = found.last().copied().flatten();
        let beside = beside.map(|place| LinePosition { line: place.line + 1, ..place });
        let beside = beside.filter(|place| seen.ledger.is_visible(*place));
        let mut places = beside.into_iter().chain(seen.ledger.positions(draft.facts.line_ids[at]));
        found.push(places.find(|place| is_hit_visible_at(draft, seen, at, *place)));
    }
    found
}

/// Returns whether the same line of the same file is visible at `place`, in a read or a search.
fn is_hit_visible_at(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    at: usize,
    place: LinePosition,
) -> bool {
    let facts = seen.record.facts(place.entry);
    let entry = seen.record.entry(place.entry);
    matches!(facts.kind(), EffectKind::Read | EffectKind::Search | EffectKind::List)
        && pointers::is_same_current_line(draft, seen, at, place)
        && line_text(entry, facts, place.line as usize) == Some(draft.line_text(at))
}

fn is_separator(draft: &ShapeDraft<'_>, at: usize) -> bool {
    at < draft.len()
        && draft.is_fully_visible(at)
        && draft.result_line(at).full_text(draft.content) == "--"
}

/// Returns the path before the number of a hit as the search printed it, or an empty string under a
/// heading.
fn printed_path<'a>(draft: &ShapeDraft<'a>, at: usize) -> &'a str {
    let line = draft.result_line(at);
    let before_text = line.text.start as usize - line.whole.start as usize;
    let client = draft.facts.printed.client_prefix_len(at).min(before_text);
    let gutter = &line.full_text(draft.content)[client..before_text];
    let Some(number) = line.number else { return "" };
    let digits = number.0.to_string();
    let before = gutter.rfind(&digits).map_or("", |start| &gutter[..start]);
    before.strip_suffix([':', '-']).unwrap_or_default()
}

/// Returns a note that lists each hit separately and adjacent context lines as one range.
fn visible_hits_note(draft: &ShapeDraft<'_>, at: Range<usize>) -> Note {
    let mut lines: Vec<LineNumberRange> = Vec::new();
    let mut context: Vec<u32> = Vec::new();
    let mut is_open = false;
    for at in at.clone() {
        let Some(number) = draft.result_line(at).number.map(|number| number.0) else { continue };
        let is_context = is_context_line(draft, at);
        match lines.last_mut() {
            Some(last) if is_open && is_context && number == last.1 + 1 => last.1 = number,
            _ => {
                context.extend(is_context.then_some(lines.len() as u32));
                lines.push(LineNumberRange(number, number));
            }
        }
        is_open = is_context;
    }
    let file = Some(printed_path(draft, at.start)).filter(|path| !path.is_empty()).map(Into::into);
    Note { file, lines, ..Note::new(NoteKind::HitsShown { context }) }
}
