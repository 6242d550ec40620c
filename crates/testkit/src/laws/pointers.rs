//! No pointer dangles, and every note is true: what is missing from a rendered result is
//! worked out anew from its pieces, and looked for in the rendered messages it points at.

use std::collections::HashSet;
use std::ops::Range;

use foveal_context::facts::visible_texts;
use foveal_context::lines::PrintedLine;
use foveal_context::shape::{Piece, Shape, ShapeKind};
use foveal_effects::EffectKind;
use foveal_transcript::{EntryIndex, Role};

use super::Moment;

/// Bytes of the original that are not shown, and the lines of ours that stand there.
struct Hole {
    bytes: Range<usize>,
    notes: Vec<String>,
}

fn holes(shape: &Shape, length: usize) -> Vec<Hole> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut ours = String::new();
    let mut close = |bytes: Range<usize>, ours: &mut String| {
        let notes = ours.split('\n').filter(|n| !n.is_empty()).map(str::to_owned).collect();
        ours.clear();
        found.push(Hole { bytes, notes });
    };
    for piece in &shape.pieces {
        match piece {
            Piece::Note(note) => ours.push_str(note),
            Piece::Keep(range) => {
                close(at..range.start as usize, &mut ours);
                at = range.end as usize;
            }
        }
    }
    close(at..length, &mut ours);
    found
}

/// What a line of ours says.
#[derive(Debug, PartialEq, Eq)]
enum Says {
    /// Stands elsewhere in the prompt.
    Pointer,
    /// What stands before it is repeated.
    Repeated,
    /// Left out, behind a handle.
    LeftOut,
    /// Names a file or explains numbers.
    Heading,
}

/// `[12-34 left out]`, `[12-34 left out: a, b]`: a range of which the handle was named before.
fn names_range(note: &str) -> bool {
    let rest = note.split_once(" left out").map(|(_, rest)| rest);
    range_of(note).is_some() && rest.is_some_and(|rest| rest.starts_with([']', ':']))
}

fn says(note: &str) -> Says {
    let points = note.ends_with(" above]")
        || note.contains(" lines as above in ")
        || note.starts_with("[same result as ");
    if note.starts_with('[') && points {
        Says::Pointer
    } else if note.starts_with("[last ") && note.ends_with(" more times]") {
        Says::Repeated
    } else if note.starts_with('[') && (note.contains("; expand ") || names_range(note)) {
        Says::LeftOut
    } else {
        Says::Heading
    }
}

/// Lines none of whose text is shown; blank ones, marks between search hits and terminal noise
/// aside.
fn missing<'a>(moment: &Moment<'a>, index: EntryIndex, hole: &Hole) -> Vec<&'a PrintedLine> {
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
/// that the shape refers to.
pub fn none_dangles(moment: &Moment<'_>) {
    for (at, index, shape, original) in moment.replaced() {
        let mut targets = Vec::new();
        for target in &shape.refers_to {
            let place = moment.position(*target);
            assert!(
                place.is_some_and(|place| place < at),
                "{index:?} refers to {target:?}, which is not before it in the prompt"
            );
            targets.extend(place.map(|place| lines_shown(moment, place)));
        }
        let lossless = matches!(shape.kind, ShapeKind::Pointer | ShapeKind::Delta);
        for hole in holes(shape, original.len()) {
            let notes: Vec<_> = hole.notes.iter().map(|note| says(note)).collect();
            let points = notes.contains(&Says::Pointer) && !notes.contains(&Says::LeftOut);
            if !points && !lossless {
                continue;
            }
            let own = moment.texts[at].split('\n');
            let own: Vec<&str> =
                if notes.contains(&Says::Repeated) { own.collect() } else { vec![] };
            for line in missing(moment, index, &hole) {
                let text = line.text_in(original);
                let found = targets.iter().flatten().chain(&own).any(|shown| shown.ends_with(text));
                assert!(found, "{index:?} points at {text:?}, which {:?} lack", shape.refers_to);
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

/// Where lines are missing something says so, and a lossy note names the handle, or a range
/// beside a note that names it.
pub fn gaps_are_noted(moment: &Moment<'_>) {
    let names_handle = |(_, index, shape, _): (usize, EntryIndex, &Shape, &str)| {
        let handle = shape.handle.to_string();
        let names = |piece: &Piece| matches!(piece, Piece::Note(note) if note.contains(&handle));
        shape.pieces.iter().any(names).then_some(index)
    };
    let named: HashSet<EntryIndex> = moment.replaced().filter_map(names_handle).collect();
    each_gap(moment, |index, handle, lines, notes| {
        assert!(!notes.is_empty(), "nothing says that {:?} of {index:?} is missing", lines[0]);
        for note in notes {
            let told = note.contains(handle) || (names_range(note) && named.contains(&index));
            assert!(says(note) != Says::LeftOut || told, "no handle in {note:?}");
        }
    });
}

/// The range or count that a note gives covers the missing lines it stands for, and names
/// that it tells stand in them.
pub fn notes_are_true(moment: &Moment<'_>) {
    each_gap(moment, |index, _, lines, notes| {
        if let [note] = notes {
            covers(note, lines, index);
            let content = moment.record.entry(index).result().map_or("", |r| &r.content);
            for name in names_in(note) {
                let stands = lines.iter().any(|line| line.text_in(content).contains(name));
                assert!(stands, "{index:?}: {name:?} is in none of the lines of {note:?}");
            }
        }
    });
}

/// The names in `[12-34 left out: a, b and 2 more; expand ...]`.
fn names_in(note: &str) -> Vec<&str> {
    let Some((_, names)) = note.split_once(" left out: ") else { return Vec::new() };
    let names = names.split("; expand ").next().unwrap_or_default().trim_end_matches(']');
    let names = names.rsplit_once(" and ").map_or(names, |(names, _)| names);
    names.split(", ").collect()
}

/// What a note calls the last line stands right before it: nothing else was left out there.
pub fn repeats_follow_their_line(moment: &Moment<'_>) {
    each_gap(moment, |index, _, _, notes| {
        for pair in notes.windows(2) {
            let torn = says(pair[1]) == Says::Repeated;
            assert!(!torn, "{index:?}: {:?} follows {:?}", pair[1], pair[0]);
        }
    });
}

/// Calls `check` for each hole with missing lines: entry, handle, the lines and the notes.
fn each_gap(moment: &Moment<'_>, check: impl Fn(EntryIndex, &str, &[&PrintedLine], &[&String])) {
    for (_, index, shape, original) in moment.replaced() {
        for hole in holes(shape, original.len()) {
            let lines = missing(moment, index, &hole);
            let notes: Vec<&String> =
                hole.notes.iter().filter(|note| says(note) != Says::Heading).collect();
            if lines.is_empty() {
                continue;
            }
            check(index, &shape.handle.to_string(), &lines, &notes);
        }
    }
}

fn covers(note: &str, lines: &[&PrintedLine], index: EntryIndex) {
    if let Some((first, last)) = range_of(note) {
        for line in lines {
            let number = line.number.map_or(0, |number| number.0);
            assert!((first..=last).contains(&number), "{index:?}: {number} is not in {note:?}");
        }
    } else if let Some(count) = count_of(note) {
        assert!(count >= lines.len(), "{index:?}: {} lines are missing, {note:?}", lines.len());
    }
}

/// `[12-34: ...` or `[12-34 left out...`.
fn range_of(note: &str) -> Option<(u32, u32)> {
    let word = note.strip_prefix('[')?.split([' ', ':']).next()?;
    let (first, last) = word.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// `[12 lines...`, `[last line repeated 3 more times]`.
fn count_of(note: &str) -> Option<usize> {
    let words: Vec<&str> = note.trim_matches(['[', ']']).split(' ').collect();
    match words.as_slice() {
        [count, lines, ..] if lines.starts_with("lines") => count.parse().ok(),
        ["last", "line", "repeated", times, ..] => times.parse().ok(),
        ["last", period, "lines", "repeated", times, ..] => {
            Some(period.parse::<usize>().ok()? * times.parse::<usize>().ok()?)
        }
        _ => None,
    }
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
