//! Rule `shown`: lines that stand in the same prompt already are pointed at, not repeated.
//!
//! This is what makes a re-read a pointer, a read after an edit a delta and an overlapping
//! range only its new lines; it works on the text, so it needs no knowledge of the tool.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::facts::{Facts, file_name, file_of, line_text};
use crate::ledger::{Ledger, Place};
use crate::note::{Counts, Lines, Note, NoteKind};
use crate::record::Record;
use crate::shape::ShapeKind;
use foveal_effects::EffectKind;
use foveal_transcript::{EntryIndex, LineNumber};

use super::draft::{Draft, Gap};

mod blocks;
mod call_names;
mod file_mentions;
mod newest_version;
mod own_lines;
mod readable;
mod reminder;
mod source_lines;
mod worth;

pub use blocks::find_matches;
pub(super) use call_names::CallName;
use file_mentions::FileMentions;
use newest_version::NewestVersion;
pub use own_lines::Reach;
pub(super) use readable::readable;
use source_lines::{is_among_hits, is_hits, same_file};

const RULE: &str = "shown";

/// What the rule needs to know of the world.
pub struct Seen<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// What is visible.
    pub ledger: &'a Ledger,
    /// Whether texts in the model's own call arguments count as visible.
    pub arguments: bool,
    /// The entries by file, once one is asked for.
    mentions: OnceCell<FileMentions<'a>>,
    /// The newest visible versions of files that were asked for, by path: of those that the prompt
    /// and the result name, of each no more than its visible lines.
    versions: RefCell<HashMap<Box<str>, Rc<NewestVersion<'a>>>>,
}

impl<'a> Seen<'a> {
    /// What is visible by `ledger`.
    pub fn new(record: &'a Record, ledger: &'a Ledger, arguments: bool) -> Self {
        let (mentions, versions) = (OnceCell::new(), RefCell::default());
        Self { record, ledger, arguments, mentions, versions }
    }

    /// The newest visible version of the file at `path`.
    fn version(&self, path: &str) -> Rc<NewestVersion<'a>> {
        if let Some(version) = self.versions.borrow().get(path) {
            return Rc::clone(version);
        }
        let mentions = self.mentions.get_or_init(|| FileMentions::new(self.record, self.ledger));
        let version = Rc::new(NewestVersion::new(self.record, mentions, self.arguments, path));
        self.versions.borrow_mut().insert(path.into(), Rc::clone(&version));
        version
    }
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
    sources: Vec<Source>,
    home: Home,
}

/// Lines of one entry that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Source {
    place: Place,
    count: u32,
}

/// Whose lines a block stands in, as a note names them.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Home {
    /// Those of the newest version of the draft's own file whose numbers are so much higher.
    Own(i64),
    /// Those of the newest version of another file, as it is named, from this number on.
    File(Box<str>, u32),
    /// Those of a call; of which file they are is not known, or which version.
    Call(CallName),
}

impl Source {
    fn goes_on_at(&self, place: Place) -> bool {
        let Source { place: Place { entry, line }, count } = *self;
        place == Place { entry, line: line + count }
    }
}

impl Match {
    /// The places of its lines, each with the draft's line.
    fn places(&self) -> impl Iterator<Item = (usize, Place)> {
        let places = self.sources.iter().flat_map(|source| {
            let Place { entry, line } = source.place;
            (line..line + source.count).map(move |line| Place { entry, line })
        });
        self.lines.clone().zip(places)
    }

    /// Leaves out its first lines.
    fn drop_start(&mut self, count: usize) {
        self.lines.start += count;
        let mut left = u32::try_from(count).unwrap_or(u32::MAX);
        self.sources.retain_mut(|source| {
            let dropped = left.min(source.count);
            left -= dropped;
            source.count -= dropped;
            source.place.line += dropped;
            source.count > 0
        });
    }
}

/// Marks blocks of kept lines that are visible elsewhere.
pub fn point_at(draft: &mut Draft<'_>, seen: &Seen<'_>, mut matches: Vec<Match>) {
    matches.retain(|found| says_the_same(draft, seen, found));
    for block in merged(draft, matches) {
        let gap = Gap::new(ShapeKind::Pointer, note_for(draft, seen, &block));
        draft.leave_out(RULE, block.lines, gap);
    }
}

/// Whether the texts of a block are equal, and not only their hashes.
fn says_the_same(draft: &Draft<'_>, seen: &Seen<'_>, found: &Match) -> bool {
    found.places().all(|(at, place)| {
        let (entry, facts) = (seen.record.entry(place.entry), seen.record.facts(place.entry));
        line_text(entry, facts, place.line as usize) == Some(draft.text(at))
    })
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
        && (is_hits(draft.facts.kind()) || !is_among_hits(seen.record, place))
}

/// Whether the line at `at` says of what place in a file it is.
fn is_hit(draft: &Draft<'_>, at: usize) -> bool {
    let line = draft.line(at);
    is_hits(draft.facts.kind()) && line.path.is_some() && line.text != line.whole
}

/// Whether a line of the draft and one elsewhere are the same line of the same file, and the prompt
/// says nothing else of it since.
pub(super) fn is_of_same_place(
    draft: &Draft<'_>,
    seen: &Seen<'_>,
    at: usize,
    place: Place,
) -> bool {
    let theirs = source_number(draft, seen, at, place);
    let ours = draft.line(at).number.filter(|ours| theirs == Some(ours.0));
    let is_newest = |number: LineNumber| {
        let version = own_path(draft, at).map(|path| seen.version(path));
        let (id, text) = (draft.facts.ids[at], draft.text(at));
        version.is_some_and(|version| version.has(number.0, id, text))
    };
    ours.is_some_and(is_newest)
}

/// Joins blocks that follow each other (but for blank lines) and stand in the same call.
fn merged(draft: &Draft<'_>, matches: Vec<Match>) -> Vec<Match> {
    let mut groups: Vec<Match> = Vec::new();
    for found in matches {
        match groups.last_mut() {
            Some(group) if joins(draft, group, &found) => {
                group.lines.end = found.lines.end;
                group.sources.extend(found.sources);
            }
            _ => groups.push(found),
        }
    }
    groups
}

/// Whether one note can stand for both blocks: numbers must run on over the blank lines between
/// them, for the note names one range for all.
fn joins(draft: &Draft<'_>, group: &Match, found: &Match) -> bool {
    let mut between = group.lines.end..found.lines.start;
    between.all(|at| draft.keeps(at) && draft.text(at).trim().is_empty())
        && matches!(found.home, Home::Call(_))
        && group.home == found.home
        && !is_hit(draft, group.lines.start)
        && !is_hit(draft, found.lines.start)
        && draft.numbers_of(&group.lines).is_some()
        && draft.numbers_of(&(group.lines.start..found.lines.end)).is_some()
}

fn note_for(draft: &Draft<'_>, seen: &Seen<'_>, block: &Match) -> Note {
    let lines = block.lines.clone();
    let mut refers_to: Vec<_> = block.sources.iter().map(|source| source.place.entry).collect();
    refers_to.sort_unstable();
    refers_to.dedup();
    let is_hits = lines.clone().any(|at| is_hit(draft, at));
    let range = draft.numbers_of(&lines).filter(|_| !is_hits);
    if range.is_none()
        && let Some(name) = reminder::only_one(draft, seen.ledger, lines.clone())
    {
        return Note { refers_to, ..Note::new(NoteKind::SameReminder { name: name.into() }) };
    }
    let count = lines.len() as u32;
    // Which file a range is of has to be said where the result shows several.
    let own = own_path(draft, lines.start).filter(|_| draft.facts.printed.paths.len() > 1);
    let own = own.filter(|_| matches!(block.home, Home::Own(_)));
    let mut file: Option<Box<str>> = own.map(|path| short_path(draft, seen, path).into());
    let kind = match &block.home {
        Home::Own(0) if is_all_numbered(draft, &lines) => NoteKind::AllUnchanged,
        Home::Own(0) => NoteKind::Unchanged,
        Home::Own(shift) => {
            let there = |number: u32| {
                u32::try_from(i64::from(number) + shift).expect("a line stands there")
            };
            let Lines(from, to) = range.expect("lines of a file have numbers");
            NoteKind::SameAs(Lines(there(from), there(to)))
        }
        Home::File(path, first) => {
            file = Some(path.clone());
            NoteKind::SameAs(Lines(*first, first + count - 1))
        }
        Home::Call(name) => name.same_lines(),
    };
    let counts = match range {
        Some(_) => Counts::default(),
        None => Counts { lines: count, ..Counts::default() },
    };
    Note { file, counts, lines: range.into_iter().collect(), refers_to, ..Note::new(kind) }
}

/// Whether these are all lines of a file that there are.
fn is_all_numbered(draft: &Draft<'_>, lines: &Range<usize>) -> bool {
    (0..draft.len()).all(|at| draft.line(at).number.is_none() || lines.contains(&at))
}

/// The number of the line at `place`, if it is of the same file as the draft's at `at`.
fn source_number(draft: &Draft<'_>, seen: &Seen<'_>, at: usize, place: Place) -> Option<u32> {
    let printed = &seen.record.facts(place.entry).printed;
    let line = printed.lines.get(place.line as usize)?;
    let theirs = printed.paths.get(usize::from(line.path?))?;
    same_file(theirs, own_path(draft, at)?).then_some(line.number?.0)
}

/// Whether a place is in what a read showed: then the file says where to look, without the call.
fn is_read(seen: &Seen<'_>, source: Place) -> bool {
    let facts = seen.record.facts(source.entry);
    facts.kind() == EffectKind::Read && seen.record.entry(source.entry).result().is_some()
}

/// The pointer for a result that stands whole elsewhere, in the answer to this call.
pub(super) fn identical(draft: &Draft<'_>, name: &CallName, source: EntryIndex) -> Gap {
    let file = match draft.facts.printed.paths.as_slice() {
        [path] if draft.facts.kind() == EffectKind::Read => Some(file_name(path).into()),
        _ => None,
    };
    let note = Note { file, refers_to: vec![source], ..Note::new(name.same_result()) };
    Gap::new(ShapeKind::Pointer, note)
}

/// Whether a note on the lines of one file says all there is to say of the result.
pub(super) fn is_of_one_file(draft: &Draft<'_>) -> bool {
    let is_of_file = |at: usize| draft.line(at).number.is_some() || draft.text(at).is_empty();
    draft.facts.printed.paths.len() == 1
        && !is_hits(draft.facts.kind())
        && (0..draft.len()).all(is_of_file)
}

/// Whether the prompt says nothing else of the lines of files since they were shown.
pub(super) fn is_newest(draft: &Draft<'_>, seen: &Seen<'_>) -> bool {
    (0..draft.len()).all(|at| {
        let number = draft.line(at).number;
        number.zip(own_path(draft, at)).is_none_or(|(number, path)| {
            seen.version(path).has(number.0, draft.facts.ids[at], draft.text(at))
        })
    })
}
