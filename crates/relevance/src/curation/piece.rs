//! The pieces that a view keeps or omits as wholes: short functions, types and statements, and the
//! units of longer ones.

use super::curation_input::CurationInput;
use super::unit::{UnitPart, line_rows};
use foveal_syntax::{Entity, EntityIndex, EntityKind};
use foveal_transcript::LineNumber;

/// The largest number of code lines of a function that is not cut; documentation does not count.
pub(crate) const FUNCTION_LINES_MAX: usize = 60;
/// The largest number of lines of a type, an enumeration or a constant that is not cut.
const TYPE_LINES_MAX: usize = 12;
/// The largest number of lines of a statement, a list element or a part of a longer one that is not
/// cut.
pub(crate) const STATEMENT_LINES_MAX: usize = foveal_syntax::STATEMENT_LINES_MAX as usize;
/// The largest number of lines of documentation inside a function that is kept with its code.
const DOC_LINES_MAX: usize = 3;

/// Rows that are kept together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CurationPiece {
    /// The rows, from 0, ascending.
    pub(crate) rows: Vec<usize>,
    /// The function whose code the piece is.
    pub(crate) function: Option<EntityIndex>,
}

/// Divides a file into pieces that share no row. Functions, types and statements of more than
/// `lines_max` lines are divided further, in the end into units.
pub(crate) fn divide_into_pieces(
    scene: &CurationInput<'_>,
    lines_max: usize,
) -> Vec<CurationPiece> {
    let most = |lines: usize| lines.min(lines_max);
    let mut found =
        PieceCollector { scene, taken: vec![false; scene.rows.len()], pieces: Vec::new() };
    for (at, entity) in scene.parsed.indexed_entities() {
        match entity.kind {
            EntityKind::Function | EntityKind::Method | EntityKind::Test => {
                let most = most(FUNCTION_LINES_MAX);
                found.add_piece(code_rows(scene, entity, most), most, Some(at));
            }
            EntityKind::Type | EntityKind::Enum | EntityKind::Constant | EntityKind::Trait => {
                let most = most(TYPE_LINES_MAX);
                found.add_piece(code_rows(scene, entity, most), most, None);
            }
            EntityKind::Imports => found.add_import_pieces(entity),
            EntityKind::Module
            | EntityKind::Impl
            | EntityKind::Field
            | EntityKind::Section
            | EntityKind::Key => {}
        }
    }
    for block in &scene.parsed.blocks {
        let rows = line_rows(block.lines);
        let is_code = |row: &usize| scene.units[scene.unit_of[*row]].part != UnitPart::Doc;
        let rows = (rows.start..rows.end.min(scene.rows.len())).filter(is_code);
        let most = most(STATEMENT_LINES_MAX);
        found.add_piece(rows.take(most + 1).collect(), most, None);
    }
    for unit in &scene.units {
        let rows: Vec<usize> = unit.rows().filter(|row| !found.taken[*row]).collect();
        for rows in rows.chunk_by(|a, b| scene.is_example[*a] == scene.is_example[*b]) {
            found.add_piece(rows.to_vec(), usize::MAX, None);
        }
    }
    found.pieces
}

/// Divides a file into one piece a unit.
pub(crate) fn unit_pieces(scene: &CurationInput<'_>) -> Vec<CurationPiece> {
    let piece = |unit: &super::unit::CurationUnit| CurationPiece {
        rows: unit.rows().collect(),
        function: None,
    };
    scene.units.iter().map(piece).collect()
}

/// Divides a piece into statements, and the code between them into units; empty if the piece is one
/// of these. `statement_of` has for each row the uncut statement around it.
pub(crate) fn divide_piece(
    scene: &CurationInput<'_>,
    statement_of: &[Option<usize>],
    piece: &CurationPiece,
) -> Vec<CurationPiece> {
    let same = |a: &usize, b: &usize| {
        let (of, other) = (statement_of[*a], statement_of[*b]);
        of == other && (of.is_some() || scene.unit_of[*a] == scene.unit_of[*b])
    };
    let parts: Vec<CurationPiece> = piece
        .rows
        .chunk_by(same)
        .map(|rows| CurationPiece { rows: rows.to_vec(), function: None })
        .collect();
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// The number of import lines that are kept together, unless one import has more.
const IMPORT_PIECE_LINES: usize = 6;

struct PieceCollector<'a> {
    scene: &'a CurationInput<'a>,
    /// Whether each row is in a piece.
    taken: Vec<bool>,
    pieces: Vec<CurationPiece>,
}

impl PieceCollector<'_> {
    /// Adds the pieces of an import block, each of whole imports.
    fn add_import_pieces(&mut self, entity: &Entity) {
        let scene = self.scene;
        let begins = |row: usize| {
            let line = LineNumber(u32::try_from(row + 1).unwrap_or(u32::MAX));
            scene.parsed.imports.binary_search_by_key(&line, |import| import.line).is_ok()
        };
        let mut rows: Vec<usize> = Vec::new();
        for row in scene.entity_rows(entity) {
            if rows.len() >= IMPORT_PIECE_LINES && begins(row) {
                self.add_piece(std::mem::take(&mut rows), usize::MAX, None);
            }
            rows.push(row);
        }
        self.add_piece(rows, usize::MAX, None);
    }

    /// Adds a piece of `rows` and the blank rows at their end, unless they are more than `most` or
    /// a row is in another piece.
    fn add_piece(&mut self, mut rows: Vec<usize>, most: usize, function: Option<EntityIndex>) {
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
        self.pieces.push(CurationPiece { rows, function });
    }
}

/// Returns the rows of an entity with its attributes, without documentation unless it is short and
/// inside the body. At most one row more than `most` is returned.
fn code_rows(scene: &CurationInput<'_>, entity: &Entity, most: usize) -> Vec<usize> {
    let above = entity.attributes.map_or(entity.signature, |attributes| attributes);
    let first = line_rows(above).start.min(line_rows(entity.signature).start);
    let end = scene.entity_rows(entity).end;
    let doc = entity.doc.filter(|doc| {
        doc.line_count() as usize > DOC_LINES_MAX || doc.first < entity.signature.first
    });
    let is_doc = |row: &usize| doc.is_some_and(|doc| line_rows(doc).contains(row));
    (first..end).filter(|row| !is_doc(row)).take(most.saturating_add(1)).collect()
}
