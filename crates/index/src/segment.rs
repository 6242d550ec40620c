//! What is held in memory of each file to search it.

use foveal_code::embed::Vectors;

use crate::chunk::{self, Chunk};
use crate::links::Links;
use crate::names::Names;
use crate::store::{Loaded, RowId, VectorsId};
use crate::symbols;
use crate::text_terms::FileTerms;
use crate::vectors;

/// The parts of one file, ready to be searched.
pub(crate) struct Segment {
    pub(crate) row: RowId,
    pub(crate) path: String,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) terms: FileTerms,
    pub(crate) links: Links,
    pub(crate) names: Names,
    /// `None` where they are not of the model that is asked.
    pub(crate) vectors: Option<Vectors>,
    /// Where they are stored.
    pub(crate) vectors_id: Option<VectorsId>,
}

impl Segment {
    /// Reads what is stored; `None` where it is not what this program writes. `dimensions`
    /// are those of the vectors. Without vectors is also what has others than were written.
    pub(crate) fn read(loaded: &Loaded, dimensions: Option<usize>) -> Option<Self> {
        let (row, content) = (&loaded.row, &loaded.content);
        let chunks: Vec<Chunk> = chunk::decode(&content.chunks)?;
        let terms = FileTerms::decode(&content.terms)?;
        if terms.lengths.len() != chunks.len() || chunks.len() != row.chunks {
            return None;
        }
        let vectors = dimensions.zip(loaded.vectors.as_ref());
        let vectors = vectors
            .and_then(|(dimensions, bytes)| vectors::decode(bytes, dimensions, chunks.len()));
        let symbols = if chunks.is_empty() {
            None
        } else {
            Some(symbols::decode(&row.path, &loaded.symbols)?)
        };
        let links = symbols.as_ref().map(|symbols| Links::of(symbols, &chunks)).unwrap_or_default();
        let names = Names::of(&row.path, symbols.as_ref(), &chunks);
        let (vectors_id, path) = (row.vectors, row.path.clone());
        Some(Self { row: row.id, path, chunks, terms, links, names, vectors, vectors_id })
    }
}
