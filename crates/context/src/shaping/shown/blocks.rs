//! The blocks of a draft that are visible elsewhere.

use std::cell::OnceCell;
use std::ops::Range;

use super::own_lines::{Reach, find_runs};
use super::worth::{Amount, end};
use super::{
    BlockMin, CallName, Home, Match, Seen, Source, is_among_hits, is_file, is_hit, is_hits,
    is_line_elsewhere, is_of_same_place, is_read, own_path, path_of, serves, short_path,
};
use crate::facts::line_text;
use crate::ledger::{self, Place};
use crate::shaping::draft::Draft;
use crate::shaping::heading::is_heading;

/// Every block of kept lines that is visible elsewhere and worth a pointer, in order.
pub fn find_matches(
    draft: &Draft<'_>,
    seen: &Seen<'_>,
    minimum: BlockMin,
    reach: Reach,
) -> Vec<Match> {
    let own = find_runs(draft, seen, minimum, reach);
    if reach == Reach::InPlace {
        return own;
    }
    let mut own = own.into_iter().peekable();
    let mut matches = Vec::new();
    let mut at = 0;
    let end = end(draft);
    let worth = Worth { draft, minimum, before: OnceCell::new() };
    while at < end {
        if let Some(found) = own.next_if(|found| found.lines.start == at) {
            at = found.lines.end;
            matches.push(found);
            continue;
        }
        let until = own.peek().map_or(end, |found| found.lines.start);
        let best = if draft.keeps(at) { longest_at(draft, seen, at..until, &worth) } else { None };
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

/// The longest block of `within` from its start on that is visible in one piece somewhere else and
/// worth a pointer. Among equally long ones the latest wins: that is the nearest for the reader.
/// Lines of the draft's own file are those of [`find_runs`]; an older version is pointed at, by its
/// call, only where no later answer says otherwise.
fn longest_at(
    draft: &Draft<'_>,
    seen: &Seen<'_>,
    within: Range<usize>,
    worth: &Worth<'_, '_>,
) -> Option<Match> {
    let (at, minimum) = (within.start, worth.minimum);
    let mut best: Option<Candidate<'_>> = None;
    for block in seen.ledger.blocks(draft.facts.ids[at]) {
        let source = block.start();
        // A long block that will not do would be looked at again from each of its lines.
        if minimum.bytes_elsewhere == usize::MAX && is_line_elsewhere(draft, seen, at, source) {
            continue;
        }
        let length = match_length(draft, seen, at, block).min(within.len());
        let longest = best.as_ref().map_or(0, |best| best.lines.len());
        let lines = at..at + length;
        // Most blocks are a single brace, and not looked at for that.
        if length < longest.max(minimum.lines)
            || !worth.may_be(&lines)
            || !serves(draft, seen, source)
        {
            continue;
        }
        let file = file_of_block(seen, source, length);
        let ours = own_path(draft, at);
        let is_own = ours.is_none_or(|ours| is_file(file, ours));
        let is_answer = seen.record.entry(source.entry).result().is_some();
        let is_found_elsewhere = is_own && is_answer && !is_hits(draft.facts.kind());
        if let Some(ours) = ours.filter(|_| is_found_elsewhere)
            && !may_be(draft, seen, ours, &lines)
        {
            continue;
        }
        let is_nearer = best.as_ref().is_none_or(|best| is_own && !best.is_own);
        if (length > longest || is_nearer) && worth.is(&lines, is_own) {
            best = Some(Candidate { lines, source, file, is_own });
        }
    }
    best.map(|candidate| candidate.into_match(draft, seen))
}

/// Whether the prompt says nothing else of these lines: an answer shows the texts at numbers that are
/// not known, or that are others since the model wrote the file.
fn may_be(draft: &Draft<'_>, seen: &Seen<'_>, path: &str, lines: &Range<usize>) -> bool {
    let version = seen.version(path);
    lines.clone().all(|at| {
        let number = draft.line(at).number;
        number.is_none_or(|number| version.may_be(number.0, draft.facts.ids[at]))
    })
}

/// A block of the draft that stands elsewhere, before it is known to be the best.
struct Candidate<'a> {
    lines: Range<usize>,
    source: Place,
    /// The one file that it stands in, where that is known.
    file: Option<&'a str>,
    /// Whether that is the draft's own, as far as the draft is of a file.
    is_own: bool,
}

impl Candidate<'_> {
    fn into_match(self, draft: &Draft<'_>, seen: &Seen<'_>) -> Match {
        let Self { lines, source, file, is_own } = self;
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let of_file = file.filter(|_| !is_own || own_path(draft, lines.start).is_none());
        let home = of_file.and_then(|file| {
            let first = numbers_in_newest(seen, file, source, count)?;
            Some(Home::File(short_path(draft, seen, file).into(), first))
        });
        let home = home.unwrap_or_else(|| Home::Call(name_of_call(seen, source)));
        Match { lines, sources: vec![Source { place: source, count }], home }
    }
}

/// The call whose answer or argument holds a line.
fn name_of_call(seen: &Seen<'_>, place: Place) -> CallName {
    let prompt = (seen.record, seen.ledger);
    let arguments = &seen.record.facts(place.entry).arguments;
    let argument = arguments.get(place.line as usize);
    let own = argument.and_then(|line| CallName::of_response(prompt, place.entry, line.call));
    own.unwrap_or_else(|| CallName::of_result(prompt, place.entry))
}

/// The number of the first of so many lines of a read from `source` on, if the newest visible
/// version of the file has all of them at their numbers.
fn numbers_in_newest(seen: &Seen<'_>, file: &str, source: Place, count: u32) -> Option<u32> {
    if !is_read(seen, source) {
        return None;
    }
    let (version, facts) = (seen.version(file), seen.record.facts(source.entry));
    let entry = seen.record.entry(source.entry);
    let first = facts.printed.lines.get(source.line as usize)?.number?.0;
    let has = |(line, number): (u32, u32)| {
        let printed = facts.printed.lines.get(line as usize);
        let text = line_text(entry, facts, line as usize).unwrap_or_default();
        printed.and_then(|line| line.number).is_some_and(|theirs| theirs.0 == number)
            && version.has(number, facts.ids[line as usize], text)
    };
    (source.line..source.line + count).zip(first..).all(has).then_some(first)
}

/// The one file that so many visible lines from `source` on are of, where that is known.
fn file_of_block<'a>(seen: &Seen<'a>, source: Place, length: usize) -> Option<&'a str> {
    let facts = seen.record.facts(source.entry);
    let first = path_of(facts, source.line)?;
    let mut others = (source.line..).take(length);
    others.all(|line| path_of(facts, line) == Some(first)).then_some(first)
}

/// How many lines from `at` on are those of `block`.
fn match_length(draft: &Draft<'_>, seen: &Seen<'_>, at: usize, block: ledger::Block<'_>) -> usize {
    let ids = draft.facts.ids.iter().enumerate().skip(at);
    let same = ids.zip(block.lines()).take_while(|((at, id), (place, text))| {
        // Of a hit the place is said as well, and that must stand there too.
        *id == text
            && draft.keeps(*at)
            && !is_heading(draft, *at)
            && (!is_hit(draft, *at)
                || (is_among_hits(seen.record, *place)
                    && is_of_same_place(draft, seen, *at, *place)))
    });
    same.count()
}

/// Whether blocks of a draft are worth a pointer: known of each without looking at its lines again,
/// since most blocks are short and stand in many places.
struct Worth<'a, 'd> {
    draft: &'a Draft<'d>,
    minimum: BlockMin,
    /// Of the lines before each line, and of all: those that are not blank, and bytes without gutters
    /// and indentation. Counted once a block is long enough for it to matter.
    before: OnceCell<Vec<Amount>>,
}

impl Worth<'_, '_> {
    fn before(&self) -> &[Amount] {
        self.before.get_or_init(|| {
            let mut all = Amount::default();
            let mut before = Vec::with_capacity(self.draft.len() + 1);
            before.push(all);
            for at in 0..self.draft.len() {
                all.add(self.draft.text(at));
                before.push(all);
            }
            before
        })
    }

    /// Whether a block is worth a pointer to its own file, or to another one.
    fn is(&self, lines: &Range<usize>, is_own: bool) -> bool {
        let before = self.before();
        let (to, from) = (before[lines.end], before[lines.start]);
        let amount = Amount { full: to.full - from.full, bytes: to.bytes - from.bytes };
        amount.is_enough(is_own, self.minimum)
    }

    /// Whether it is to either of them.
    fn may_be(&self, lines: &Range<usize>) -> bool {
        self.is(lines, true) || self.is(lines, false)
    }
}
