//! Units, the smallest parts of a file that are scored: statements, headers, comments.

use std::collections::HashMap;

use foveal_syntax::{EntityIndex, LineRange, ParsedFile};

/// The largest number of lines of a unit; longer ones are cut.
const UNIT_LINES_MAX: usize = 8;
/// The number of further lines at its end without content: blank lines, closing brackets and
/// quotes.
const CLOSING_LINES_MAX: usize = 4;

/// The syntactic part of an entity that a unit belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum UnitPart {
    /// Outside of all entities.
    Outside,
    /// Documentation.
    Doc,
    /// Attributes, decorators, annotations.
    Attribute,
    /// The header, or all of an entity without a body.
    Signature,
    /// A statement or element.
    Body,
}

/// Lines that are scored together. Units cover a file and do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CurationUnit {
    /// The first row, from 0.
    pub(crate) first: usize,
    /// The row after the last one.
    pub(crate) end: usize,
    /// The innermost entity.
    pub(crate) entity: Option<EntityIndex>,
    /// The part of the entity.
    pub(crate) part: UnitPart,
    /// The innermost statement, as an index into [`ParsedFile::blocks`].
    pub(crate) block: Option<usize>,
    /// The outermost statement of the entity around the unit, as an index into [`ParsedFile::blocks`].
    pub(crate) statement: Option<usize>,
}

impl CurationUnit {
    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.first
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct RowOwner {
    entity: Option<EntityIndex>,
    part: UnitPart,
    block: Option<usize>,
    statement: Option<usize>,
}

/// Divides the file of `parsed` into units, in order.
pub(crate) fn divide_into_units(parsed: &ParsedFile, rows: &[&str]) -> Vec<CurationUnit> {
    let mut owners = row_owners(parsed, rows.len());
    // Blank rows and closing brackets belong to the rows before them.
    for row in 1..rows.len() {
        let says_nothing = !rows[row].contains(|c: char| c.is_alphanumeric() || c == '"');
        if says_nothing && !begins_entity(parsed, owners[row].entity, row) {
            owners[row] = owners[row - 1];
        }
    }
    let mut units: Vec<CurationUnit> = Vec::new();
    for (row, owner) in owners.iter().enumerate() {
        let goes_on = row > 0 && owners[row - 1] == *owner;
        // Rows without content end a unit and begin none.
        let most = if has_content(rows[row]) {
            UNIT_LINES_MAX
        } else {
            UNIT_LINES_MAX + CLOSING_LINES_MAX
        };
        match units.last_mut().filter(|unit| goes_on && unit.len() < most) {
            Some(unit) => unit.end = row + 1,
            None => units.push(CurationUnit {
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

/// Returns whether a row has letters or digits, so is neither blank nor only closing brackets or
/// quotes.
pub(crate) fn has_content(row: &str) -> bool {
    row.contains(char::is_alphanumeric)
}

fn begins_entity(parsed: &ParsedFile, entity: Option<EntityIndex>, row: usize) -> bool {
    let of = entity.and_then(|at| parsed.entity(at));
    of.is_some_and(|of| line_rows(of.lines).start == row)
}

fn row_owners(parsed: &ParsedFile, count: usize) -> Vec<RowOwner> {
    let nobody = RowOwner { entity: None, part: UnitPart::Outside, block: None, statement: None };
    let mut owners = vec![nobody; count];
    for (at, entity) in parsed.indexed_entities() {
        let mut paint = |lines: Option<LineRange>, part| {
            let Some(lines) = lines else { return };
            let rows = line_rows(lines);
            for owner in owners.get_mut(rows.start..rows.end.min(count)).into_iter().flatten() {
                *owner = RowOwner { entity: Some(at), part, ..nobody };
            }
        };
        paint(Some(entity.lines), UnitPart::Body);
        paint(entity.attributes, UnitPart::Attribute);
        paint(Some(entity.signature), UnitPart::Signature);
        paint(entity.doc, UnitPart::Doc);
    }
    let mut covering = OpenStatements::by_entity(parsed);
    for (row, owner) in owners.iter_mut().enumerate() {
        if matches!(owner.part, UnitPart::Body | UnitPart::Outside)
            && let Some(blocks) = covering.get_mut(&owner.entity)
        {
            (owner.block, owner.statement) = blocks.statements_at(parsed, row);
        }
    }
    owners
}

/// The statements of one entity, or outside of all entities, that cover a row. Rows must be queried
/// in ascending order, so that the total time is linear, however deep statements nest.
#[derive(Default)]
struct OpenStatements {
    /// Indices of blocks, in order, each with the outermost statement around it.
    blocks: Vec<(usize, Option<usize>)>,
    /// The number of `blocks` that begin at or before the row.
    begun: usize,
    /// Blocks that have begun; an ended one is removed when it becomes the last.
    open: Vec<usize>,
    /// Blocks with an outermost statement, each with that statement; ended ones are removed
    /// likewise.
    outer: Vec<(usize, usize)>,
    /// The number of leading `blocks` that have ended.
    ended: usize,
}

impl OpenStatements {
    fn by_entity(parsed: &ParsedFile) -> HashMap<Option<EntityIndex>, Self> {
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

    /// Returns the innermost and the outermost statement at a row.
    fn statements_at(&mut self, parsed: &ParsedFile, row: usize) -> (Option<usize>, Option<usize>) {
        let begins = |place: usize| line_rows(parsed.blocks[place].lines).start <= row;
        let has_ended = |place: usize| line_rows(parsed.blocks[place].lines).end <= row;
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

/// Returns the rows, counted from 0, of lines counted from 1.
pub(crate) fn line_rows(lines: LineRange) -> std::ops::Range<usize> {
    lines.first.0.saturating_sub(1) as usize..lines.last.0 as usize
}

#[cfg(test)]
mod tests;
