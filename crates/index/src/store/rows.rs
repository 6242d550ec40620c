//! Stored rows as values.

use foveal_relevance::embedding::VectorTable;
use foveal_transcript::ContentHash;

use crate::folder_walk::{ChangeStamp, ModificationTime};

/// The number of a row. A file that is indexed again gets another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RowId(pub(crate) i64);

/// A row without the content of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub(crate) id: RowId,
    pub(crate) path: String,
    /// The number of chunks of the file.
    pub(crate) chunks: usize,
    /// Whether the file has symbols: it is not binary, a key, minified or a lock file.
    pub(crate) has_symbols: bool,
    /// The file's vectors of the requested model.
    pub(crate) vectors: Option<VectorsId>,
}

/// A row with the content of its file.
#[derive(Debug)]
pub(crate) struct LoadedFileRow {
    pub(crate) row: FileRow,
    pub(crate) content: EncodedContent,
    pub(crate) symbols: Vec<u8>,
    /// `None` also if the vectors are damaged.
    pub(crate) vectors: Option<Vec<u8>>,
}

/// The stored state of a file without its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexedFile {
    pub(crate) row: RowId,
    pub(crate) stamp: ChangeStamp,
    pub(crate) hash: ContentHash,
    pub(crate) chunks: u32,
}

/// The encoded chunks and terms of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EncodedContent {
    pub(crate) chunks: Vec<u8>,
    pub(crate) terms: Vec<u8>,
}

/// All data that is stored for a file.
#[derive(Debug)]
pub(crate) struct AnalysedFile {
    pub(crate) stamp: ChangeStamp,
    pub(crate) hash: ContentHash,
    /// The name of the file's class.
    pub(crate) class: &'static str,
    pub(crate) language: Option<&'static str>,
    pub(crate) lines: u32,
    pub(crate) chunk_count: u32,
    pub(crate) content: EncodedContent,
    /// Encoded by [`crate::symbols::encode_symbols`].
    pub(crate) symbols: Vec<u8>,
    /// `None` if they come later or not at all.
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

/// The encoded vectors of a file's chunks, and their model.
#[derive(Debug)]
pub(crate) struct FileVectors {
    pub(crate) model: ModelNumber,
    pub(crate) bytes: Vec<u8>,
}

/// A model as the store knows it.
#[derive(Debug, Clone)]
pub(crate) struct StoredModel {
    pub(crate) number: ModelNumber,
    pub(crate) dimensions: usize,
    /// The vector of the probe text, which identifies the model.
    pub(crate) probe: VectorTable,
}

/// The size of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexSize {
    /// The number of files with chunks.
    pub files: u64,
    /// The number of chunks.
    pub chunks: u64,
}

/// Returns whether the checksum of a row is correct. The row begins with path, hash, class, number
/// of chunks and checksum.
pub(super) fn has_valid_checksum(row: &rusqlite::Row<'_>) -> rusqlite::Result<bool> {
    let (path, class): (String, String) = (row.get(0)?, row.get(2)?);
    let sum: Vec<u8> = row.get(4)?;
    Ok(sum == file_checksum(&path, ContentHash::from_bytes(row.get(1)?), &class, row.get(3)?))
}

/// Reads a row that continues with number, size and time.
pub(super) fn known_file_from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<IndexedFile> {
    let bytes: i64 = row.get(6)?;
    let stamp =
        ChangeStamp { bytes: bytes.unsigned_abs(), modified: ModificationTime(row.get(7)?) };
    Ok(IndexedFile {
        row: RowId(row.get(5)?),
        stamp,
        hash: ContentHash::from_bytes(row.get(1)?),
        chunks: row.get(3)?,
    })
}

/// Returns eight bytes that reveal damage which SQLite does not detect.
pub(crate) fn checksum(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().as_bytes()[..8].to_vec()
}

/// Returns the checksum of a file's row. It does not cover time and length: if these are wrong, the
/// file is read again in any case.
pub(super) fn file_checksum(path: &str, hash: ContentHash, class: &str, chunks: u32) -> Vec<u8> {
    checksum(&[path.as_bytes(), hash.as_bytes(), class.as_bytes(), &chunks.to_le_bytes()])
}

pub(super) fn content_checksum(content: &EncodedContent) -> Vec<u8> {
    checksum(&[&content.chunks, &content.terms])
}
