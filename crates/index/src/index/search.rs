//! Search in the index, and the relations of its files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use foveal_relevance::embedding::{QuantizedVector, VectorTable};
use foveal_relevance::relations::{FileSymbols, Relations};
use foveal_transcript::CancelToken;

use super::folder_index::{EmbedderModels, Index};
use crate::embedding::is_instant_embedder;
use crate::error::IndexError;
use crate::model_probe::ProbedEmbedder;
use crate::ranking::{SearchOptions, SearchQuery, rank_chunks};
use crate::search_hit::{QueryNames, SearchHit, hit_from_chunk};
use crate::segment::Segment;
use crate::segment_loader::load_segments;
use crate::store::{FileRow, IndexChange, RowId, StoredModel, VectorsId};
use crate::symbols;
use crate::vector_codec;

/// The least number of chunks that are ranked for a query that is a single name, since exact
/// matches come first.
const NAME_QUERY_CHUNKS_MIN: usize = 50;

impl Index {
    /// Returns the best chunks for `query`, best first. Checks the store for changes, but not the
    /// files: see [`Self::update`]. Reads files again only for damaged rows. If the embedder fails,
    /// the ranking uses words alone: see [`Self::embedding_problem`].
    ///
    /// # Errors
    /// If the store cannot be read. A store that is damaged as a whole is quarantined, and there
    /// are no hits until the next update.
    pub fn search(
        &mut self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<Vec<SearchHit>, IndexError> {
        match self.with_repair(|this| this.search_store(query, options)) {
            Err(error) if error.is_corruption() => {
                self.rebuild()?;
                Ok(Vec::new())
            }
            other => other,
        }
    }

    /// Runs `work`. If it finds damaged rows, reads their files again and repeats the work. If that
    /// does not help, the structure of the file is damaged, and the store is emptied for the next
    /// update.
    fn with_repair<T>(
        &mut self,
        work: impl Fn(&mut Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        self.removed_damaged_rows = false;
        let done = work(self)?;
        if !std::mem::take(&mut self.removed_damaged_rows) {
            return Ok(done);
        }
        match self.reread_removed_files() {
            // Another process writes, and may be repairing the rows.
            Err(error) if error.is_busy() => return Ok(done),
            mended => mended?,
        }
        let done = work(self)?;
        if !std::mem::take(&mut self.removed_damaged_rows) {
            return Ok(done);
        }
        self.rebuild()?;
        work(self)
    }

    /// Reads the files of removed rows again.
    fn reread_removed_files(&mut self) -> Result<(), IndexError> {
        self.update_texts(&mut |_| {}, &CancelToken::NEVER)?;
        if self.embedder.as_deref().is_some_and(is_instant_embedder) {
            self.update_vectors(usize::MAX, &mut |_| {}, &CancelToken::NEVER)?;
        }
        Ok(())
    }

    fn search_store(
        &mut self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<Vec<SearchHit>, IndexError> {
        let (model, vector) = match self.query_vector(query)? {
            Some((model, vector)) => (Some(model), Some(vector)),
            None => (None, None),
        };
        self.refresh_segments(model.as_ref())?;
        let question = SearchQuery::new(query, vector);
        let asked = QueryNames::from_query(query);
        let mut known: HashMap<RowId, FileSymbols> = HashMap::new();
        let mut hits = Vec::new();
        let mut broken = Vec::new();
        let wide = SearchOptions {
            limit: if asked.is_single_name() {
                options.limit.max(NAME_QUERY_CHUNKS_MIN)
            } else {
                options.limit
            },
            ..options.clone()
        };
        for found in rank_chunks(&self.segments, &question, &wide) {
            let segment = &self.segments[found.segment];
            if let Entry::Vacant(place) = known.entry(segment.row) {
                // Another process may have indexed the file again. Its next search finds it.
                let bytes = self.store.symbol_bytes(segment.row)?;
                let read = bytes.and_then(|all| symbols::decode_definitions(&segment.path, &all));
                let Some(read) = read else {
                    broken.push(segment.row);
                    continue;
                };
                place.insert(read);
            }
            if let Some(symbols) = known.get(&segment.row) {
                hits.push(hit_from_chunk(found, segment, symbols, &asked, options));
            }
        }
        self.removed_damaged_rows |= !broken.is_empty();
        self.remove_damaged_rows(&broken)?;
        self.add_model_summaries(query, exact_first(hits, options.limit), options)
    }

    /// Returns the definitions and names of every file, ordered by path, without binary, minified
    /// and lock files.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn symbols(&mut self) -> Result<Vec<FileSymbols>, IndexError> {
        let mut broken = Vec::new();
        let mut all = Vec::new();
        let (rows, damaged) = self.store.file_rows(None)?;
        broken.extend(damaged);
        for row in rows.into_iter().filter(|row| row.has_symbols) {
            let bytes = self.store.symbol_bytes(row.id)?;
            match bytes.and_then(|bytes| symbols::decode_symbols(&row.path, &bytes)) {
                Some(symbols) => all.push(symbols),
                None => broken.push(row.id),
            }
        }
        self.removed_damaged_rows |= !broken.is_empty();
        self.remove_damaged_rows(&broken)?;
        Ok(all)
    }

    /// Returns the relations of everything in the index. The first call computes them from all
    /// rows, which takes half a second for half a million lines; later calls only after a change.
    /// Does not look at the files: see [`Self::update`].
    ///
    /// # Errors
    /// If the store cannot be read. A damaged store is quarantined, and there are no relations
    /// until the next update.
    pub fn relations(&mut self) -> Result<Arc<Relations>, IndexError> {
        match self.with_repair(Self::cached_relations) {
            Err(error) if error.is_corruption() => {
                self.rebuild()?;
                Ok(Arc::default())
            }
            other => other,
        }
    }

    fn cached_relations(&mut self) -> Result<Arc<Relations>, IndexError> {
        let now = self.store.data_version()?;
        if let Some((_, known)) = self.relations.as_ref().filter(|(seen, _)| *seen == now) {
            return Ok(Arc::clone(known));
        }
        let relations = Arc::new(Relations::from_files(self.symbols()?));
        self.relations = Some((now, Arc::clone(&relations)));
        Ok(relations)
    }

    /// Embeds the query with the model that has the most vectors here, or with another one if that
    /// fails.
    fn query_vector(
        &mut self,
        query: &str,
    ) -> Result<Option<(StoredModel, QuantizedVector)>, IndexError> {
        self.embedding_problem = None;
        let now = self.store.data_version()?;
        let models = match self.models.take().filter(|(seen, _)| *seen == now) {
            Some((_, models)) => models,
            None => self.available_models()?,
        };
        let mut given = None;
        for (embedder, model) in &models {
            match (ProbedEmbedder { embedder: &**embedder, model }).embed(&[query]) {
                Ok(mut vectors) => {
                    given = vectors.pop().map(|vector| (model.clone(), vector));
                    break;
                }
                // A single odd answer does not discard all vectors: the next update asks again.
                Err(problem) => drop(self.embedding_problem.get_or_insert(problem)),
            }
        }
        self.models = Some((now, models));
        Ok(given)
    }

    fn available_models(&self) -> Result<EmbedderModels, IndexError> {
        let mut counted = Vec::new();
        for embedder in self.embedder.iter().chain(&self.fallback_embedder) {
            if let Some(model) = self.store.find_model(&embedder.identity())? {
                let count = self.store.vector_count(model.number)?;
                counted.extend((count > 0).then(|| (count, (Arc::clone(embedder), model))));
            }
        }
        // The sort is stable: with equal counts the main embedder stays first.
        counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        Ok(counted.into_iter().map(|(_, model)| model).collect())
    }

    /// Loads the rows written since the last call, with the vectors of `model`.
    fn refresh_segments(&mut self, model: Option<&StoredModel>) -> Result<(), IndexError> {
        let now = (self.store.data_version()?, model.map(|model| model.number));
        if self.loaded == Some(now) {
            return Ok(());
        }
        let before = std::mem::take(&mut self.segments);
        let mut before: HashMap<RowId, Segment> =
            before.into_iter().map(|segment| (segment.row, segment)).collect();
        let (rows, damaged) = self.store.file_rows(now.1)?;
        let missing: Vec<FileRow> =
            rows.iter().filter(|row| !before.contains_key(&row.id)).cloned().collect();
        before.extend(load_segments(&self.store, missing, model.map(|model| model.dimensions))?);
        let mut broken = damaged;
        let mut changes = Vec::new();
        for row in rows {
            let Some(mut segment) = before.remove(&row.id) else {
                broken.push(row.id);
                continue;
            };
            if segment.vectors_id != row.vectors {
                segment.vectors_id = row.vectors;
                segment.vectors = match (row.vectors, model) {
                    (Some(vectors), Some(model)) => {
                        self.load_vectors(vectors, model, row.chunks)?
                    }
                    _ => None,
                };
            }
            if let (Some(vectors), None) = (row.vectors, &segment.vectors) {
                changes.push(IndexChange::ForgetVectors { vectors });
            }
            self.segments.push(segment);
        }
        self.loaded = Some(now);
        self.removed_damaged_rows |= !broken.is_empty() || !changes.is_empty();
        self.remove_damaged_rows(&broken)?;
        self.remove_damaged_data(&changes)
    }

    fn load_vectors(
        &self,
        vectors: VectorsId,
        model: &StoredModel,
        chunks: usize,
    ) -> Result<Option<VectorTable>, IndexError> {
        let bytes = self.store.vector_bytes(vectors)?;
        Ok(bytes.and_then(|bytes| vector_codec::decode_vectors(&bytes, model.dimensions, chunks)))
    }
}

/// Returns the best hits: exact matches of the name first, then the others, each best first.
fn exact_first(hits: Vec<(SearchHit, bool)>, limit: usize) -> Vec<SearchHit> {
    let best = hits.first().map_or(0.0, |(hit, _)| hit.score);
    let (mut first, others): (Vec<_>, Vec<_>) = hits.into_iter().partition(|(_, exact)| *exact);
    // Keeps the scores in descending order.
    first.iter_mut().for_each(|(hit, _)| hit.score += best);
    first.into_iter().chain(others).map(|(hit, _)| hit).take(limit).collect()
}
