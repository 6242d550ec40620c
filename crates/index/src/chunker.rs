//! The division of a file into chunks: functions, methods, types, sections.
//!
//! A chunk is an entity without the nested entities that have chunks of their own. Long chunks are
//! split at the beginning of a statement, and short neighbours are merged.

use std::ops::Range;

use foveal_syntax::{Entity, EntityIndex, EntityKind, FileClass, Language, LineRange, ParsedFile};
use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

use crate::compression::{compress, decompress};

/// The number of lines above which a chunk is split.
const LINES_MAX: usize = 60;

/// The approximate number of lines of the pieces of a split chunk.
const SPLIT_LINES: usize = 40;

/// The greatest distance in lines of a statement boundary from the target of a split.
const CUT_DISTANCE_MAX: usize = 15;

/// A chunk with fewer lines is short.
const SHORT_LINES: usize = 8;

/// The greatest number of lines of merged short chunks together.
const MERGED_LINES_MAX: usize = 24;

/// The greatest number of blank lines between merged chunks.
const GAP_LINES_MAX: usize = 2;

/// The number of chunks of one file. Content after them is not searchable.
const CHUNKS_MAX: usize = 4_000;

/// The number of chunks of a data file, or of a file in an unknown language.
const DATA_CHUNKS_MAX: usize = 200;

/// A part of a file that is found as a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) lines: LineRange,
    /// The entities that begin here, in order. The first one names the chunk. A continuation of a
    /// split entity has that entity. Empty for statements at the top level of a file.
    pub(crate) entities: Vec<EntityIndex>,
    /// The kinds of all entities that begin here, including fields and the like.
    pub(crate) kinds: KindSet,
}

/// The stored form of chunks. Every list but the last has one element for each chunk.
#[derive(Default, Serialize, Deserialize)]
struct EncodedChunks {
    /// The distance from the last line of the previous chunk.
    first_lines: Vec<u32>,
    further_lines: Vec<u32>,
    kinds: Vec<KindSet>,
    /// The number of entities of the chunk.
    counts: Vec<u32>,
    /// The distance from the previous entity, also if it belongs to another chunk.
    entities: Vec<u32>,
}

/// A set of entity kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct KindSet(u16);

impl KindSet {
    pub(crate) fn from_kinds(kinds: impl IntoIterator<Item = EntityKind>) -> Self {
        Self(kinds.into_iter().fold(0, |all, kind| all | 1 << kind as u16))
    }

    /// Returns whether the two sets have a kind in common.
    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Encodes `chunks` for the store.
pub(crate) fn encode_chunks(chunks: &[Chunk]) -> Vec<u8> {
    let mut stored = EncodedChunks::default();
    let (mut line, mut entity) = (0_u32, 0_u32);
    for chunk in chunks {
        // Wrapping subtraction also supports an unusual order, at the cost of more bytes.
        stored.first_lines.push(chunk.lines.first.0.wrapping_sub(line));
        stored.further_lines.push(chunk.lines.line_count() - 1);
        stored.kinds.push(chunk.kinds);
        stored.counts.push(u32::try_from(chunk.entities.len()).unwrap_or(u32::MAX));
        for at in &chunk.entities {
            stored.entities.push(at.0.wrapping_sub(entity));
            entity = at.0;
        }
        line = chunk.lines.last.0;
    }
    compress(&postcard::to_allocvec(&stored).expect("such values are always written"))
}

/// Decodes the output of [`encode_chunks`]. Returns `None` for other bytes.
pub(crate) fn decode_chunks(bytes: &[u8]) -> Option<Vec<Chunk>> {
    let stored: EncodedChunks = postcard::from_bytes(&decompress(bytes)?).ok()?;
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

/// A text with the start offsets of its lines.
pub(crate) struct TextLines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> TextLines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
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

    /// Returns the text of `lines`, as far as they exist.
    pub(crate) fn slice(&self, lines: LineRange) -> &'a str {
        let rows = row_range(lines);
        let start = self.starts.get(rows.start).copied().unwrap_or(self.text.len());
        let end = self.starts.get(rows.end).copied().unwrap_or(self.text.len());
        &self.text[start..end]
    }

    fn trimmed_line(&self, row: usize) -> &'a str {
        let number = line_number(row);
        self.slice(LineRange::new(number, number)).trim()
    }
}

fn row_range(lines: LineRange) -> Range<usize> {
    lines.first.0.saturating_sub(1) as usize..lines.last.0 as usize
}

fn line_number(row: usize) -> LineNumber {
    LineNumber(u32::try_from(row + 1).unwrap_or(u32::MAX))
}

/// Lines that belong to the same chunk, before splitting and merging.
#[derive(Debug, Clone)]
struct ChunkDraft {
    rows: Range<usize>,
    entities: Vec<EntityIndex>,
}

/// Divides the file behind `parsed` into chunks, in order. `rows` are the lines of the same text.
/// Lock files and minified files have none.
pub(crate) fn split_into_chunks(parsed: &ParsedFile, rows: &TextLines<'_>) -> Vec<Chunk> {
    if matches!(parsed.class, FileClass::Lock | FileClass::Minified) {
        return Vec::new();
    }
    let whole = draft_chunks(parsed, rows);
    let split: Vec<ChunkDraft> =
        whole.into_iter().flat_map(|piece| split_long_draft(piece, parsed, rows)).collect();
    let is_data = matches!(parsed.language, None | Some(Language::Json | Language::Yaml));
    let most = if is_data { DATA_CHUNKS_MAX } else { CHUNKS_MAX };
    let merged = merge_short_drafts(split, parsed);
    merged.into_iter().take(most).map(|piece| chunk_from_draft(piece, parsed)).collect()
}

/// Returns whether an entity has a chunk of its own.
fn has_own_chunk(parsed: &ParsedFile, entity: &Entity) -> bool {
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

/// Returns runs of lines with the same innermost chunk, without runs that hold nothing to search.
fn draft_chunks(parsed: &ParsedFile, rows: &TextLines<'_>) -> Vec<ChunkDraft> {
    let mut labels: Vec<Option<EntityIndex>> = vec![None; rows.len()];
    // Nested entities come after the enclosing ones.
    for (at, entity) in
        parsed.indexed_entities().filter(|(_, entity)| has_own_chunk(parsed, entity))
    {
        let of = self::row_range(entity.lines);
        if let Some(part) = labels.get_mut(of.start..of.end.min(rows.len())) {
            part.fill(Some(at));
        }
    }
    let mut pieces = Vec::new();
    let mut row = 0;
    for run in labels.chunk_by(|a, b| a == b) {
        let mut range = row..row + run.len();
        row = range.end;
        while !range.is_empty() && rows.trimmed_line(range.start).is_empty() {
            range.start += 1;
        }
        while !range.is_empty() && rows.trimmed_line(range.end - 1).is_empty() {
            range.end -= 1;
        }
        if has_searchable_text(parsed, run[0], range.clone(), rows) {
            pieces.push(ChunkDraft { rows: range, entities: run[0].into_iter().collect() });
        }
    }
    pieces
}

/// Returns whether the lines hold something to search. Closing brackets do not, nor does the header
/// of an impl or module: the names of its members contain it.
fn has_searchable_text(
    parsed: &ParsedFile,
    of: Option<EntityIndex>,
    range: Range<usize>,
    rows: &TextLines<'_>,
) -> bool {
    let telling = range.filter(|row| {
        let text = rows.trimmed_line(*row);
        text.chars().any(char::is_alphanumeric) && text != "end"
    });
    let kind = of.and_then(|at| parsed.entity(at)).map(|entity| entity.kind);
    let least = match kind {
        Some(EntityKind::Impl | EntityKind::Module) => 3,
        _ => 1,
    };
    telling.count() >= least
}

fn split_long_draft(
    piece: ChunkDraft,
    parsed: &ParsedFile,
    rows: &TextLines<'_>,
) -> Vec<ChunkDraft> {
    if piece.rows.len() <= LINES_MAX {
        return vec![piece];
    }
    let first = line_number(piece.rows.start);
    let from = parsed.blocks.partition_point(|block| block.lines.first < first);
    let blocks =
        parsed.blocks[from..].iter().map(|block| (block.lines.first.0 as usize - 1, block.depth));
    let mut cuts: Vec<(usize, u16)> = blocks.take_while(|(row, _)| *row < piece.rows.end).collect();
    // Without a known statement, a blank line ranks like an inner one.
    let blank = piece.rows.clone().skip(1).filter(|row| rows.trimmed_line(row - 1).is_empty());
    cuts.extend(blank.map(|row| (row, 1)));
    let mut parts = Vec::new();
    let mut rest = piece.rows;
    while rest.len() > LINES_MAX {
        let target = rest.start + SPLIT_LINES;
        let near = cuts.iter().filter(|(row, _)| row.abs_diff(target) <= CUT_DISTANCE_MAX);
        let best = near.min_by_key(|(row, depth)| (*depth, row.abs_diff(target)));
        let cut = best.map_or(target, |(row, _)| *row);
        parts.push(ChunkDraft { rows: rest.start..cut, entities: piece.entities.clone() });
        rest.start = cut;
    }
    parts.push(ChunkDraft { rows: rest, entities: piece.entities });
    parts
}

fn merge_short_drafts(pieces: Vec<ChunkDraft>, parsed: &ParsedFile) -> Vec<ChunkDraft> {
    let mut merged: Vec<ChunkDraft> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if is_mergeable_pair(last, &piece, parsed) => {
                last.rows.end = piece.rows.end;
                last.entities.extend(piece.entities);
                last.entities.dedup();
            }
            _ => merged.push(piece),
        }
    }
    merged
}

fn is_mergeable_pair(a: &ChunkDraft, b: &ChunkDraft, parsed: &ParsedFile) -> bool {
    let parent = |piece: &ChunkDraft| {
        let first = piece.entities.first().and_then(|at| parsed.entity(*at));
        first.map(|entity| (entity.parent, entity.kind == EntityKind::Imports))
    };
    // Merged drafts count as short as long as they fit.
    let short = |piece: &ChunkDraft| piece.rows.len() < SHORT_LINES || piece.entities.len() > 1;
    short(a)
        && short(b)
        && b.rows.end - a.rows.start <= MERGED_LINES_MAX
        && b.rows.start - a.rows.end <= GAP_LINES_MAX
        && parent(a) == parent(b)
}

fn chunk_from_draft(piece: ChunkDraft, parsed: &ParsedFile) -> Chunk {
    let lines = LineRange::new(line_number(piece.rows.start), line_number(piece.rows.end - 1));
    let from = parsed.entities.partition_point(|entity| entity.lines.first < lines.first);
    let beginning = parsed.entities[from..].iter();
    let beginning = beginning.take_while(|entity| entity.lines.first <= lines.last);
    let named = piece.entities.iter().filter_map(|at| parsed.entity(*at));
    let kinds = KindSet::from_kinds(named.chain(beginning).map(|entity| entity.kind));
    Chunk { lines, entities: piece.entities, kinds }
}

#[cfg(test)]
mod tests;
