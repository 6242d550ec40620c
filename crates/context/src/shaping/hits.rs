//! Rule `hits`: of search hits that stand above already only the numbers stay.
//!
//! A hit says three things: file, number and text. File and number are what was searched
//! for, so every one of them stays; the text can be looked up where it stands.

use std::ops::Range;

use crate::facts::line_text;
use crate::ledger::Place;
use crate::shape::ShapeKind;
use foveal_effects::EffectKind;

use super::draft::{Draft, Gap};
use super::gutter::is_context;
use super::shown::{self, Seen};

const RULE: &str = "hits";

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
        let note = note_for(draft, at..end);
        let bytes: usize = (at..end).map(|line| draft.shown_len(line)).sum();
        if note.len() < bytes {
            let mut gap = Gap { note, refers_to: None, kind: ShapeKind::Pointer };
            for (line, source) in (at..end).zip(&sources[at..end]) {
                gap.refers_to = source.map(|place| place.entry);
                draft.leave_out(RULE, line..line + 1, gap.clone());
                gap.note.clear();
            }
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
    let gutter =
        &line.whole_in(draft.content)[..line.text.start as usize - line.whole.start as usize];
    let Some(number) = line.number else { return "" };
    let digits = number.0.to_string();
    let before = gutter.rfind(&digits).map_or("", |start| &gutter[..start]);
    before.strip_suffix([':', '-']).unwrap_or_default()
}

fn note_for(draft: &Draft<'_>, lines: Range<usize>) -> String {
    let mut numbers: Vec<String> = Vec::new();
    let mut context: Option<(u32, u32)> = None;
    for at in lines.clone() {
        let Some(number) = draft.line(at).number.map(|number| number.0) else { continue };
        match context {
            Some((first, last)) if is_context(draft, at) && number == last + 1 => {
                context = Some((first, number));
                continue;
            }
            Some(open) => numbers.push(bracketed(open)),
            None => {}
        }
        context = is_context(draft, at).then_some((number, number));
        if context.is_none() {
            numbers.push(number.to_string());
        }
    }
    numbers.extend(context.map(bracketed));
    let path = spelling(draft, lines.start);
    let gap = if path.is_empty() { "" } else { " " };
    format!("[{path}{gap}{}: shown above]", numbers.join(", "))
}

fn bracketed((first, last): (u32, u32)) -> String {
    if first == last { format!("({first})") } else { format!("({first}-{last})") }
}
