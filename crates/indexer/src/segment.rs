//! What is held in memory of each file to search it.

use foveal_index::embed::Vectors;

use crate::analysis::Content;
use crate::chunk::{self, Chunk};
use crate::store::RowId;
use crate::text_terms::FileTerms;
use crate::vector_store::VectorsId;

/// The parts of one file, ready to be searched.
pub(crate) struct Segment {
    pub(crate) row: RowId,
    pub(crate) path: String,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) terms: FileTerms,
    /// `None` where they are not of the model that is asked.
    pub(crate) vectors: Option<Vectors>,
    /// Where they are stored.
    pub(crate) vectors_id: Option<VectorsId>,
}

impl Segment {
    /// Reads what is stored; `None` where it is not what this program writes.
    /// `chunk_count` is what the row says.
    pub(crate) fn read(
        row: RowId,
        path: String,
        chunk_count: usize,
        content: &Content,
    ) -> Option<Self> {
        let chunks: Vec<Chunk> = chunk::decode(&content.chunks)?;
        let terms = FileTerms::decode(&content.terms)?;
        if terms.lengths.len() != chunks.len() || chunks.len() != chunk_count {
            return None;
        }
        Some(Self { row, path, chunks, terms, vectors_id: None, vectors: None })
    }
}
