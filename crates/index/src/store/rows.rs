//! What is stored, as values.

use foveal_code::embed::Vectors;
use foveal_transcript::ContentHash;

use crate::walk::{Changed, Stamp};

/// The number of a row. A file that is indexed again gets another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RowId(pub(crate) i64);

/// A row without what is stored of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: RowId,
    pub(crate) path: String,
    /// How many parts its file has.
    pub(crate) chunks: usize,
    /// Its file is neither binary nor a key, minified or a lock file.
    pub(crate) has_symbols: bool,
    /// Its vectors of the model that was asked for.
    pub(crate) vectors: Option<VectorsId>,
}

/// A row with what is stored of its file.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) row: Row,
    pub(crate) content: Content,
    pub(crate) symbols: Vec<u8>,
    /// `None` also where they are not those that were written.
    pub(crate) vectors: Option<Vec<u8>>,
}

/// What is known of a file without loading it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) row: RowId,
    pub(crate) stamp: Stamp,
    pub(crate) hash: ContentHash,
    pub(crate) chunks: u32,
}

/// The parts of a file, as bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) chunks: Vec<u8>,
    pub(crate) terms: Vec<u8>,
}

/// What is stored of a file.
#[derive(Debug)]
pub(crate) struct Analysed {
    pub(crate) stamp: Stamp,
    pub(crate) hash: ContentHash,
    /// What sort of file it is, as it is shown.
    pub(crate) class: &'static str,
    pub(crate) language: Option<&'static str>,
    pub(crate) lines: u32,
    pub(crate) chunk_count: u32,
    pub(crate) content: Content,
    /// As [`crate::symbols::encode`] writes them.
    pub(crate) symbols: Vec<u8>,
    /// `None` where they are to come later, or not at all.
    pub(crate) vectors: Option<FileVectors>,
}

/// The number of a model in one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModelNumber(pub(super) i64);

impl rusqlite::ToSql for ModelNumber {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

/// The number of one file's vectors of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VectorsId(pub(crate) i64);

/// The vectors of a file's parts, as bytes, and their model.
#[derive(Debug)]
pub(crate) struct FileVectors {
    pub(crate) model: ModelNumber,
    pub(crate) bytes: Vec<u8>,
}

/// A model as a store knows it.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) number: ModelNumber,
    pub(crate) dimensions: usize,
    /// The vector of one text by which it is known again.
    pub(crate) probe: Vectors,
}

/// How large an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Files in it that have parts.
    pub files: u64,
    /// Parts that can be found.
    pub chunks: u64,
}

/// Whether a row that begins with path, hash, class, number of parts and checksum is what was
/// written.
pub(super) fn is_whole(row: &rusqlite::Row<'_>) -> rusqlite::Result<bool> {
    let (path, class): (String, String) = (row.get(0)?, row.get(2)?);
    let sum: Vec<u8> = row.get(4)?;
    Ok(sum == file_sum(&path, ContentHash::from_bytes(row.get(1)?), &class, row.get(3)?))
}

/// A row that goes on with number, bytes and time.
pub(super) fn known(row: &rusqlite::Row<'_>) -> rusqlite::Result<Known> {
    let bytes: i64 = row.get(6)?;
    let stamp = Stamp { bytes: bytes.unsigned_abs(), changed: Changed(row.get(7)?) };
    Ok(Known {
        row: RowId(row.get(5)?),
        stamp,
        hash: ContentHash::from_bytes(row.get(1)?),
        chunks: row.get(3)?,
    })
}

/// Eight bytes by which damage is seen that SQLite does not see.
pub(crate) fn checksum(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().as_bytes()[..8].to_vec()
}

/// The same of a file's row. When it was changed and how long it is are not in it: if they are not
/// what they were, the file is read again in any case.
pub(super) fn file_sum(path: &str, hash: ContentHash, class: &str, chunks: u32) -> Vec<u8> {
    checksum(&[path.as_bytes(), hash.as_bytes(), class.as_bytes(), &chunks.to_le_bytes()])
}

pub(super) fn content_sum(content: &Content) -> Vec<u8> {
    checksum(&[&content.chunks, &content.terms])
}
