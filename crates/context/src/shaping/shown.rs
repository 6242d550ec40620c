//! Rule `shown`: lines that stand in the same prompt already are pointed at, not repeated.
//!
//! This is what makes a re-read a pointer, a read after an edit a delta and an overlapping
//! range only its new lines; it works on the text, so it needs no knowledge of the tool.

use std::ops::Range;

use crate::facts::{Facts, file_of, line_text};
use crate::ledger::{Ledger, Place};
use crate::note::{Counts, Lines, Note, NoteKind};
use crate::record::Record;
use crate::shape::ShapeKind;
use foveal_effects::EffectKind;
use foveal_transcript::EntryIndex;

use super::draft::{Draft, Gap};

mod blocks;
mod readable;
mod reminder;

pub use blocks::find_matches;
pub(super) use readable::readable;

const RULE: &str = "shown";

/// What the rule needs to know of the world.
pub struct Seen<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// What is visible.
    pub ledger: &'a Ledger,
    /// Whether texts in the model's own call arguments count as visible.
    pub arguments: bool,
}

/// How short a block may be and still be pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockMin {
    /// Bytes of text, gutters not counted.
    pub bytes: usize,
    /// The same, where the lines are those of another file or of unknown ones: whose they are has
    /// to be said, and that they are the same may mean little.
    pub bytes_elsewhere: usize,
    /// Lines that are not blank.
    pub lines: usize,
}

/// A block of the draft that stands elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    lines: Range<usize>,
    source: Place,
    home: Home,
}

/// Whose lines a block stands in, as far as a note has to say it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Home {
    /// Those of the draft's own file.
    Own,
    /// Those of another file, as it is named.
    File(Box<str>),
    /// Those of a result, or of one of a response's calls; of which file they are is not known.
    Call(EntryIndex, Option<u16>),
}

/// Marks blocks of kept lines that are visible elsewhere.
pub fn point_at(draft: &mut Draft<'_>, seen: &Seen<'_>, mut matches: Vec<Match>) {
    matches.retain(|found| says_the_same(draft, seen, found));
    for group in merged(draft, matches) {
        let gap = Gap::new(ShapeKind::Pointer, note_for(draft, seen, &group));
        draft.leave_out(RULE, lines_of(&group), gap);
    }
}

/// Whether the texts of a block are equal, and not only their hashes.
fn says_the_same(draft: &Draft<'_>, seen: &Seen<'_>, found: &Match) -> bool {
    let entry = seen.record.entry(found.source.entry);
    let facts = seen.record.facts(found.source.entry);
    places(found)
        .all(|(at, place)| line_text(entry, facts, place.line as usize) == Some(draft.text(at)))
}

/// Whether a file that may not be known is the one at `path`.
fn is_file(file: Option<&str>, path: &str) -> bool {
    file.is_some_and(|file| same_file(file, path))
}

/// The file of the draft's line at `at`, where that is known.
fn own_path<'d>(draft: &Draft<'d>, at: usize) -> Option<&'d str> {
    let path = draft.line(at).path?;
    draft.facts.printed.paths.get(usize::from(path)).map(String::as_str)
}

/// Whether a line of a file stands in another file at `place`, or in an unknown one.
fn is_line_elsewhere(draft: &Draft<'_>, seen: &Seen<'_>, at: usize, place: Place) -> bool {
    let theirs = path_of(seen.record.facts(place.entry), place.line);
    own_path(draft, at).is_some_and(|ours| !is_file(theirs, ours))
}

/// The file of a visible line, where that is known.
fn path_of(facts: &Facts, line: u32) -> Option<&str> {
    if let Some(argument) = facts.arguments.get(line as usize) {
        return file_of(&facts.calls.get(usize::from(argument.call))?.effect);
    }
    let path = facts.printed.lines.get(line as usize)?.path?;
    facts.printed.paths.get(usize::from(path)).map(String::as_str)
}

/// The end of `path` that no other file has that the prompt shows something of or writes to, nor
/// the draft's own.
fn short_path<'a>(draft: &Draft<'_>, seen: &Seen<'_>, path: &'a str) -> &'a str {
    let names_it = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
    };
    let is_of_other = |other: &str, short: &str| names_it(other, short) && !same_file(other, path);
    let is_shared = |short: &str| {
        let others = seen.ledger.entries().map(|entry| seen.record.facts(entry));
        others.chain([draft.facts]).any(|facts| {
            let written = facts.calls.iter().filter_map(|call| file_of(&call.effect));
            let mut paths = facts.printed.paths.iter().map(String::as_str).chain(written);
            paths.any(|other| is_of_other(other, short))
        })
    };
    let starts = path.char_indices().rev().filter(|(_, sign)| matches!(sign, '/' | '\\'));
    let mut ends = starts.map(|(at, _)| &path[at + 1..]).filter(|end| !end.is_empty());
    ends.find(|end| !is_shared(end)).unwrap_or(path)
}

/// Whether the reader may be sent to a place.
fn serves(draft: &Draft<'_>, seen: &Seen<'_>, place: Place) -> bool {
    (seen.arguments || seen.record.entry(place.entry).result().is_some())
        && (is_hits(draft.facts.kind()) || !is_among_hits(seen, place))
}

/// Whether the line at `at` says of what place in a file it is.
fn is_hit(draft: &Draft<'_>, at: usize) -> bool {
    let line = draft.line(at);
    is_hits(draft.facts.kind()) && line.path.is_some() && line.text != line.whole
}

/// Whether a line of the draft and one elsewhere are the same line of the same file.
pub(super) fn is_of_same_place(
    draft: &Draft<'_>,
    seen: &Seen<'_>,
    at: usize,
    place: Place,
) -> bool {
    source_number(draft, seen, at, place)
        .is_some_and(|theirs| draft.line(at).number.is_some_and(|ours| ours.0 == theirs))
}

fn is_hits(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Search | EffectKind::List)
}

/// Whether a line stands among search hits, behind a path or a number of theirs: no place to
/// send the reader of a file to.
fn is_among_hits(seen: &Seen<'_>, place: Place) -> bool {
    let facts = seen.record.facts(place.entry);
    let reads = matches!(facts.kind(), EffectKind::Read | EffectKind::Edit | EffectKind::Write);
    let line = facts.printed.lines.get(place.line as usize);
    is_hits(facts.kind()) || (!reads && line.is_some_and(|line| line.text != line.whole))
}

/// Joins blocks that follow each other (but for blank lines) and say the same of
/// themselves: lines of one file at their own numbers.
fn merged(draft: &Draft<'_>, matches: Vec<Match>) -> Vec<Vec<Match>> {
    let mut groups: Vec<Vec<Match>> = Vec::new();
    for found in matches {
        if let Some(group) = groups.last_mut() {
            let last = group.last().expect("a group has a block");
            let between = last.lines.end..found.lines.start;
            let near =
                between.clone().all(|at| draft.keeps(at) && draft.text(at).trim().is_empty());
            // Numbers must run on over the blank lines: the note names one range for all, and one
            // file.
            let alike = last.home == found.home
                && !is_hit(draft, last.lines.start)
                && !is_hit(draft, found.lines.start)
                && draft.numbers_of(&last.lines).is_some()
                && draft.numbers_of(&found.lines).is_some()
                && draft.numbers_of(&(last.lines.start..found.lines.end)).is_some();
            if near && alike {
                group.push(found);
                continue;
            }
        }
        groups.push(vec![found]);
    }
    groups
}

/// The lines from the first block of a group to its last.
fn lines_of(group: &[Match]) -> Range<usize> {
    let first = group.first().expect("a group has a block");
    let last = group.last().expect("a group has a block");
    first.lines.start..last.lines.end
}

fn note_for(draft: &Draft<'_>, seen: &Seen<'_>, group: &[Match]) -> Note {
    let first = group.first().expect("a group has a block");
    let last = group.last().expect("a group has a block");
    let lines = lines_of(group);
    let mut refers_to: Vec<_> = group.iter().map(|block| block.source.entry).collect();
    refers_to.sort_unstable();
    refers_to.dedup();
    let note = |kind| Note { refers_to, ..Note::new(kind) };
    let ends = (draft.numbers_of(&first.lines), draft.numbers_of(&last.lines));
    let is_hits = lines.clone().any(|at| is_hit(draft, at));
    let (Some(Lines(from, _)), Some(Lines(_, to)), false) = (ends.0, ends.1, is_hits) else {
        if let Some(name) = reminder::only_one(draft, seen.ledger, first.lines.clone()) {
            return note(NoteKind::SameReminder { name: name.into() });
        }
        let counts = Counts { lines: lines.len() as u32, ..Counts::default() };
        return match &first.home {
            Home::File(path) if is_read(seen, first.source) => {
                Note { counts, file: Some(path.clone()), ..note(NoteKind::Shown) }
            }
            _ => Note { counts, ..note(same_lines(seen, first.source)) },
        };
    };
    let mut file = None;
    let kind = match &first.home {
        Home::Own if group.iter().all(|block| same_numbers(draft, seen, block)) => {
            NoteKind::Unchanged
        }
        Home::Own => {
            let start = source_start(draft, seen, first).filter(|_| group.len() == 1);
            let there = |start| NoteKind::SameAs(Lines(start, start + (to - from)));
            start.map_or(NoteKind::Shown, there)
        }
        Home::File(path) => {
            file = Some(path.clone());
            NoteKind::Shown
        }
        Home::Call(..) => same_lines(seen, first.source),
    };
    Note { file, lines: vec![Lines(from, to)], ..note(kind) }
}

/// The places of a block's lines, each with the draft's line.
fn places(block: &Match) -> impl Iterator<Item = (usize, Place)> {
    let Place { entry, line } = block.source;
    block.lines.clone().zip(line..).map(move |(at, line)| (at, Place { entry, line }))
}

fn same_numbers(draft: &Draft<'_>, seen: &Seen<'_>, block: &Match) -> bool {
    places(block).all(|(at, place)| is_of_same_place(draft, seen, at, place))
}

/// The number of the block's first line where it was shown, if that was the same file and the
/// numbers ran on there.
fn source_start(draft: &Draft<'_>, seen: &Seen<'_>, block: &Match) -> Option<u32> {
    let start = source_number(draft, seen, block.lines.start, block.source)?;
    let run = places(block).zip(start..);
    let mut run = run.map(|((at, place), number)| (source_number(draft, seen, at, place), number));
    run.all(|(theirs, number)| theirs == Some(number)).then_some(start)
}

/// The number of the line at `place`, if it is of the same file as the draft's at `at`.
fn source_number(draft: &Draft<'_>, seen: &Seen<'_>, at: usize, place: Place) -> Option<u32> {
    let printed = &seen.record.facts(place.entry).printed;
    let line = printed.lines.get(place.line as usize)?;
    let theirs = printed.paths.get(usize::from(line.path?))?;
    same_file(theirs, own_path(draft, at)?).then_some(line.number?.0)
}

/// Whether two recorded paths name one file: equal, or one is the end of the other.
fn same_file(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short.trim_start_matches("./")).is_some_and(|rest| rest.ends_with('/'))
    };
    one == other || ends(one, other) || ends(other, one)
}

/// Whether a place is in what a read showed: then the file says where to look, without the call.
fn is_read(seen: &Seen<'_>, source: Place) -> bool {
    let facts = seen.record.facts(source.entry);
    facts.kind() == EffectKind::Read && seen.record.entry(source.entry).result().is_some()
}

fn same_lines(seen: &Seen<'_>, source: Place) -> NoteKind {
    let facts = seen.record.facts(source.entry);
    let own_call = facts.arguments.get(source.line as usize).map(|line| usize::from(line.call));
    match own_call.and_then(|call| facts.calls.get(call)) {
        Some(call) => NoteKind::SameLines { call: call.label.as_str().into(), is_own: true },
        None => NoteKind::SameLines { call: facts.label().into(), is_own: false },
    }
}

/// The pointer for a result that stands whole elsewhere.
pub fn identical(seen: &Seen<'_>, source: EntryIndex) -> Gap {
    let call = seen.record.facts(source).label().into();
    let note = Note { refers_to: vec![source], ..Note::new(NoteKind::SameResult { call }) };
    Gap::new(ShapeKind::Pointer, note)
}
