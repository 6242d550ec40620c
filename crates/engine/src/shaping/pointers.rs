//! Rule `shown`: lines that are visible in the same prompt are replaced by pointers.
//!
//! The rule turns a repeated read into a pointer, a read after an edit into a delta and an
//! overlapping range into its new lines. It compares texts, so it needs no knowledge of the tool.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::conversation_record::ConversationRecord;
use crate::entry_facts::{EntryFacts, edited_file, file_name, line_text};
use crate::ledger::{Ledger, LinePosition};
use crate::message_shape::ShapeKind;
use crate::note::{Counts, LineNumberRange, Note, NoteKind};
use foveal_tool_effects::EffectKind;
use foveal_transcript::{EntryIndex, LineNumber};

use super::draft::{DraftGap, ShapeDraft};

mod block_matching;
mod block_size;
mod call_reference;
mod file_mentions;
mod newest_version;
mod own_file_lines;
mod readable_runs;
mod reminder;
mod source_lines;

pub use block_matching::find_matches;
pub(super) use call_reference::CallReference;
use file_mentions::PromptFileMentions;
use newest_version::NewestFileVersion;
pub use own_file_lines::PointerScope;
pub(super) use readable_runs::make_readable;
use source_lines::{is_among_hits, is_same_file, is_search_or_list};

const RULE: &str = "shown";

/// The prompt in which the rule searches for lines.
pub struct PointerContext<'a> {
    /// The conversation and its facts.
    pub record: &'a ConversationRecord,
    /// The visible lines.
    pub ledger: &'a Ledger,
    /// Whether texts in the arguments of the model's calls count as visible.
    pub includes_arguments: bool,
    /// The entries by file, computed on first use.
    mentions: OnceCell<PromptFileMentions<'a>>,
    /// The newest visible versions of requested files, by path. Only files that the prompt or the
    /// result name are in it, each with its visible lines.
    versions: RefCell<HashMap<Box<str>, Rc<NewestFileVersion<'a>>>>,
}

impl<'a> PointerContext<'a> {
    /// Creates the context of a prompt whose visible lines are in `ledger`.
    pub fn new(
        record: &'a ConversationRecord,
        ledger: &'a Ledger,
        includes_arguments: bool,
    ) -> Self {
        let (mentions, versions) = (OnceCell::new(), RefCell::default());
        Self { record, ledger, includes_arguments, mentions, versions }
    }

    /// Returns the newest visible version of the file at `path`.
    fn newest_version(&self, path: &str) -> Rc<NewestFileVersion<'a>> {
        if let Some(version) = self.versions.borrow().get(path) {
            return Rc::clone(version);
        }
        let mentions =
            self.mentions.get_or_init(|| PromptFileMentions::new(self.record, self.ledger));
        let version =
            Rc::new(NewestFileVersion::new(self.record, mentions, self.includes_arguments, path));
        self.versions.borrow_mut().insert(path.into(), Rc::clone(&version));
        version
    }
}

/// The smallest size of a block that a pointer replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinBlockSize {
    /// Bytes of text, without gutters.
    pub bytes: usize,
    /// Bytes of text if the lines belong to another or an unknown file: the note must name it, and
    /// equal text may mean little.
    pub bytes_elsewhere: usize,
    /// Lines that are not blank.
    pub lines: usize,
}

/// A block of the draft that is visible elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockMatch {
    lines: Range<usize>,
    sources: Vec<SourceRun>,
    origin: BlockOrigin,
}

/// Consecutive lines of one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SourceRun {
    place: LinePosition,
    count: u32,
}

/// The origin of a block, as a note names it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BlockOrigin {
    /// Lines of the newest version of the draft's own file, whose numbers are higher by this.
    Own(i64),
    /// Lines of the newest version of another file, by its name, from this number on.
    File(Box<str>, u32),
    /// Lines of a call; their file or its version is unknown.
    Call(CallReference),
}

impl SourceRun {
    fn continues_at(&self, place: LinePosition) -> bool {
        let SourceRun { place: LinePosition { entry, line }, count } = *self;
        place == LinePosition { entry, line: line + count }
    }
}

impl BlockMatch {
    /// Returns each line of the draft with its place.
    fn places(&self) -> impl Iterator<Item = (usize, LinePosition)> {
        let places = self.sources.iter().flat_map(|source| {
            let LinePosition { entry, line } = source.place;
            (line..line + source.count).map(move |line| LinePosition { entry, line })
        });
        self.lines.clone().zip(places)
    }

    /// Removes its first `count` lines.
    fn remove_first_lines(&mut self, count: usize) {
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

/// Replaces blocks of kept lines that are visible elsewhere by pointers.
pub fn insert_pointers(
    draft: &mut ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    mut matches: Vec<BlockMatch>,
) {
    matches.retain(|found| has_equal_texts(draft, seen, found));
    for block in merge_blocks(draft, matches) {
        let gap = DraftGap::new(ShapeKind::Pointer, pointer_note(draft, seen, &block));
        draft.omit_lines(RULE, block.lines, gap);
    }
}

/// Returns whether the texts of a block are equal, not only their hashes.
fn has_equal_texts(draft: &ShapeDraft<'_>, seen: &PointerContext<'_>, found: &BlockMatch) -> bool {
    found.places().all(|(at, place)| {
        let (entry, facts) = (seen.record.entry(place.entry), seen.record.facts(place.entry));
        line_text(entry, facts, place.line as usize) == Some(draft.line_text(at))
    })
}

/// Returns whether a file is known and is the one at `path`.
fn is_known_file(file: Option<&str>, path: &str) -> bool {
    file.is_some_and(|file| is_same_file(file, path))
}

/// Returns the file of the draft's line at `at`, if known.
fn draft_line_path<'d>(draft: &ShapeDraft<'d>, at: usize) -> Option<&'d str> {
    let path = draft.result_line(at).path?;
    draft.facts.printed.paths.get(usize::from(path)).map(String::as_str)
}

/// Returns whether the line at `at` belongs to a file and the one at `place` to another or an
/// unknown one.
fn is_line_of_other_file(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    at: usize,
    place: LinePosition,
) -> bool {
    let theirs = visible_line_path(seen.record.facts(place.entry), place.line);
    draft_line_path(draft, at).is_some_and(|ours| !is_known_file(theirs, ours))
}

/// Returns the file of a visible line, if known.
fn visible_line_path(facts: &EntryFacts, line: u32) -> Option<&str> {
    if let Some(argument) = facts.arguments.get(line as usize) {
        return edited_file(&facts.calls.get(usize::from(argument.call))?.effect);
    }
    let path = facts.printed.lines.get(line as usize)?.path?;
    facts.printed.paths.get(usize::from(path)).map(String::as_str)
}

/// Returns the shortest end of `path` that no other file has that the prompt shows or writes, nor
/// the draft's own.
fn unique_path_end<'a>(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    path: &'a str,
) -> &'a str {
    let names_it = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
    };
    let is_of_other =
        |other: &str, short: &str| names_it(other, short) && !is_same_file(other, path);
    let is_shared = |short: &str| {
        let others = seen.ledger.entries().map(|entry| seen.record.facts(entry));
        others.chain([draft.facts]).any(|facts| {
            let written = facts.calls.iter().filter_map(|call| edited_file(&call.effect));
            let mut paths = facts.printed.paths.iter().map(String::as_str).chain(written);
            paths.any(|other| is_of_other(other, short))
        })
    };
    let starts = path.char_indices().rev().filter(|(_, sign)| matches!(sign, '/' | '\\'));
    let mut ends = starts.map(|(at, _)| &path[at + 1..]).filter(|end| !end.is_empty());
    ends.find(|end| !is_shared(end)).unwrap_or(path)
}

/// Returns whether a pointer may lead to a place.
fn is_valid_target(draft: &ShapeDraft<'_>, seen: &PointerContext<'_>, place: LinePosition) -> bool {
    (seen.includes_arguments || seen.record.entry(place.entry).tool_result().is_some())
        && (is_search_or_list(draft.facts.kind()) || !is_among_hits(seen.record, place))
}

/// Returns whether the line at `at` is a hit with its place in a file.
fn is_hit(draft: &ShapeDraft<'_>, at: usize) -> bool {
    let line = draft.result_line(at);
    is_search_or_list(draft.facts.kind()) && line.path.is_some() && line.text != line.whole
}

/// Returns whether a line of the draft and one elsewhere are the same line of the same file, and
/// the prompt has no newer statement on it.
pub(super) fn is_same_current_line(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    at: usize,
    place: LinePosition,
) -> bool {
    let theirs = number_in_same_file(draft, seen, at, place);
    let ours = draft.result_line(at).number.filter(|ours| theirs == Some(ours.0));
    let is_newest = |number: LineNumber| {
        let version = draft_line_path(draft, at).map(|path| seen.newest_version(path));
        let (id, text) = (draft.facts.line_ids[at], draft.line_text(at));
        version.is_some_and(|version| version.is_current_line(number.0, id, text))
    };
    ours.is_some_and(is_newest)
}

/// Joins consecutive blocks of the same call, with only blank lines between them.
fn merge_blocks(draft: &ShapeDraft<'_>, matches: Vec<BlockMatch>) -> Vec<BlockMatch> {
    let mut groups: Vec<BlockMatch> = Vec::new();
    for found in matches {
        match groups.last_mut() {
            Some(group) if can_merge_blocks(draft, group, &found) => {
                group.lines.end = found.lines.end;
                group.sources.extend(found.sources);
            }
            _ => groups.push(found),
        }
    }
    groups
}

/// Returns whether one note can replace both blocks: numbers must continue over the blank lines
/// between them, since the note names one range.
fn can_merge_blocks(draft: &ShapeDraft<'_>, group: &BlockMatch, found: &BlockMatch) -> bool {
    let mut between = group.lines.end..found.lines.start;
    between.all(|at| draft.is_visible(at) && draft.line_text(at).trim().is_empty())
        && matches!(found.origin, BlockOrigin::Call(_))
        && group.origin == found.origin
        && !is_hit(draft, group.lines.start)
        && !is_hit(draft, found.lines.start)
        && draft.number_range(&group.lines).is_some()
        && draft.number_range(&(group.lines.start..found.lines.end)).is_some()
}

fn pointer_note(draft: &ShapeDraft<'_>, seen: &PointerContext<'_>, block: &BlockMatch) -> Note {
    let lines = block.lines.clone();
    let mut refers_to: Vec<_> = block.sources.iter().map(|source| source.place.entry).collect();
    refers_to.sort_unstable();
    refers_to.dedup();
    let is_hits = lines.clone().any(|at| is_hit(draft, at));
    let range = draft.number_range(&lines).filter(|_| !is_hits);
    if range.is_none()
        && let Some(name) = reminder::sole_reminder_name(draft, seen.ledger, lines.clone())
    {
        return Note { refers_to, ..Note::new(NoteKind::SameReminder { name: name.into() }) };
    }
    let count = lines.len() as u32;
    // The note must name the file of a range if the result shows several.
    let own = draft_line_path(draft, lines.start).filter(|_| draft.facts.printed.paths.len() > 1);
    let own = own.filter(|_| matches!(block.origin, BlockOrigin::Own(_)));
    let mut file: Option<Box<str>> = own.map(|path| unique_path_end(draft, seen, path).into());
    let kind = match &block.origin {
        BlockOrigin::Own(0) if covers_all_numbered_lines(draft, &lines) => NoteKind::AllUnchanged,
        BlockOrigin::Own(0) => NoteKind::Unchanged,
        BlockOrigin::Own(shift) => {
            let there = |number: u32| {
                u32::try_from(i64::from(number) + shift).expect("a line stands there")
            };
            let LineNumberRange(from, to) = range.expect("lines of a file have numbers");
            NoteKind::SameAs(LineNumberRange(there(from), there(to)))
        }
        BlockOrigin::File(path, first) => {
            file = Some(path.clone());
            NoteKind::SameAs(LineNumberRange(*first, first + count - 1))
        }
        BlockOrigin::Call(name) => name.same_lines_kind(),
    };
    let counts = match range {
        Some(_) => Counts::default(),
        None => Counts { lines: count, ..Counts::default() },
    };
    Note { file, counts, lines: range.into_iter().collect(), refers_to, ..Note::new(kind) }
}

/// Returns whether these are all numbered lines of the draft.
fn covers_all_numbered_lines(draft: &ShapeDraft<'_>, lines: &Range<usize>) -> bool {
    (0..draft.len()).all(|at| draft.result_line(at).number.is_none() || lines.contains(&at))
}

/// Returns the number of the line at `place`, if it is of the same file as the draft's line at
/// `at`.
fn number_in_same_file(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    at: usize,
    place: LinePosition,
) -> Option<u32> {
    let printed = &seen.record.facts(place.entry).printed;
    let line = printed.lines.get(place.line as usize)?;
    let theirs = printed.paths.get(usize::from(line.path?))?;
    is_same_file(theirs, draft_line_path(draft, at)?).then_some(line.number?.0)
}

/// Returns whether a place is in the result of a read: then the note names the file instead of the
/// call.
fn is_in_read_result(seen: &PointerContext<'_>, source: LinePosition) -> bool {
    let facts = seen.record.facts(source.entry);
    facts.kind() == EffectKind::Read && seen.record.entry(source.entry).tool_result().is_some()
}

/// Returns the gap for a result that equals the result of another call.
pub(super) fn identical_result_gap(
    draft: &ShapeDraft<'_>,
    name: &CallReference,
    source: EntryIndex,
) -> DraftGap {
    let file = match draft.facts.printed.paths.as_slice() {
        [path] if draft.facts.kind() == EffectKind::Read => Some(file_name(path).into()),
        _ => None,
    };
    let note = Note { file, refers_to: vec![source], ..Note::new(name.same_result_kind()) };
    DraftGap::new(ShapeKind::Pointer, note)
}

/// Returns whether all content of the result is lines of one file.
pub(super) fn is_single_file_read(draft: &ShapeDraft<'_>) -> bool {
    let is_of_file =
        |at: usize| draft.result_line(at).number.is_some() || draft.line_text(at).is_empty();
    draft.facts.printed.paths.len() == 1
        && !is_search_or_list(draft.facts.kind())
        && (0..draft.len()).all(is_of_file)
}

/// Returns whether the prompt has no newer statement on the lines of files in the draft.
pub(super) fn is_newest_version(draft: &ShapeDraft<'_>, seen: &PointerContext<'_>) -> bool {
    (0..draft.len()).all(|at| {
        let number = draft.result_line(at).number;
        number.zip(draft_line_path(draft, at)).is_none_or(|(number, path)| {
            seen.newest_version(path).is_current_line(
                number.0,
                draft.facts.line_ids[at],
                draft.line_text(at),
            )
        })
    })
}
