//! The blocks of a draft that are visible elsewhere.

use std::cell::OnceCell;
use std::ops::Range;

use super::{
    BlockMin, Home, Match, Seen, is_among_hits, is_file, is_hit, is_line_elsewhere,
    is_of_same_place, own_path, path_of, same_file, serves, short_path,
};
use crate::ledger::{self, Place};
use crate::shaping::draft::Draft;
use crate::shaping::heading::is_heading;

/// Every block of kept lines that is visible elsewhere and worth a pointer, in order.
pub fn find_matches(draft: &Draft<'_>, seen: &Seen<'_>, minimum: BlockMin) -> Vec<Match> {
    let mut matches = Vec::new();
    let mut at = 0;
    let end = end(draft);
    let worth = Worth { draft, minimum, before: OnceCell::new() };
    while at < end {
        let best = if draft.keeps(at) { longest_at(draft, seen, at..end, &worth) } else { None };
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

/// The end of what can be pointed at. What follows the last line break is no line: it would be
/// counted, and having no number it would take the numbers from the note.
fn end(draft: &Draft<'_>) -> usize {
    let is_open = !draft.is_empty() && draft.line(draft.len() - 1).whole.is_empty();
    draft.len() - usize::from(is_open)
}

/// The longest block of `within` from its start on that is visible in one piece somewhere else and
/// worth a pointer. Among equally long ones the latest of the same file wins, else the latest:
/// that is the nearest for the reader.
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
        let is_own = own_path(draft, at).is_none_or(|ours| is_file(file, ours));
        let is_nearer = best.as_ref().is_none_or(|best| is_own && !best.is_own);
        if (length > longest || is_nearer) && worth.is(&lines, is_own) {
            best = Some(Candidate { lines, source, file, is_own });
        }
    }
    best.map(|candidate| candidate.into_match(draft, seen))
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
        let Self { lines, source, file, .. } = self;
        let home = match (file, own_path(draft, lines.start)) {
            (Some(file), Some(ours)) if same_file(file, ours) => Home::Own,
            (Some(file), _) => Home::File(short_path(draft, seen, file).into()),
            (None, _) => {
                let arguments = &seen.record.facts(source.entry).arguments;
                let argument = arguments.get(source.line as usize);
                Home::Call(source.entry, argument.map(|argument| argument.call))
            }
        };
        Match { lines, source, home }
    }
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
                || (is_among_hits(seen, *place) && is_of_same_place(draft, seen, *at, *place)))
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

/// What some lines hold.
#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    full: usize,
    bytes: usize,
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

impl Amount {
    fn add(&mut self, line: &str) {
        let text = line.trim();
        self.full += usize::from(!text.is_empty());
        self.bytes += text.len() + 1;
    }

    fn is_enough(self, is_own: bool, minimum: BlockMin) -> bool {
        let bytes_min = if is_own { minimum.bytes } else { minimum.bytes_elsewhere };
        self.full >= minimum.lines && self.bytes >= bytes_min
    }
}

/// Whether a block is worth a pointer to its own file, or to another one.
pub(super) fn is_worth(
    draft: &Draft<'_>,
    lines: &Range<usize>,
    is_own: bool,
    minimum: BlockMin,
) -> bool {
    let mut amount = Amount::default();
    lines.clone().for_each(|at| amount.add(draft.text(at)));
    amount.is_enough(is_own, minimum)
}
