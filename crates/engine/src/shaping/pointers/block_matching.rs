//! Finds the blocks of a draft that are visible elsewhere.

use std::cell::OnceCell;
use std::ops::Range;

use super::block_size::{BlockSize, pointable_end};
use super::own_file_lines::{PointerScope, find_own_matches};
use super::{
    BlockMatch, BlockOrigin, CallReference, MinBlockSize, PointerContext, SourceRun,
    draft_line_path, is_among_hits, is_hit, is_in_read_result, is_known_file,
    is_line_of_other_file, is_same_current_line, is_search_or_list, is_valid_target,
    unique_path_end, visible_line_path,
};
use crate::entry_facts::line_text;
use crate::ledger::{self, LinePosition};
use crate::shaping::draft::ShapeDraft;
use crate::shaping::file_heading::is_file_heading;

/// Returns every block of kept lines that is visible elsewhere and worth a pointer, in order.
pub fn find_matches(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    minimum: MinBlockSize,
    reach: PointerScope,
) -> Vec<BlockMatch> {
    let own = find_own_matches(draft, seen, minimum, reach);
    if reach == PointerScope::InPlace {
        return own;
    }
    let mut own = own.into_iter().peekable();
    let mut matches = Vec::new();
    // A note on the answer itself stays.
    let mut at = draft.facts.reuse_note_lines;
    let end = pointable_end(draft);
    let worth = BlockSizes { draft, minimum, prefix_sums: OnceCell::new() };
    while at < end {
        if let Some(found) = own.next_if(|found| found.lines.start == at) {
            at = found.lines.end;
            matches.push(found);
            continue;
        }
        let until = own.peek().map_or(end, |found| found.lines.start);
        let best = if draft.is_visible(at) {
            find_longest_match(draft, seen, at..until, &worth)
        } else {
            None
        };
        match best {
            Some(found) => {
                at = found.lines.end;
                matches.push(found);
            }
            None => at += 1,
        }
    }
    matches
}

/// Returns the longest block from the start of `within` that is visible in one piece elsewhere and
/// worth a pointer. Among equally long ones the latest wins, which is the nearest for the reader.
/// Lines of the draft's own file are found by [`find_own_matches`]; here, an older version is
/// pointed at, by its call, only if no later answer contradicts it.
fn find_longest_match(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    within: Range<usize>,
    worth: &BlockSizes<'_, '_>,
) -> Option<BlockMatch> {
    let (at, minimum) = (within.start, worth.minimum);
    let mut best: Option<MatchCandidate<'_>> = None;
    for block in seen.ledger.blocks(draft.facts.line_ids[at]) {
        let source = block.start();
        // A long block that is unsuitable would be examined again from each of its lines.
        if minimum.bytes_elsewhere == usize::MAX && is_line_of_other_file(draft, seen, at, source) {
            continue;
        }
        let length = match_length(draft, seen, at, block).min(within.len());
        let longest = best.as_ref().map_or(0, |best| best.lines.len());
        let lines = at..at + length;
        // Most blocks are a single brace and need no look-up of their file.
        if length < longest.max(minimum.lines)
            || !worth.may_be_worth_pointer(&lines)
            || !is_valid_target(draft, seen, source)
        {
            continue;
        }
        let file = file_of_block(seen, source, length);
        let ours = draft_line_path(draft, at);
        let is_own = ours.is_none_or(|ours| is_known_file(file, ours));
        let is_answer = seen.record.entry(source.entry).tool_result().is_some();
        let is_found_elsewhere = is_own && is_answer && !is_search_or_list(draft.facts.kind());
        if let Some(ours) = ours.filter(|_| is_found_elsewhere)
            && !may_be_current(draft, seen, ours, &lines)
        {
            continue;
        }
        let is_nearer = best.as_ref().is_none_or(|best| is_own && !best.is_own);
        if (length > longest || is_nearer) && worth.is_worth_pointer(&lines, is_own) {
            best = Some(MatchCandidate { lines, source, file, is_own });
        }
    }
    best.map(|candidate| candidate.into_match(draft, seen))
}

/// Returns whether the prompt has no contradicting statement on these lines: an answer shows the
/// texts at unknown numbers, or at numbers that changed since the model wrote the file.
fn may_be_current(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    path: &str,
    lines: &Range<usize>,
) -> bool {
    let version = seen.newest_version(path);
    lines.clone().all(|at| {
        let number = draft.result_line(at).number;
        number.is_none_or(|number| version.may_have_text(number.0, draft.facts.line_ids[at]))
    })
}

/// A block of the draft that is visible elsewhere, and may not be the best one.
struct MatchCandidate<'a> {
    lines: Range<usize>,
    source: LinePosition,
    /// The file of all its source lines, if known.
    file: Option<&'a str>,
    /// Whether that is the draft's own file, as far as the draft's file is known.
    is_own: bool,
}

impl MatchCandidate<'_> {
    fn into_match(self, draft: &ShapeDraft<'_>, seen: &PointerContext<'_>) -> BlockMatch {
        let Self { lines, source, file, is_own } = self;
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let of_file = file.filter(|_| !is_own || draft_line_path(draft, lines.start).is_none());
        let home = of_file.and_then(|file| {
            let first = first_current_number(seen, file, source, count)?;
            Some(BlockOrigin::File(unique_path_end(draft, seen, file).into(), first))
        });
        let home = home.unwrap_or_else(|| BlockOrigin::Call(call_of_line(seen, source)));
        BlockMatch { lines, sources: vec![SourceRun { place: source, count }], origin: home }
    }
}

/// Returns the call whose result or arguments contain a line.
fn call_of_line(seen: &PointerContext<'_>, place: LinePosition) -> CallReference {
    let (record, ledger) = (seen.record, seen.ledger);
    let arguments = &record.facts(place.entry).arguments;
    let argument = arguments.get(place.line as usize);
    let own = argument
        .and_then(|line| CallReference::from_response(record, ledger, place.entry, line.call));
    own.unwrap_or_else(|| CallReference::from_result(record, ledger, place.entry))
}

/// Returns the number of the first of `count` lines of a read from `source` on, if the newest
/// visible version of the file has all of them at their numbers.
fn first_current_number(
    seen: &PointerContext<'_>,
    file: &str,
    source: LinePosition,
    count: u32,
) -> Option<u32> {
    if !is_in_read_result(seen, source) {
        return None;
    }
    let (version, facts) = (seen.newest_version(file), seen.record.facts(source.entry));
    let entry = seen.record.entry(source.entry);
    let first = facts.printed.lines.get(source.line as usize)?.number?.0;
    let has = |(line, number): (u32, u32)| {
        let printed = facts.printed.lines.get(line as usize);
        let text = line_text(entry, facts, line as usize).unwrap_or_default();
        printed.and_then(|line| line.number).is_some_and(|theirs| theirs.0 == number)
            && version.is_current_line(number, facts.line_ids[line as usize], text)
    };
    (source.line..source.line + count).zip(first..).all(has).then_some(first)
}

/// Returns the file of all visible lines from `source` on, if it is known and the same.
fn file_of_block<'a>(
    seen: &PointerContext<'a>,
    source: LinePosition,
    length: usize,
) -> Option<&'a str> {
    let facts = seen.record.facts(source.entry);
    let first = visible_line_path(facts, source.line)?;
    let mut others = (source.line..).take(length);
    others.all(|line| visible_line_path(facts, line) == Some(first)).then_some(first)
}

/// Returns the number of lines from `at` on that equal those of `block`.
fn match_length(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    at: usize,
    block: ledger::VisibleBlock<'_>,
) -> usize {
    let ids = draft.facts.line_ids.iter().enumerate().skip(at);
    let same = ids.zip(block.lines()).take_while(|((at, id), (place, text))| {
        // A hit also states its place, which must be the same.
        *id == text
            && draft.is_visible(*at)
            && !is_file_heading(draft, *at)
            && (!is_hit(draft, *at)
                || (is_among_hits(seen.record, *place)
                    && is_same_current_line(draft, seen, *at, *place)))
    });
    same.count()
}

/// Computes sizes of blocks of a draft from prefix sums, since most blocks are short and visible in
/// many places.
struct BlockSizes<'a, 'd> {
    draft: &'a ShapeDraft<'d>,
    minimum: MinBlockSize,
    /// The size of the lines before each line, and of all lines. Computed when a block is long
    /// enough for it to matter.
    prefix_sums: OnceCell<Vec<BlockSize>>,
}

impl BlockSizes<'_, '_> {
    fn prefix_sums(&self) -> &[BlockSize] {
        self.prefix_sums.get_or_init(|| {
            let mut all = BlockSize::default();
            let mut before = Vec::with_capacity(self.draft.len() + 1);
            before.push(all);
            for at in 0..self.draft.len() {
                all.add_line(self.draft.line_text(at));
                before.push(all);
            }
            before
        })
    }

    /// Returns whether a block is worth a pointer to its own file, or to another one.
    fn is_worth_pointer(&self, lines: &Range<usize>, is_own: bool) -> bool {
        let before = self.prefix_sums();
        let (to, from) = (before[lines.end], before[lines.start]);
        let amount = BlockSize {
            nonblank_lines: to.nonblank_lines - from.nonblank_lines,
            bytes: to.bytes - from.bytes,
        };
        amount.reaches_minimum(is_own, self.minimum)
    }

    /// Returns whether a block is worth a pointer to any file.
    fn may_be_worth_pointer(&self, lines: &Range<usize>) -> bool {
        self.is_worth_pointer(lines, true) || self.is_worth_pointer(lines, false)
    }
}
