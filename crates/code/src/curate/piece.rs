//! What a view keeps or leaves out as one: short functions, types and statements as wholes, and
//! units of what is longer.

use super::scene::Scene;
use super::unit::{Part, rows_of};
use crate::entity::{Entity, EntityIndex, EntityKind};
use foveal_transcript::LineNumber;

/// Lines of code of a function that is not cut; its documentation does not count.
pub(crate) const FUNCTION_LINES_MAX: usize = 60;
/// Lines of a type, an enumeration or a constant that is not cut.
const TYPE_LINES_MAX: usize = 12;
/// Lines of a statement, of an element of a list, and of a part of what is longer, that is not cut.
pub(crate) const STATEMENT_LINES_MAX: usize = crate::bounds::STATEMENT_LINES_MAX as usize;
/// Lines of documentation that are kept with the function whose body they stand in.
const DOC_LINES_MAX: usize = 3;

/// Rows that are kept together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The rows, from 0, ascending.
    pub(crate) rows: Vec<usize>,
    /// The function that it is all code of.
    pub(crate) function: Option<EntityIndex>,
}

/// Pieces of a file that share no row; together they are all of it.
pub(crate) fn pieces(scene: &Scene<'_>, lines_max: usize) -> Vec<Piece> {
    let most = |lines: usize| lines.min(lines_max);
    let mut found = Found { scene, taken: vec![false; scene.rows.len()], pieces: Vec::new() };
    for (at, entity) in scene.parsed.indexed() {
        match entity.kind {
            EntityKind::Function | EntityKind::Method | EntityKind::Test => {
                let most = most(FUNCTION_LINES_MAX);
                found.take(code_rows(scene, entity, most), most, Some(at));
            }
            EntityKind::Type | EntityKind::Enum | EntityKind::Constant | EntityKind::Trait => {
                let most = most(TYPE_LINES_MAX);
                found.take(code_rows(scene, entity, most), most, None);
            }
            EntityKind::Imports => found.take_imports(entity),
            EntityKind::Module
            | EntityKind::Impl
            | EntityKind::Field
            | EntityKind::Section
            | EntityKind::Key => {}
        }
    }
    for block in &scene.parsed.blocks {
        let rows = rows_of(block.lines);
        let is_code = |row: &usize| scene.units[scene.unit_of[*row]].part != Part::Doc;
        let rows = (rows.start..rows.end.min(scene.rows.len())).filter(is_code);
        let most = most(STATEMENT_LINES_MAX);
        found.take(rows.take(most + 1).collect(), most, None);
    }
    for unit in &scene.units {
        let rows: Vec<usize> = unit.rows().filter(|row| !found.taken[*row]).collect();
        for rows in rows.chunk_by(|a, b| scene.examples[*a] == scene.examples[*b]) {
            found.take(rows.to_vec(), usize::MAX, None);
        }
    }
    found.pieces
}

/// Pieces of a file whose rows are those of its units.
pub(crate) fn units(scene: &Scene<'_>) -> Vec<Piece> {
    let piece = |unit: &super::unit::Unit| Piece { rows: unit.rows().collect(), function: None };
    scene.units.iter().map(piece).collect()
}

/// A piece cut between statements, and into the parts of units where it has none; none where it is
/// one. `statement_of` has for each row the statement that is not cut and that it is in.
pub(crate) fn parts(
    scene: &Scene<'_>,
    statement_of: &[Option<usize>],
    piece: &Piece,
) -> Vec<Piece> {
    let same = |a: &usize, b: &usize| {
        let (of, other) = (statement_of[*a], statement_of[*b]);
        of == other && (of.is_some() || scene.unit_of[*a] == scene.unit_of[*b])
    };
    let parts: Vec<Piece> = piece
        .rows
        .chunk_by(same)
        .map(|rows| Piece { rows: rows.to_vec(), function: None })
        .collect();
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// Lines of imports that are kept together, unless one import has more.
const IMPORT_LINES: usize = 6;

struct Found<'a> {
    scene: &'a Scene<'a>,
    /// Rows that are in a piece.
    taken: Vec<bool>,
    pieces: Vec<Piece>,
}

impl Found<'_> {
    /// Makes pieces of an import block, each of whole imports.
    fn take_imports(&mut self, entity: &Entity) {
        let scene = self.scene;
        let begins = |row: usize| {
            let line = LineNumber(u32::try_from(row + 1).unwrap_or(u32::MAX));
            scene.parsed.imports.binary_search_by_key(&line, |import| import.line).is_ok()
        };
        let mut rows: Vec<usize> = Vec::new();
        for row in scene.rows_of(entity) {
            if rows.len() >= IMPORT_LINES && begins(row) {
                self.take(std::mem::take(&mut rows), usize::MAX, None);
            }
            rows.push(row);
        }
        self.take(rows, usize::MAX, None);
    }

    /// Makes a piece of rows if they are few enough and none is in another, with the blank rows
    /// that end it.
    fn take(&mut self, mut rows: Vec<usize>, most: usize, function: Option<EntityIndex>) {
        if rows.is_empty() || rows.len() > most || rows.iter().any(|row| self.taken[*row]) {
            return;
        }
        let last = rows[rows.len() - 1];
        let ends_it = |row: &usize| {
            let is_blank = self.scene.rows[*row].trim().is_empty();
            is_blank && !self.taken[*row] && self.scene.unit_of[*row] == self.scene.unit_of[last]
        };
        rows.extend((last + 1..self.taken.len()).take_while(ends_it));
        for row in &rows {
            self.taken[*row] = true;
        }
        self.pieces.push(Piece { rows, function });
    }
}

/// The rows of an entity with its attributes, without documentation unless that is short and
/// stands in its body; of more than `most` one more.
fn code_rows(scene: &Scene<'_>, entity: &Entity, most: usize) -> Vec<usize> {
    let above = entity.attributes.map_or(entity.signature, |attributes| attributes);
    let first = rows_of(above).start.min(rows_of(entity.signature).start);
    let end = scene.rows_of(entity).end;
    let doc = entity
        .doc
        .filter(|doc| doc.count() as usize > DOC_LINES_MAX || doc.first < entity.signature.first);
    let is_doc = |row: &usize| doc.is_some_and(|doc| rows_of(doc).contains(row));
    (first..end).filter(|row| !is_doc(row)).take(most.saturating_add(1)).collect()
}
