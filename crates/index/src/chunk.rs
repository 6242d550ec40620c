//! A file in the parts that are found: functions, methods, types, sections.
//!
//! A part is an entity without the entities in it that are parts themselves. Long ones are
//! split where a statement begins, short neighbours are one part.

use std::ops::Range;

use foveal_code::{
    Entity, EntityIndex, EntityKind, FileClass, Language, LineNumber, LineRange, Parsed,
};
use serde::{Deserialize, Serialize};

use crate::packed::{pack, unpack};

/// Lines from which on a part is split.
const LINES_MAX: usize = 60;

/// Lines that parts of a split one have, more or less.
const LINES_SPLIT: usize = 40;

/// How far from there a statement's beginning is looked for, in lines.
const CUT_DISTANCE_MAX: usize = 15;

/// A part with fewer lines is short.
const LINES_SHORT: usize = 8;

/// Lines that short neighbours have together at most.
const LINES_MERGED_MAX: usize = 24;

/// Blank lines between short neighbours at most.
const GAP_LINES_MAX: usize = 2;

/// Parts of one file; what comes after them is not found.
const CHUNKS_MAX: usize = 4_000;

/// Parts of a file of data, or of one in an unknown language.
const DATA_CHUNKS_MAX: usize = 200;

/// A part of a file that is found as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) lines: LineRange,
    /// What begins here, in order; the first names the part. Of what continues a split
    /// entity, that entity. Empty for statements at the top of a file.
    pub(crate) entities: Vec<EntityIndex>,
    /// What begins here, also fields and the like.
    pub(crate) kinds: Kinds,
}

/// As chunks are stored: of each one in every list but the last.
#[derive(Default, Serialize, Deserialize)]
struct Stored {
    /// From the last line of the one before.
    first_lines: Vec<u32>,
    further_lines: Vec<u32>,
    kinds: Vec<Kinds>,
    /// How many entities it has.
    counts: Vec<u32>,
    /// From the entity before, also if that is in another part.
    entities: Vec<u32>,
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Kinds(u16);

impl Kinds {
    pub(crate) fn of(kinds: impl IntoIterator<Item = EntityKind>) -> Self {
        Self(kinds.into_iter().fold(0, |all, kind| all | 1 << kind as u16))
    }

    /// Whether some kind is in both.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// `chunks` as they are stored.
pub(crate) fn encode(chunks: &[Chunk]) -> Vec<u8> {
    let mut stored = Stored::default();
    let (mut line, mut entity) = (0_u32, 0_u32);
    for chunk in chunks {
        // Another order takes more bytes and is kept as well.
        stored.first_lines.push(chunk.lines.first.0.wrapping_sub(line));
        stored.further_lines.push(chunk.lines.count() - 1);
        stored.kinds.push(chunk.kinds);
        stored.counts.push(u32::try_from(chunk.entities.len()).unwrap_or(u32::MAX));
        for at in &chunk.entities {
            stored.entities.push(at.0.wrapping_sub(entity));
            entity = at.0;
        }
        line = chunk.lines.last.0;
    }
    pack(&postcard::to_allocvec(&stored).expect("such values are always written"))
}

/// What [`encode`] wrote; `None` where `bytes` are something else.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<Chunk>> {
    let stored: Stored = postcard::from_bytes(&unpack(bytes)?).ok()?;
    let (mut line, mut entity) = (0_u32, 0_u32);
    let mut entities = stored.entities.iter();
    let mut chunks = Vec::with_capacity(stored.kinds.len());
    for (at, kinds) in stored.kinds.iter().enumerate() {
        let first = line.wrapping_add(*stored.first_lines.get(at)?);
        line = first.checked_add(*stored.further_lines.get(at)?)?;
        let mut own = Vec::new();
        for _ in 0..*stored.counts.get(at)? {
            entity = entity.wrapping_add(*entities.next()?);
            own.push(EntityIndex(entity));
        }
        let lines = LineRange::new(LineNumber(first), LineNumber(line));
        chunks.push(Chunk { lines, entities: own, kinds: *kinds });
    }
    Some(chunks)
}

/// A text with the places of its lines.
pub(crate) struct Rows<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Rows<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut starts: Vec<usize> =
            std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { text, starts }
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    /// The text of `lines`, as far as there are such.
    pub(crate) fn slice(&self, lines: LineRange) -> &'a str {
        let rows = rows(lines);
        let start = self.starts.get(rows.start).copied().unwrap_or(self.text.len());
        let end = self.starts.get(rows.end).copied().unwrap_or(self.text.len());
        &self.text[start..end]
    }

    fn row(&self, row: usize) -> &'a str {
        let number = line(row);
        self.slice(LineRange::new(number, number)).trim()
    }
}

fn rows(lines: LineRange) -> Range<usize> {
    lines.first.0.saturating_sub(1) as usize..lines.last.0 as usize
}

fn line(row: usize) -> LineNumber {
    LineNumber(u32::try_from(row + 1).unwrap_or(u32::MAX))
}

/// Rows that belong to the same part, before they are split and merged.
#[derive(Debug, Clone)]
struct Piece {
    rows: Range<usize>,
    of: Vec<EntityIndex>,
}

/// The parts of the file that `parsed` was made from, in order. `rows` are those of the
/// same text. None for files that nobody wrote.
pub(crate) fn chunks(parsed: &Parsed, rows: &Rows<'_>) -> Vec<Chunk> {
    if matches!(parsed.class, FileClass::Lock | FileClass::Minified) {
        return Vec::new();
    }
    let whole = pieces(parsed, rows);
    let split: Vec<Piece> =
        whole.into_iter().flat_map(|piece| split(piece, parsed, rows)).collect();
    let is_data = matches!(parsed.language, None | Some(Language::Json | Language::Yaml));
    let most = if is_data { DATA_CHUNKS_MAX } else { CHUNKS_MAX };
    let merged = merge(split, parsed);
    merged.into_iter().take(most).map(|piece| finish(piece, parsed)).collect()
}

/// Whether an entity is a part of its own.
fn is_unit(parsed: &Parsed, entity: &Entity) -> bool {
    let parent = entity.parent.and_then(|at| parsed.entity(at)).map(|parent| parent.kind);
    if matches!(parent, Some(EntityKind::Function | EntityKind::Method)) {
        return false;
    }
    match entity.kind {
        EntityKind::Field => false,
        EntityKind::Constant | EntityKind::Imports => {
            matches!(parent, None | Some(EntityKind::Module))
        }
        EntityKind::Key => parent.is_none(),
        EntityKind::Module
        | EntityKind::Function
        | EntityKind::Method
        | EntityKind::Type
        | EntityKind::Trait
        | EntityKind::Impl
        | EntityKind::Enum
        | EntityKind::Test
        | EntityKind::Section => true,
    }
}

/// Runs of rows with the same innermost part, without those that say nothing.
fn pieces(parsed: &Parsed, rows: &Rows<'_>) -> Vec<Piece> {
    let mut labels: Vec<Option<EntityIndex>> = vec![None; rows.len()];
    // Entities inside come after those around them.
    for (at, entity) in parsed.indexed().filter(|(_, entity)| is_unit(parsed, entity)) {
        let of = self::rows(entity.lines);
        if let Some(part) = labels.get_mut(of.start..of.end.min(rows.len())) {
            part.fill(Some(at));
        }
    }
    let mut pieces = Vec::new();
    let mut row = 0;
    for run in labels.chunk_by(|a, b| a == b) {
        let mut range = row..row + run.len();
        row = range.end;
        while !range.is_empty() && rows.row(range.start).is_empty() {
            range.start += 1;
        }
        while !range.is_empty() && rows.row(range.end - 1).is_empty() {
            range.end -= 1;
        }
        if says_something(parsed, run[0], range.clone(), rows) {
            pieces.push(Piece { rows: range, of: run[0].into_iter().collect() });
        }
    }
    pieces
}

/// Closing brackets say nothing, nor does the first line of an impl or module: the names
/// of what is in it have it.
fn says_something(
    parsed: &Parsed,
    of: Option<EntityIndex>,
    range: Range<usize>,
    rows: &Rows<'_>,
) -> bool {
    let telling = range.filter(|row| {
        let text = rows.row(*row);
        text.chars().any(char::is_alphanumeric) && text != "end"
    });
    let kind = of.and_then(|at| parsed.entity(at)).map(|entity| entity.kind);
    let least = match kind {
        Some(EntityKind::Impl | EntityKind::Module) => 3,
        _ => 1,
    };
    telling.count() >= least
}

fn split(piece: Piece, parsed: &Parsed, rows: &Rows<'_>) -> Vec<Piece> {
    if piece.rows.len() <= LINES_MAX {
        return vec![piece];
    }
    let first = line(piece.rows.start);
    let from = parsed.blocks.partition_point(|block| block.lines.first < first);
    let blocks =
        parsed.blocks[from..].iter().map(|block| (block.lines.first.0 as usize - 1, block.depth));
    let mut cuts: Vec<(usize, u16)> = blocks.take_while(|(row, _)| *row < piece.rows.end).collect();
    // Where no statement is known, a blank line is as good as an inner one.
    let blank = piece.rows.clone().skip(1).filter(|row| rows.row(row - 1).is_empty());
    cuts.extend(blank.map(|row| (row, 1)));
    let mut parts = Vec::new();
    let mut rest = piece.rows;
    while rest.len() > LINES_MAX {
        let target = rest.start + LINES_SPLIT;
        let near = cuts.iter().filter(|(row, _)| row.abs_diff(target) <= CUT_DISTANCE_MAX);
        let best = near.min_by_key(|(row, depth)| (*depth, row.abs_diff(target)));
        let cut = best.map_or(target, |(row, _)| *row);
        parts.push(Piece { rows: rest.start..cut, of: piece.of.clone() });
        rest.start = cut;
    }
    parts.push(Piece { rows: rest, of: piece.of });
    parts
}

fn merge(pieces: Vec<Piece>, parsed: &Parsed) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if belong_together(last, &piece, parsed) => {
                last.rows.end = piece.rows.end;
                last.of.extend(piece.of);
                last.of.dedup();
            }
            _ => merged.push(piece),
        }
    }
    merged
}

fn belong_together(a: &Piece, b: &Piece, parsed: &Parsed) -> bool {
    let parent = |piece: &Piece| {
        let first = piece.of.first().and_then(|at| parsed.entity(*at));
        first.map(|entity| (entity.parent, entity.kind == EntityKind::Imports))
    };
    // Several already merged are short as long as they fit.
    let short = |piece: &Piece| piece.rows.len() < LINES_SHORT || piece.of.len() > 1;
    short(a)
        && short(b)
        && b.rows.end - a.rows.start <= LINES_MERGED_MAX
        && b.rows.start - a.rows.end <= GAP_LINES_MAX
        && parent(a) == parent(b)
}

fn finish(piece: Piece, parsed: &Parsed) -> Chunk {
    let lines = LineRange::new(line(piece.rows.start), line(piece.rows.end - 1));
    let from = parsed.entities.partition_point(|entity| entity.lines.first < lines.first);
    let beginning = parsed.entities[from..].iter();
    let beginning = beginning.take_while(|entity| entity.lines.first <= lines.last);
    let named = piece.of.iter().filter_map(|at| parsed.entity(*at));
    let kinds = Kinds::of(named.chain(beginning).map(|entity| entity.kind));
    Chunk { lines, entities: piece.of, kinds }
}

#[cfg(test)]
mod tests;
