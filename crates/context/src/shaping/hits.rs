//! Rule `hits`: of search hits that stand above already only the numbers stay.
//!
//! A hit says three things: file, number and text. File and number are what was searched
//! for, so every one of them stays; the text can be looked up where it stands.

use std::ops::Range;

use crate::facts::line_text;
use crate::ledger::Place;
use crate::note::{Lines, Note, NoteKind};
use crate::shape::ShapeKind;
use foveal_effects::EffectKind;

use super::draft::{Draft, Gap};
use super::gutter::is_context;
use super::shown::{self, Seen};

const RULE: &str = "hits";

/// A note for less is as long, in tokens, as what it stands for.
const SAVING_BYTES_MIN: usize = 24;

/// Turns hits of one file that are visible above, at `sources`, into a list of their numbers.
/// Numbers of context lines are in brackets.
pub fn list_shown(draft: &mut Draft<'_>, sources: &[Option<Place>]) {
    let mut at = 0;
    while at < sources.len() {
        if sources[at].is_none() {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        loop {
            // What separates groups of hits goes with them.
            let next = if is_separator(draft, end) { end + 1 } else { end };
            let alike = next < draft.len() && draft.line(next).path == draft.line(at).path;
            if !alike || sources[next].is_none() {
                break;
            }
            end = next + 1;
        }
        let mut refers_to: Vec<_> =
            sources[at..end].iter().flatten().map(|place| place.entry).collect();
        refers_to.sort_unstable();
        refers_to.dedup();
        let note = Note { refers_to, ..note_for(draft, at..end) };
        let gap = Gap::new(ShapeKind::Pointer, note);
        let bytes: usize = (at..end).map(|line| draft.shown_len(line)).sum();
        if gap.note_len() + SAVING_BYTES_MIN <= bytes {
            draft.leave_out(RULE, at..end, gap);
        }
        at = end;
    }
}

/// Where each hit of a search is visible at its own number, if anywhere; nothing for other
/// results. Beside the hit before it comes first; else the latest place.
pub fn sources(draft: &Draft<'_>, seen: &Seen<'_>) -> Vec<Option<Place>> {
    if !matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List) {
        return Vec::new();
    }
    let mut found: Vec<Option<Place>> = Vec::with_capacity(draft.len());
    for at in 0..draft.len() {
        let line = draft.line(at);
        let is_hit = line.number.is_some() && line.text.start > line.whole.start;
        if !is_hit || !draft.keeps_all(at) {
            found.push(None);
            continue;
        }
        let beside = found.last().copied().flatten();
        let beside = beside.map(|place| Place { line: place.line + 1, ..place });
        let beside = beside.filter(|place| seen.ledger.sees(*place));
        let mut places = beside.into_iter().chain(seen.ledger.places(draft.facts.ids[at]));
        found.push(places.find(|place| shows(draft, seen, at, *place)));
    }
    found
}

/// Whether the same line of the same file is visible at `place`, in a read or a search.
fn shows(draft: &Draft<'_>, seen: &Seen<'_>, at: usize, place: Place) -> bool {
    let facts = seen.record.facts(place.entry);
    let entry = seen.record.entry(place.entry);
    matches!(facts.kind(), EffectKind::Read | EffectKind::Search | EffectKind::List)
        && shown::is_of_same_place(draft, seen, at, place)
        && line_text(entry, facts, place.line as usize) == Some(draft.text(at))
}

fn is_separator(draft: &Draft<'_>, at: usize) -> bool {
    at < draft.len() && draft.keeps_all(at) && draft.line(at).whole_in(draft.content) == "--"
}

/// What stands before the number of a hit, without the mark between them: the path as the
/// search printed it, or nothing under a heading.
fn spelling<'a>(draft: &Draft<'a>, at: usize) -> &'a str {
    let line = draft.line(at);
    let before_text = line.text.start as usize - line.whole.start as usize;
    let client = draft.facts.printed.client_prefix_len(at).min(before_text);
    let gutter = &line.whole_in(draft.content)[client..before_text];
    let Some(number) = line.number else { return "" };
    let digits = number.0.to_string();
    let before = gutter.rfind(&digits).map_or("", |start| &gutter[..start]);
    before.strip_suffix([':', '-']).unwrap_or_default()
}

/// Each found line on its own; context lines that follow each other as one range.
fn note_for(draft: &Draft<'_>, at: Range<usize>) -> Note {
    let mut lines: Vec<Lines> = Vec::new();
    let mut context: Vec<u32> = Vec::new();
    let mut is_open = false;
    for at in at.clone() {
        let Some(number) = draft.line(at).number.map(|number| number.0) else { continue };
        let is_context = is_context(draft, at);
        match lines.last_mut() {
            Some(last) if is_open && is_context && number == last.1 + 1 => last.1 = number,
            _ => {
                context.extend(is_context.then_some(lines.len() as u32));
                lines.push(Lines(number, number));
            }
        }
        is_open = is_context;
    }
    let file = Some(spelling(draft, at.start)).filter(|path| !path.is_empty()).map(Into::into);
    Note { file, lines, ..Note::new(NoteKind::HitsShown { context }) }
}
