//! No pointer dangles, and every note is true: what is missing from a rendered result is
//! worked out anew from its pieces, and looked for in the rendered messages it points at.

use std::collections::HashSet;
use std::ops::Range;

use foveal_context::facts::visible_texts;
use foveal_context::lines::PrintedLine;
use foveal_context::note::{Note, NoteKind, Standing};
use foveal_context::shape::{Gap, Piece, Shape, ShapeKind};
use foveal_effects::{Change, EffectKind};
use foveal_transcript::{EntryIndex, Role};

use super::Moment;

/// Bytes of the original that are not shown, and what stands for parts of them.
struct Hole<'s> {
    bytes: Range<usize>,
    gaps: Vec<Gap<'s>>,
}

fn holes(shape: &Shape, length: usize) -> Vec<Hole<'_>> {
    let kept = shape.pieces.iter().filter_map(|piece| match piece {
        Piece::Keep(range) => Some(range.start as usize..range.end as usize),
        Piece::Break | Piece::Note(..) => None,
    });
    let mut gaps = shape.gaps().peekable();
    let mut at = 0;
    let mut found = Vec::new();
    for kept in kept.chain(std::iter::once(length..length)) {
        let bytes = at..kept.start;
        let mut inside = Vec::new();
        while let Some(gap) = gaps.next_if(|gap| gap.bytes.end as usize <= bytes.end) {
            assert!(bytes.start <= gap.bytes.start as usize, "{gap:?} stands for what is kept");
            inside.push(gap);
        }
        found.push(Hole { bytes, gaps: inside });
        at = kept.end;
    }
    assert_eq!(gaps.next(), None, "it stands for what is kept");
    found
}

impl<'s> Hole<'s> {
    /// The notes that stand for a line or a part of it.
    fn notes_on(&self, line: &PrintedLine) -> Vec<&'s Note> {
        let meets =
            |gap: &&Gap<'s>| gap.bytes.start < line.text.end && line.text.start < gap.bytes.end;
        self.gaps.iter().filter(meets).map(|gap| gap.note).collect()
    }
}

/// Lines none of whose text is shown; blank ones, marks between search hits and terminal noise
/// aside.
fn missing<'a>(moment: &Moment<'a>, index: EntryIndex, hole: &Hole<'_>) -> Vec<&'a PrintedLine> {
    let content = moment.record.entry(index).result().map_or("", |r| r.content.as_str());
    let inside = |range: &Range<u32>| {
        hole.bytes.start <= range.start as usize && range.end as usize <= hole.bytes.end
    };
    let facts = moment.record.facts(index);
    let is_run = facts.kind() == EffectKind::Run;
    let lines = &facts.printed.lines;
    lines
        .iter()
        .filter(|line| inside(&line.text) && !line.text_in(content).trim().is_empty())
        .filter(|line| !is_run || !line.whole_in(content).contains(['\u{1b}', '\r']))
        .filter(|line| line.path.is_some() || line.text_in(content) != HITS_APART)
        .collect()
}

/// What grep prints between hits that do not follow each other.
const HITS_APART: &str = "--";

/// Every missing line that a pointer stands for is visible, verbatim, in a message before it
/// that the note refers to.
pub fn none_dangles(moment: &Moment<'_>) {
    for (at, index, shape, original) in moment.replaced() {
        let lossless = matches!(shape.kind, ShapeKind::Pointer | ShapeKind::Delta);
        let targets = |entries: &[EntryIndex]| {
            let mut lines = Vec::new();
            for target in entries {
                let place = moment.position(*target).filter(|place| *place < at);
                let place = place.unwrap_or_else(|| {
                    panic!("{index:?} refers to {target:?}, which is not before it in the prompt")
                });
                lines.extend(lines_shown(moment, place));
            }
            lines
        };
        let all = targets(&shape.refers_to());
        for hole in holes(shape, original.len()) {
            for line in missing(moment, index, &hole) {
                let notes = hole.notes_on(line);
                let stands = |standing| notes.iter().any(|note| note.standing() == standing);
                let above = notes.iter().filter(|note| note.standing() == Standing::Above);
                let above: Vec<_> = above.flat_map(|note| targets(&note.refers_to)).collect();
                if !stands(Standing::Above) && !lossless {
                    continue;
                }
                let own = moment.texts[at].split('\n').filter(|_| stands(Standing::Before));
                let lines = if stands(Standing::Above) { &above } else { &all };
                let text = line.text_in(original);
                let found = lines.iter().copied().chain(own).any(|shown| shown.ends_with(text));
                assert!(found, "{index:?} points at {text:?}, which {notes:?} lack");
            }
        }
    }
}

/// The lines that the message at a window position shows.
fn lines_shown<'a>(moment: &Moment<'a>, place: usize) -> Vec<&'a str> {
    let entry = moment.record.entry(moment.window()[place]);
    if entry.role == Role::Tool {
        return moment.texts[place].split('\n').collect();
    }
    visible_texts(entry).into_iter().flat_map(|text| text.split('\n')).collect()
}

/// Where a line is missing a note stands for it, and one on what is left out names the handle,
/// or a range beside a note that names it.
pub fn gaps_are_noted(moment: &Moment<'_>) {
    each_hole(moment, |index, shape, hole, lines| {
        let names_handle = |note: &Note| note.handle == Some(shape.handle);
        let is_named = shape.notes().any(names_handle);
        for line in lines {
            let notes = hole.notes_on(line);
            assert!(!notes.is_empty(), "nothing says that {line:?} of {index:?} is missing");
            for note in notes {
                let told = names_handle(note) || (!note.lines.is_empty() && is_named);
                assert!(note.standing() != Standing::LeftOut || told, "no handle in {note:?}");
            }
        }
    });
}

/// The ranges and counts that a note gives cover the missing lines it stands for, and names
/// that it tells stand in them.
pub fn notes_are_true(moment: &Moment<'_>) {
    each_hole(moment, |index, _, hole, lines| {
        let content = moment.record.entry(index).result().map_or("", |r| &r.content);
        for gap in &hole.gaps {
            let stands = |line: &&&PrintedLine| {
                gap.bytes.start < line.text.end && line.text.start < gap.bytes.end
            };
            let lines: Vec<&PrintedLine> = lines.iter().filter(stands).copied().collect();
            covers(gap, &lines, index);
            let NoteKind::LeftOut { names, .. } = &gap.note.kind else { continue };
            for name in names {
                let stands = lines.iter().any(|line| line.text_in(content).contains(&**name));
                assert!(stands, "{index:?}: {name:?} is in none of the lines of {gap:?}");
            }
        }
    });
}

/// What a note calls the last line stands right before it: nothing else was left out there.
pub fn repeats_follow_their_line(moment: &Moment<'_>) {
    each_hole(moment, |index, _, hole, _| {
        for pair in hole.gaps.windows(2) {
            let torn = pair[1].note.standing() == Standing::Before;
            assert!(!torn, "{index:?}: {:?} follows {:?}", pair[1], pair[0]);
        }
    });
}

/// Calls `check` for each hole with missing lines: entry, shape, hole and the lines.
fn each_hole(moment: &Moment<'_>, check: impl Fn(EntryIndex, &Shape, &Hole<'_>, &[&PrintedLine])) {
    for (_, index, shape, original) in moment.replaced() {
        for hole in holes(shape, original.len()) {
            let lines = missing(moment, index, &hole);
            if !lines.is_empty() {
                check(index, shape, &hole, &lines);
            }
        }
    }
}

fn covers(gap: &Gap<'_>, lines: &[&PrintedLine], index: EntryIndex) {
    let note = gap.note;
    for line in lines.iter().filter(|_| !note.lines.is_empty()) {
        let number = line.number.map_or(0, |number| number.0);
        let is_in = note.lines.iter().any(|lines| lines.has(number));
        assert!(is_in, "{index:?}: {number} is not in {note:?}");
    }
    let hits: Vec<_> = lines.iter().filter_map(|line| line.path).collect();
    let files = hits.iter().collect::<HashSet<_>>().len();
    let told = match note.kind {
        NoteKind::Repeated { period, times } => period * times,
        _ => note.counts.lines,
    };
    let is_counted = |count: u32, least: usize| count == 0 || count as usize >= least;
    let counts = is_counted(told, lines.len())
        && is_counted(note.counts.hits, hits.len())
        && is_counted(note.counts.files, files);
    assert!(counts, "{index:?}: {} lines are missing, {note:?}", lines.len());
    // The line break before what is left out, and the one that the note takes, are no more.
    let bytes = gap.bytes.len() + 2;
    assert!(note.counts.bytes as usize <= bytes, "{index:?}: {bytes} bytes, {note:?}");
}

/// Who asks the same again right after a lossy answer or a pointer gets the content: nothing
/// is left out of the new answer.
pub fn asking_twice_helps(moment: &Moment<'_>) {
    let new = moment.window().iter().skip(moment.before.window.len().min(moment.window().len()));
    for index in new.filter(|index| index.at() >= moment.before.entries) {
        let facts = moment.record.facts(*index);
        let Some(call) = &facts.call else { continue };
        let same = |other: &&EntryIndex| {
            let theirs = moment.record.facts(**other).call.as_ref();
            *other < index && theirs.is_some_and(|theirs| theirs.key == call.key)
        };
        let Some(earlier) = moment.window().iter().rev().find(same) else { continue };
        let entries = moment.record.entries();
        let between = entries[earlier.at()..index.at()].iter();
        let responses = between.filter(|entry| entry.role == Role::Assistant).count();
        let lacking = |index: EntryIndex| {
            let shape = moment.projector.item(index).decision.shape();
            shape.is_some_and(|shape| shape.kind != ShapeKind::Compacted)
        };
        if responses == 1 && lacking(*earlier) {
            assert!(!lacking(*index), "{index:?} asks for {earlier:?} again, in vain");
        }
    }
}

/// The ledger holds no more lines than the prompt has, and only of entries in it.
pub fn ledger_is_bounded(moment: &Moment<'_>) {
    let Some(planner) = moment.planner() else { return };
    let lines = |index: &EntryIndex| moment.record.facts(*index).ids.len();
    let bound: usize = moment.window().iter().map(lines).sum();
    let held = planner.ledger().lines_visible();
    assert!(held <= bound, "{held} lines in the ledger, {bound} in the prompt");
}

/// What a note calls the same as lines of a file equals what the prompt says last of them: not what
/// an older answer says, nor what an edit took out since.
pub fn pointers_name_the_newest(moment: &Moment<'_>) {
    for (at, index, shape, original) in moment.replaced() {
        let facts = moment.record.facts(index);
        for gap in shape.gaps() {
            let first = gap.note.lines.first().map_or(0, |lines| lines.0);
            let shift = match gap.note.kind {
                NoteKind::Unchanged | NoteKind::AllUnchanged | NoteKind::HitsShown { .. } => 0,
                NoteKind::SameAs(there) if gap.note.file.is_none() => {
                    i64::from(there.0) - i64::from(first)
                }
                _ => continue,
            };
            let is_in = |line: &&PrintedLine| {
                gap.bytes.start <= line.text.start && line.text.end <= gap.bytes.end
            };
            for line in facts.printed.lines.iter().filter(is_in) {
                let numbered = line.path.zip(line.number);
                let is_named = |number: u32| gap.note.lines.iter().any(|lines| lines.has(number));
                let named = numbered.filter(|(_, number)| is_named(number.0));
                let Some((path, number)) = named else { continue };
                let path = &facts.printed.paths[usize::from(path)];
                let there = i64::from(number.0) + shift;
                let text = line.text_in(original);
                if text.trim().is_empty() {
                    continue;
                }
                let before = original[..line.text.start as usize].matches('\n').count();
                let newest = newest_text(moment, (at, original), path, (there, before));
                let what = format!("{index:?}: line {there} of {path}, {:?}", gap.note);
                assert_eq!(newest.as_deref(), Some(text), "{what}");
            }
        }
    }
}

/// What the prompt before a position says last of a line of a file, which has so many lines before it
/// in the result at the position; nothing if an edit since took out what is there again.
fn newest_text(
    moment: &Moment<'_>,
    (at, original): (usize, &str),
    path: &str,
    (number, before): (i64, usize),
) -> Option<String> {
    let is_file = |other: &str| other == path || other.ends_with(&format!("/{path}"));
    for place in (0..at).rev() {
        let index = moment.window()[place];
        let (entry, facts) = (moment.record.entry(index), moment.record.facts(index));
        if let Some(result) = entry.result() {
            let said = facts.printed.lines.iter().find(|line| {
                let theirs = line.path.map(|path| &facts.printed.paths[usize::from(path)]);
                line.number.is_some_and(|theirs| i64::from(theirs.0) == number)
                    && theirs.is_some_and(|theirs| is_file(theirs))
                    && says(moment, index, line)
            });
            if let Some(line) = said {
                return Some(line.text_in(&result.content).to_owned());
            }
        }
        let made = (0..).zip(&facts.calls).filter(|(at, _)| is_answered_well(moment, place, *at));
        let writes: Vec<_> = made.flat_map(|(_, call)| &call.effect.writes).collect();
        for write in writes.into_iter().rev().filter(|write| is_file(&write.path)) {
            match &write.change {
                Change::Content(content) => {
                    let line = usize::try_from(number - 1).ok()?;
                    return content.split('\n').nth(line).map(str::to_owned);
                }
                Change::Replace { old, new, .. }
                    if !old.is_empty()
                        && lines_of(&bare(original), old).contains(&before)
                        && !bare(original).contains(new.as_str()) =>
                {
                    return None;
                }
                _ => {}
            }
        }
    }
    None
}

/// The lines, from 0, in which `part` begins to end in `text`; none if it is not there.
fn lines_of(text: &str, part: &str) -> Range<usize> {
    let Some(start) = text.find(part) else { return 0..0 };
    let count = |end: usize| text[..end].matches('\n').count();
    count(start)..count(start + part.trim_end_matches('\n').len()) + 1
}

/// Whether the result of a call of the response at a window position tells of no failure.
fn is_answered_well(moment: &Moment<'_>, place: usize, call: usize) -> bool {
    let index = moment.window().get(place + 1 + call).copied();
    let result = index.and_then(|index| moment.record.entry(index).result());
    result.is_some_and(|result| !result.is_error)
}

/// A file as it was read, without the numbers before its lines.
fn bare(content: &str) -> String {
    let line = |line: &str| line.split_once('\u{2192}').map_or(line, |(_, text)| text).to_owned();
    content.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Whether a result shows a line of it, or points at its text.
fn says(moment: &Moment<'_>, index: EntryIndex, line: &PrintedLine) -> bool {
    let Some(shape) = moment.projector.item(index).decision.shape() else { return true };
    let gap = shape.gaps().find(|gap| {
        gap.bytes.start < line.text.end.max(line.text.start + 1) && line.text.start < gap.bytes.end
    });
    gap.is_none_or(|gap| gap.note.standing() != Standing::LeftOut)
}

/// A note that names a call names one: the only one of that name above, or so many from the end.
pub fn calls_are_named_once(moment: &Moment<'_>) {
    for (at, index, shape, _) in moment.replaced() {
        for note in shape.notes() {
            let (name, is_own, from_end) = match &note.kind {
                NoteKind::SameResult { call, from_end } => (call, false, *from_end),
                NoteKind::SameLines { call, is_own, from_end } => (call, *is_own, *from_end),
                _ => continue,
            };
            let mut named = Vec::new();
            for before in &moment.window()[..at] {
                let facts = moment.record.facts(*before);
                let is_result = moment.record.entry(*before).result().is_some();
                let own = facts.calls.iter().filter(|call| *call.label == **name).count();
                let count = if is_own { own } else { usize::from(facts.label() == &**name) };
                named.extend(vec![*before; if is_own || is_result { count } else { 0 }]);
            }
            let meant = match from_end {
                None if named.len() == 1 => named[0],
                Some(from_end) if named.len() > 1 => named[named.len() - from_end as usize],
                _ => panic!("{index:?}: {note:?} is one of {named:?}"),
            };
            assert!(note.refers_to.contains(&meant), "{index:?}: {note:?} means {meant:?}");
        }
    }
}
