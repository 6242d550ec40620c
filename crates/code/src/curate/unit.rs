//! The smallest parts of a file that a view keeps or leaves out: statements, headers,
//! comments.

use std::collections::HashMap;

use crate::entity::{EntityIndex, Parsed};
use crate::lines::LineRange;

/// Lines of a unit; what is longer is cut.
const LINES_MAX: usize = 8;
/// Lines beyond these that only end it: blank ones, closing brackets and quotes.
const ENDS_MAX: usize = 4;

/// What a unit is to its entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    /// Outside all entities.
    Between,
    /// Documentation.
    Doc,
    /// Attributes, decorators, annotations.
    Attribute,
    /// The header, or all of an entity without a body.
    Signature,
    /// A statement or element.
    Body,
}

/// Lines that are kept together. Units cover a file and share no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The first row, from 0.
    pub(crate) first: usize,
    /// The row after the last.
    pub(crate) end: usize,
    /// The innermost entity.
    pub(crate) entity: Option<EntityIndex>,
    /// What it is to the entity.
    pub(crate) part: Part,
    /// The innermost statement, by its place in [`Parsed::blocks`].
    pub(crate) block: Option<usize>,
    /// The outermost statement of the entity that it is in.
    pub(crate) statement: Option<usize>,
}

impl Unit {
    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.first
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Owner {
    entity: Option<EntityIndex>,
    part: Part,
    block: Option<usize>,
    statement: Option<usize>,
}

/// The units of the file that `parsed` was made from, in order.
pub(crate) fn units(parsed: &Parsed, rows: &[&str]) -> Vec<Unit> {
    let mut owners = owners(parsed, rows.len());
    // Blank rows and closing brackets end what is before them.
    for row in 1..rows.len() {
        let says_nothing = !rows[row].contains(|c: char| c.is_alphanumeric() || c == '"');
        if says_nothing && !begins(parsed, owners[row].entity, row) {
            owners[row] = owners[row - 1];
        }
    }
    let mut units: Vec<Unit> = Vec::new();
    for (row, owner) in owners.iter().enumerate() {
        let goes_on = row > 0 && owners[row - 1] == *owner;
        // What only ends a unit is no unit of its own.
        let most = if says_something(rows[row]) { LINES_MAX } else { LINES_MAX + ENDS_MAX };
        match units.last_mut().filter(|unit| goes_on && unit.len() < most) {
            Some(unit) => unit.end = row + 1,
            None => units.push(Unit {
                first: row,
                end: row + 1,
                entity: owner.entity,
                part: owner.part,
                block: owner.block,
                statement: owner.statement,
            }),
        }
    }
    units
}

/// Whether a row says something by itself: no blank one, no bracket or quote that only ends what
/// is above.
pub(crate) fn says_something(row: &str) -> bool {
    row.contains(char::is_alphanumeric)
}

fn begins(parsed: &Parsed, entity: Option<EntityIndex>, row: usize) -> bool {
    let of = entity.and_then(|at| parsed.entity(at));
    of.is_some_and(|of| rows_of(of.lines).start == row)
}

fn owners(parsed: &Parsed, count: usize) -> Vec<Owner> {
    let nobody = Owner { entity: None, part: Part::Between, block: None, statement: None };
    let mut owners = vec![nobody; count];
    for (at, entity) in parsed.indexed() {
        let mut paint = |lines: Option<LineRange>, part| {
            let Some(lines) = lines else { return };
            let rows = rows_of(lines);
            for owner in owners.get_mut(rows.start..rows.end.min(count)).into_iter().flatten() {
                *owner = Owner { entity: Some(at), part, ..nobody };
            }
        };
        paint(Some(entity.lines), Part::Body);
        paint(entity.attributes, Part::Attribute);
        paint(Some(entity.signature), Part::Signature);
        paint(entity.doc, Part::Doc);
    }
    let mut covering = Covering::of_entities(parsed);
    for (row, owner) in owners.iter_mut().enumerate() {
        if matches!(owner.part, Part::Body | Part::Between)
            && let Some(blocks) = covering.get_mut(&owner.entity)
        {
            (owner.block, owner.statement) = blocks.at(parsed, row);
        }
    }
    owners
}

/// The statements of one entity, or of none, that go over a row. Rows are asked for in order, so
/// that all of them together take the time of a few passes, however deep statements nest.
#[derive(Default)]
struct Covering {
    /// Places of blocks, in order, each with the outermost statement around it.
    blocks: Vec<(usize, Option<usize>)>,
    /// How many of them begin above.
    begun: usize,
    /// Those that begin above; one that has ended may lie below others.
    open: Vec<usize>,
    /// The same of those in an outermost statement, told by that.
    outer: Vec<(usize, usize)>,
    /// How many of `blocks` have ended, from the first on.
    ended: usize,
}

impl Covering {
    fn of_entities(parsed: &Parsed) -> HashMap<Option<EntityIndex>, Self> {
        let mut all: HashMap<Option<EntityIndex>, Self> = HashMap::new();
        let mut statement = None;
        for (place, block) in parsed.blocks.iter().enumerate() {
            if block.depth == 0 || statement.is_none() {
                statement = Some(place);
            }
            let outer = statement.filter(|at| {
                let outer = parsed.blocks[*at];
                outer.inside == block.inside && outer.lines.covers(block.lines)
            });
            all.entry(block.inside).or_default().blocks.push((place, outer));
        }
        all
    }

    /// The innermost statement at a row, and the outermost one that it is in.
    fn at(&mut self, parsed: &Parsed, row: usize) -> (Option<usize>, Option<usize>) {
        let begins = |place: usize| rows_of(parsed.blocks[place].lines).start <= row;
        let has_ended = |place: usize| rows_of(parsed.blocks[place].lines).end <= row;
        while let Some((place, outer)) = self.blocks.get(self.begun).filter(|(at, _)| begins(*at)) {
            self.open.push(*place);
            self.outer.extend(outer.map(|outer| (*place, outer)));
            self.begun += 1;
        }
        while self.open.pop_if(|place| has_ended(*place)).is_some() {}
        while self.outer.pop_if(|(place, _)| has_ended(*place)).is_some() {}
        let begun = &self.blocks[..self.begun];
        while begun.get(self.ended).is_some_and(|(place, _)| has_ended(*place)) {
            self.ended += 1;
        }
        let first = || begun.get(self.ended).map(|(place, _)| *place);
        let statement = self.outer.last().map(|(_, outer)| *outer).or_else(first);
        (self.open.last().copied(), statement)
    }
}

/// Rows from 0 of lines from 1.
pub(crate) fn rows_of(lines: LineRange) -> std::ops::Range<usize> {
    lines.first.0.saturating_sub(1) as usize..lines.last.0 as usize
}

#[cfg(test)]
mod tests;
