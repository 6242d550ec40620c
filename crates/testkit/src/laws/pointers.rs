//! Laws on pointers: every pointer resolves, and every note is true. The checks calculate the
//! missing lines of a rendered result from its pieces, and look for them in the rendered messages
//! that it points at.

use std::collections::HashSet;
use std::ops::Range;

use foveal_engine::entry_facts::visible_texts;
use foveal_engine::lines::ResultLine;
use foveal_engine::message_shape::{MessageShape, ShapeGap, ShapeKind, ShapePiece};
use foveal_engine::note::{Note, NoteKind, NoteTarget};
use foveal_tool_effects::{EffectKind, WriteChange};
use foveal_transcript::{EntryIndex, MessageRole};

use super::CheckedRequest;

/// An omitted byte range of the original, and the gaps in it with their notes.
struct OmittedRange<'s> {
    bytes: Range<usize>,
    gaps: Vec<ShapeGap<'s>>,
}

fn omitted_ranges(shape: &MessageShape, length: usize) -> Vec<OmittedRange<'_>> {
    let kept = shape.pieces.iter().filter_map(|piece| match piece {
        ShapePiece::Keep(range) => Some(range.start as usize..range.end as usize),
        ShapePiece::Break | ShapePiece::Note(..) => None,
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
        found.push(OmittedRange { bytes, gaps: inside });
        at = kept.end;
    }
    assert_eq!(gaps.next(), None, "it stands for what is kept");
    found
}

impl<'s> OmittedRange<'s> {
    /// Returns the notes on a line or a part of it.
    fn notes_for_line(&self, line: &ResultLine) -> Vec<&'s Note> {
        let meets = |gap: &&ShapeGap<'s>| {
            gap.bytes.start < line.text.end && line.text.start < gap.bytes.end
        };
        self.gaps.iter().filter(meets).map(|gap| gap.note).collect()
    }
}

/// Returns the lines without any visible text, except for blank ones, separators of search hits and
/// terminal noise.
fn missing_lines<'a>(
    moment: &CheckedRequest<'a>,
    index: EntryIndex,
    hole: &OmittedRange<'_>,
) -> Vec<&'a ResultLine> {
    let content = moment.record.entry(index).tool_result().map_or("", |r| r.content.as_str());
    let inside = |range: &Range<u32>| {
        hole.bytes.start <= range.start as usize && range.end as usize <= hole.bytes.end
    };
    let facts = moment.record.facts(index);
    let is_run = facts.kind() == EffectKind::Run;
    let lines = &facts.printed.lines;
    lines
        .iter()
        .filter(|line| inside(&line.text) && !line.file_text(content).trim().is_empty())
        .filter(|line| !is_run || !line.full_text(content).contains(['\u{1b}', '\r']))
        .filter(|line| line.path.is_some() || line.file_text(content) != HIT_SEPARATOR)
        .collect()
}

/// The separator that grep prints between groups of hits.
const HIT_SEPARATOR: &str = "--";

/// Every missing line with a pointer is visible, verbatim, in a message before it that the note
/// refers to.
pub fn pointers_resolve(moment: &CheckedRequest<'_>) {
    for (at, index, shape, original) in moment.replaced_results() {
        let lossless = matches!(shape.kind, ShapeKind::Pointer | ShapeKind::Delta);
        let targets = |entries: &[EntryIndex]| {
            let mut lines = Vec::new();
            for target in entries {
                let place = moment.position(*target).filter(|place| *place < at);
                let place = place.unwrap_or_else(|| {
                    panic!("{index:?} refers to {target:?}, which is not before it in the prompt")
                });
                lines.extend(visible_lines(moment, place));
            }
            lines
        };
        let all = targets(&shape.referenced_entries());
        for hole in omitted_ranges(shape, original.len()) {
            for line in missing_lines(moment, index, &hole) {
                let notes = hole.notes_for_line(line);
                let stands = |standing| notes.iter().any(|note| note.target() == standing);
                let above = notes.iter().filter(|note| note.target() == NoteTarget::Above);
                let above: Vec<_> = above.flat_map(|note| targets(&note.refers_to)).collect();
                if !stands(NoteTarget::Above) && !lossless {
                    continue;
                }
                let own = moment.texts[at].split('\n').filter(|_| stands(NoteTarget::Before));
                let lines = if stands(NoteTarget::Above) { &above } else { &all };
                let text = line.file_text(original);
                let found = lines.iter().copied().chain(own).any(|shown| shown.ends_with(text));
                assert!(found, "{index:?} points at {text:?}, which {notes:?} lack");
            }
        }
    }
}

/// Returns the lines that the message at a window position shows.
fn visible_lines<'a>(moment: &CheckedRequest<'a>, place: usize) -> Vec<&'a str> {
    let entry = moment.record.entry(moment.window()[place]);
    if entry.role == MessageRole::Tool {
        return moment.texts[place].split('\n').collect();
    }
    visible_texts(entry).into_iter().flat_map(|text| text.split('\n')).collect()
}

/// Every missing line has a note. A note on omitted content names the handle, or a range beside a
/// note that names it.
pub fn omissions_are_noted(moment: &CheckedRequest<'_>) {
    for_each_omission(moment, |index, shape, hole, lines| {
        let names_handle = |note: &Note| note.handle == Some(shape.handle);
        let is_named = shape.notes().any(names_handle);
        for line in lines {
            let notes = hole.notes_for_line(line);
            assert!(!notes.is_empty(), "nothing says that {line:?} of {index:?} is missing");
            for note in notes {
                let told = names_handle(note) || (!note.lines.is_empty() && is_named);
                assert!(note.target() != NoteTarget::Omitted || told, "no handle in {note:?}");
            }
        }
    });
}

/// The ranges and counts of a note cover its missing lines, and the names in it occur in them.
pub fn notes_are_true(moment: &CheckedRequest<'_>) {
    for_each_omission(moment, |index, _, hole, lines| {
        let content = moment.record.entry(index).tool_result().map_or("", |r| &r.content);
        for gap in &hole.gaps {
            let stands = |line: &&&ResultLine| {
                gap.bytes.start < line.text.end && line.text.start < gap.bytes.end
            };
            let lines: Vec<&ResultLine> = lines.iter().filter(stands).copied().collect();
            check_note_coverage(gap, &lines, index);
            let NoteKind::LeftOut { names, .. } = &gap.note.kind else { continue };
            for name in names {
                let stands = lines.iter().any(|line| line.file_text(content).contains(&**name));
                assert!(stands, "{index:?}: {name:?} is in none of the lines of {gap:?}");
            }
        }
    });
}

/// A note on a repetition of the last line follows that line directly; no other gap lies between.
pub fn repeats_follow_their_line(moment: &CheckedRequest<'_>) {
    for_each_omission(moment, |index, _, hole, _| {
        for pair in hole.gaps.windows(2) {
            let torn = pair[1].note.target() == NoteTarget::Before;
            assert!(!torn, "{index:?}: {:?} follows {:?}", pair[1], pair[0]);
        }
    });
}

/// Calls `check` for each omitted range with missing lines: entry, shape, range and the lines.
fn for_each_omission(
    moment: &CheckedRequest<'_>,
    check: impl Fn(EntryIndex, &MessageShape, &OmittedRange<'_>, &[&ResultLine]),
) {
    for (_, index, shape, original) in moment.replaced_results() {
        for hole in omitted_ranges(shape, original.len()) {
            let lines = missing_lines(moment, index, &hole);
            if !lines.is_empty() {
                check(index, shape, &hole, &lines);
            }
        }
    }
}

fn check_note_coverage(gap: &ShapeGap<'_>, lines: &[&ResultLine], index: EntryIndex) {
    let note = gap.note;
    for line in lines.iter().filter(|_| !note.lines.is_empty()) {
        let number = line.number.map_or(0, |number| number.0);
        let is_in = note.lines.iter().any(|lines| lines.contains(number));
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
    // The note also replaces the line break before the omitted content and its own.
    let bytes = gap.bytes.len() + 2;
    assert!(note.counts.bytes as usize <= bytes, "{index:?}: {bytes} bytes, {note:?}");
}

/// A call repeated right after a lossy answer or a pointer returns the complete content.
pub fn repeated_calls_return_content(moment: &CheckedRequest<'_>) {
    let new = moment.window().iter().skip(moment.before.window.len().min(moment.window().len()));
    for index in new.filter(|index| index.as_usize() >= moment.before.entries) {
        let facts = moment.record.facts(*index);
        let Some(call) = &facts.call else { continue };
        let same = |other: &&EntryIndex| {
            let theirs = moment.record.facts(**other).call.as_ref();
            *other < index && theirs.is_some_and(|theirs| theirs.key == call.key)
        };
        let Some(earlier) = moment.window().iter().rev().find(same) else { continue };
        let entries = moment.record.entries();
        let between = entries[earlier.as_usize()..index.as_usize()].iter();
        let responses = between.filter(|entry| entry.role == MessageRole::Assistant).count();
        let lacking = |index: EntryIndex| {
            let shape = moment.projector.entry_state(index).decision.shape();
            shape.is_some_and(|shape| shape.kind != ShapeKind::Compacted)
        };
        if responses == 1 && lacking(*earlier) {
            assert!(!lacking(*index), "{index:?} asks for {earlier:?} again, in vain");
        }
    }
}

/// The ledger holds at most as many lines as the prompt, and only of entries in it.
pub fn ledger_is_bounded(moment: &CheckedRequest<'_>) {
    let Some(planner) = moment.planner() else { return };
    let lines = |index: &EntryIndex| moment.record.facts(*index).line_ids.len();
    let bound: usize = moment.window().iter().map(lines).sum();
    let held = planner.ledger().visible_line_count();
    assert!(held <= bound, "{held} lines in the ledger, {bound} in the prompt");
}

/// Lines that a note equates with lines of a file equal their latest text in the prompt: not that
/// of an older answer, nor a text that an edit removed since.
pub fn pointers_match_newest_text(moment: &CheckedRequest<'_>) {
    for (at, index, shape, original) in moment.replaced_results() {
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
            let is_in = |line: &&ResultLine| {
                gap.bytes.start <= line.text.start && line.text.end <= gap.bytes.end
            };
            for line in facts.printed.lines.iter().filter(is_in) {
                let numbered = line.path.zip(line.number);
                let is_named =
                    |number: u32| gap.note.lines.iter().any(|lines| lines.contains(number));
                let named = numbered.filter(|(_, number)| is_named(number.0));
                let Some((path, number)) = named else { continue };
                let path = &facts.printed.paths[usize::from(path)];
                let there = i64::from(number.0) + shift;
                let text = line.file_text(original);
                if text.trim().is_empty() {
                    continue;
                }
                let before = original[..line.text.start as usize].matches('\n').count();
                let newest =
                    FileLine { path, number: there, original, before }.newest_text(moment, at);
                let what = format!("{index:?}: line {there} of {path}, {:?}", gap.note);
                assert_eq!(newest.as_deref(), Some(text), "{what}");
            }
        }
    }
}

/// A line of a file, as a result at a position of the prompt shows it.
#[derive(Clone, Copy)]
struct FileLine<'a> {
    path: &'a str,
    number: i64,
    /// The content of the result.
    original: &'a str,
    /// The number of lines before it in the result.
    before: usize,
}

/// The last thing that the writes of a response say about a line.
enum WrittenState<'a> {
    /// Nothing.
    Unknown,
    /// The content of the file has this text there; `None`: it has no such line.
    Text(Option<&'a str>),
    /// An edit removed the text.
    Removed,
}

impl FileLine<'_> {
    fn is_of(&self, path: &str) -> bool {
        path == self.path || path.ends_with(&format!("/{}", self.path))
    }

    /// Returns the latest text of the line in the prompt before position `at`. `None` if an edit
    /// removed a text that is present again, or if parallel calls show and write different texts.
    fn newest_text(&self, moment: &CheckedRequest<'_>, at: usize) -> Option<String> {
        for place in (0..at).rev() {
            let index = moment.window()[place];
            let (entry, facts) = (moment.record.entry(index), moment.record.facts(index));
            if let Some(result) = entry.tool_result() {
                let said = facts.printed.lines.iter().find(|line| {
                    let theirs = line.path.map(|path| &facts.printed.paths[usize::from(path)]);
                    line.number.is_some_and(|theirs| i64::from(theirs.0) == self.number)
                        && theirs.is_some_and(|theirs| self.is_of(theirs))
                        && is_line_visible(moment, index, line)
                });
                if let Some(line) = said {
                    let text = line.file_text(&result.content);
                    let response = (0..place).rev().find(|place| {
                        moment.record.entry(moment.window()[*place]).role == MessageRole::Assistant
                    });
                    let parallel = response.map_or(WrittenState::Unknown, |response| {
                        self.written_state(moment, response, Some(place - response - 1))
                    });
                    return match parallel {
                        WrittenState::Text(written) if written != Some(text) => None,
                        WrittenState::Removed => None,
                        WrittenState::Text(_) | WrittenState::Unknown => Some(text.to_owned()),
                    };
                }
            }
            match self.written_state(moment, place, None) {
                WrittenState::Unknown => {}
                WrittenState::Text(text) => return text.map(str::to_owned),
                WrittenState::Removed => return None,
            }
        }
        None
    }

    /// Returns what the successful calls of the response at a window position write there, but for
    /// the call `except`.
    fn written_state<'m>(
        &self,
        moment: &CheckedRequest<'m>,
        response: usize,
        except: Option<usize>,
    ) -> WrittenState<'m> {
        let facts = moment.record.facts(moment.window()[response]);
        let made = (0..)
            .zip(&facts.calls)
            .filter(|(at, _)| has_successful_result(moment, response, *at) && except != Some(*at));
        let writes: Vec<_> = made.flat_map(|(_, call)| &call.effect.writes).collect();
        for write in writes.into_iter().rev().filter(|write| self.is_of(&write.path)) {
            match &write.change {
                WriteChange::Content(content) => {
                    let line = usize::try_from(self.number - 1).ok();
                    return WrittenState::Text(line.and_then(|line| content.split('\n').nth(line)));
                }
                WriteChange::Replace { old, new, .. }
                    if !old.is_empty()
                        && line_span(&strip_line_numbers(self.original), old)
                            .contains(&self.before)
                        && !strip_line_numbers(self.original).contains(new.as_str()) =>
                {
                    return WrittenState::Removed;
                }
                _ => {}
            }
        }
        WrittenState::Unknown
    }
}

/// Returns the lines of `text`, from 0, that `part` spans; empty if it does not occur.
fn line_span(text: &str, part: &str) -> Range<usize> {
    let Some(start) = text.find(part) else { return 0..0 };
    let count = |end: usize| text[..end].matches('\n').count();
    count(start)..count(start + part.trim_end_matches('\n').len()) + 1
}

/// Returns whether the result of a call of the response at a window position is no error.
fn has_successful_result(moment: &CheckedRequest<'_>, place: usize, call: usize) -> bool {
    let index = moment.window().get(place + 1 + call).copied();
    let result = index.and_then(|index| moment.record.entry(index).tool_result());
    result.is_some_and(|result| !result.is_error)
}

/// Returns a file as read, without line numbers.
fn strip_line_numbers(content: &str) -> String {
    let line = |line: &str| line.split_once('\u{2192}').map_or(line, |(_, text)| text).to_owned();
    content.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns whether a result shows one of its lines, or points at its text.
fn is_line_visible(moment: &CheckedRequest<'_>, index: EntryIndex, line: &ResultLine) -> bool {
    let Some(shape) = moment.projector.entry_state(index).decision.shape() else { return true };
    let gap = shape.gaps().find(|gap| match line.text.is_empty() {
        // A gap ends in front of the line break after its last line.
        true => gap.bytes.start <= line.text.start && line.text.start <= gap.bytes.end,
        false => gap.bytes.start < line.text.end && line.text.start < gap.bytes.end,
    });
    gap.is_none_or(|gap| gap.note.target() != NoteTarget::Omitted)
}

/// A note that names a call is unambiguous: it is the only one of that name above, or its number
/// from the end is given.
pub fn call_references_are_unambiguous(moment: &CheckedRequest<'_>) {
    for (at, index, shape, _) in moment.replaced_results() {
        for note in shape.notes() {
            let (name, is_own, from_end) = match &note.kind {
                NoteKind::SameResult { call, from_end } => (call, false, *from_end),
                NoteKind::SameLines { call, is_own, from_end } => (call, *is_own, *from_end),
                _ => continue,
            };
            let mut named = Vec::new();
            for before in &moment.window()[..at] {
                let facts = moment.record.facts(*before);
                let is_result = moment.record.entry(*before).tool_result().is_some();
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
