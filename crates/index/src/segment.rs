//! The in-memory form of a file for searches.

use foveal_relevance::embedding::VectorTable;

use crate::chunker::{self, Chunk};
use crate::entity_names::FileNames;
use crate::name_links::NameLinks;
use crate::store::{LoadedFileRow, RowId, VectorsId};
use crate::symbols;
use crate::text_terms::FileTerms;
use crate::vector_codec;

/// The chunks of one file in searchable form.
pub(crate) struct Segment {
    pub(crate) row: RowId,
    pub(crate) path: String,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) terms: FileTerms,
    pub(crate) links: NameLinks,
    pub(crate) names: FileNames,
    /// `None` if they belong to another model than the query's.
    pub(crate) vectors: Option<VectorTable>,
    /// The row of the vectors.
    pub(crate) vectors_id: Option<VectorsId>,
}

impl Segment {
    /// Decodes a loaded row. Returns `None` for bytes that this program does not write.
    /// `dimensions` is the length of the vectors; damaged vectors count as missing.
    pub(crate) fn decode(loaded: &LoadedFileRow, dimensions: Option<usize>) -> Option<Self> {
        let (row, content) = (&loaded.row, &loaded.content);
        let chunks: Vec<Chunk> = chunker::decode_chunks(&content.chunks)?;
        let terms = FileTerms::decode(&content.terms)?;
        if terms.lengths.len() != chunks.len() || chunks.len() != row.chunks {
            return None;
        }
        let vectors = dimensions.zip(loaded.vectors.as_ref());
        let vectors = vectors.and_then(|(dimensions, bytes)| {
            vector_codec::decode_vectors(bytes, dimensions, chunks.len())
        });
        let symbols = if chunks.is_empty() {
            None
        } else {
            Some(symbols::decode_symbols(&row.path, &loaded.symbols)?)
        };
        let links = symbols
            .as_ref()
            .map(|symbols| NameLinks::from_symbols(symbols, &chunks))
            .unwrap_or_default();
        let names = FileNames::from_symbols(&row.path, symbols.as_ref(), &chunks);
        let (vectors_id, path) = (row.vectors, row.path.clone());
        Some(Self { row: row.id, path, chunks, terms, links, names, vectors, vectors_id })
    }
}
