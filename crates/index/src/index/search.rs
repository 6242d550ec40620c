//! The index searched, and what its files have to do with each other.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use foveal_cancel::Cancel;
use foveal_code::embed::{QuantizedVector, Vectors};
use foveal_code::relations::{FileSymbols, Relations};

use super::open::{Index, Models};
use crate::embedding::is_instant;
use crate::error::IndexError;
use crate::load::load;
use crate::model::ProbedEmbedder;
use crate::ranking::{Question, SearchOptions, search};
use crate::search::{AskedNames, Hit, hit};
use crate::segment::Segment;
use crate::store::{Change, Model, Row, RowId, VectorsId};
use crate::symbols;
use crate::vectors;

/// Parts that are looked at where a single name is asked for, at least: what has exactly that name
/// comes first.
const NAMED_MIN: usize = 50;

impl Index {
    /// The best parts for `query`, best first. Asks the store whether anything has changed,
    /// but does not look at the files: see [`Self::update`]. Only where something is not what
    /// was written, files are read again before. If the embedder fails, words alone count: see
    /// [`Self::problem`].
    ///
    /// # Errors
    /// If the store cannot be read. A store that is damaged as a whole is set aside; there are no
    /// hits then until the next update.
    pub fn search(&mut self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, IndexError> {
        match self.whole(|this| this.search_store(query, options)) {
            Err(error) if error.is_damage() => {
                self.rebuild()?;
                Ok(Vec::new())
            }
            other => other,
        }
    }

    /// Does `work` on what was written: what it finds to be something else is read again from
    /// the files, and the work is done once more. Where that does not help, the file is damaged
    /// in its order, and everything is made anew by the next update.
    fn whole<T>(
        &mut self,
        work: impl Fn(&mut Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        self.lost_some = false;
        let done = work(self)?;
        if !std::mem::take(&mut self.lost_some) {
            return Ok(done);
        }
        match self.mend() {
            // Another process writes: it may be what is mending it.
            Err(error) if error.is_busy() => return Ok(done),
            mended => mended?,
        }
        let done = work(self)?;
        if !std::mem::take(&mut self.lost_some) {
            return Ok(done);
        }
        self.rebuild()?;
        work(self)
    }

    /// Reads again what was taken out.
    fn mend(&mut self) -> Result<(), IndexError> {
        self.update_texts(&mut |_| {}, &Cancel::NEVER)?;
        if self.embedder.as_deref().is_some_and(is_instant) {
            self.update_vectors(usize::MAX, &mut |_| {}, &Cancel::NEVER)?;
        }
        Ok(())
    }

    fn search_store(
        &mut self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, IndexError> {
        let (model, vector) = match self.question_vector(query)? {
            Some((model, vector)) => (Some(model), Some(vector)),
            None => (None, None),
        };
        self.refresh(model.as_ref())?;
        let question = Question::of(query, vector);
        let asked = AskedNames::of(query);
        let mut known: HashMap<RowId, FileSymbols> = HashMap::new();
        let mut hits = Vec::new();
        let mut broken = Vec::new();
        let wide = SearchOptions {
            limit: if asked.is_name() { options.limit.max(NAMED_MIN) } else { options.limit },
            ..options.clone()
        };
        for found in search(&self.segments, &question, &wide) {
            let segment = &self.segments[found.segment];
            if let Entry::Vacant(place) = known.entry(segment.row) {
                // Another process may have indexed the file again; its next search finds it.
                let bytes = self.store.symbols(segment.row)?;
                let read = bytes.and_then(|all| symbols::decode_definitions(&segment.path, &all));
                let Some(read) = read else {
                    broken.push(segment.row);
                    continue;
                };
                place.insert(read);
            }
            if let Some(symbols) = known.get(&segment.row) {
                hits.push(hit(found, segment, symbols, &asked, options));
            }
        }
        self.lost_some |= !broken.is_empty();
        self.forget(&broken)?;
        self.with_said(query, exact_first(hits, options.limit), options)
    }

    /// What every file defines and names, in the order of their paths; without files that
    /// are no text, minified or lists of locked versions.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn symbols(&mut self) -> Result<Vec<FileSymbols>, IndexError> {
        let mut broken = Vec::new();
        let mut all = Vec::new();
        let (rows, damaged) = self.store.rows(None)?;
        broken.extend(damaged);
        for row in rows.into_iter().filter(|row| row.has_symbols) {
            let bytes = self.store.symbols(row.id)?;
            match bytes.and_then(|bytes| symbols::decode(&row.path, &bytes)) {
                Some(symbols) => all.push(symbols),
                None => broken.push(row.id),
            }
        }
        self.lost_some |= !broken.is_empty();
        self.forget(&broken)?;
        Ok(all)
    }

    /// How everything in the index is related. Made of all rows at the first time, half a
    /// second for half a million lines, and again only after something has changed. Does not
    /// look at the files: see [`Self::update`].
    ///
    /// # Errors
    /// If the store cannot be read. One that is damaged is set aside; nothing is related
    /// then until the next update.
    pub fn relations(&mut self) -> Result<Arc<Relations>, IndexError> {
        match self.whole(Self::relations_of_store) {
            Err(error) if error.is_damage() => {
                self.rebuild()?;
                Ok(Arc::default())
            }
            other => other,
        }
    }

    fn relations_of_store(&mut self) -> Result<Arc<Relations>, IndexError> {
        let now = self.store.others_wrote()?;
        if let Some((_, known)) = self.relations.as_ref().filter(|(seen, _)| *seen == now) {
            return Ok(Arc::clone(known));
        }
        let relations = Arc::new(Relations::of(self.symbols()?));
        self.relations = Some((now, Arc::clone(&relations)));
        Ok(relations)
    }

    /// The vector of a question by the model that has the most vectors here; by another one
    /// if that cannot be asked.
    fn question_vector(
        &mut self,
        query: &str,
    ) -> Result<Option<(Model, QuantizedVector)>, IndexError> {
        self.problem = None;
        let now = self.store.others_wrote()?;
        let models = match self.models.take().filter(|(seen, _)| *seen == now) {
            Some((_, models)) => models,
            None => self.models_here()?,
        };
        let mut given = None;
        for (embedder, model) in &models {
            match (ProbedEmbedder { embedder: &**embedder, model }).embed(&[query]) {
                Ok(mut vectors) => {
                    given = vectors.pop().map(|vector| (model.clone(), vector));
                    break;
                }
                // One odd answer is no reason to make all vectors anew: an update asks again.
                Err(problem) => drop(self.problem.get_or_insert(problem)),
            }
        }
        self.models = Some((now, models));
        Ok(given)
    }

    fn models_here(&self) -> Result<Models, IndexError> {
        let mut counted = Vec::new();
        for embedder in self.embedder.iter().chain(&self.meanwhile) {
            if let Some(model) = self.store.model(&embedder.identity())? {
                let count = self.store.covered(model.number)?;
                counted.extend((count > 0).then(|| (count, (Arc::clone(embedder), model))));
            }
        }
        // Of as many, those of the embedder itself, which comes first.
        counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        Ok(counted.into_iter().map(|(_, model)| model).collect())
    }

    /// Loads what has been written since the last time, with vectors of `model`.
    fn refresh(&mut self, model: Option<&Model>) -> Result<(), IndexError> {
        let now = (self.store.others_wrote()?, model.map(|model| model.number));
        if self.loaded == Some(now) {
            return Ok(());
        }
        let before = std::mem::take(&mut self.segments);
        let mut before: HashMap<RowId, Segment> =
            before.into_iter().map(|segment| (segment.row, segment)).collect();
        let (rows, damaged) = self.store.rows(now.1)?;
        let missing: Vec<Row> =
            rows.iter().filter(|row| !before.contains_key(&row.id)).cloned().collect();
        before.extend(load(&self.store, missing, model.map(|model| model.dimensions))?);
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
                    (Some(vectors), Some(model)) => self.load(vectors, model, row.chunks)?,
                    _ => None,
                };
            }
            if let (Some(vectors), None) = (row.vectors, &segment.vectors) {
                changes.push(Change::ForgetVectors { vectors });
            }
            self.segments.push(segment);
        }
        self.loaded = Some(now);
        self.lost_some |= !broken.is_empty() || !changes.is_empty();
        self.forget(&broken)?;
        self.take_out(&changes)
    }

    fn load(
        &self,
        vectors: VectorsId,
        model: &Model,
        chunks: usize,
    ) -> Result<Option<Vectors>, IndexError> {
        let bytes = self.store.vectors(vectors)?;
        Ok(bytes.and_then(|bytes| vectors::decode(&bytes, model.dimensions, chunks)))
    }
}

/// The best hits: those with exactly the name asked for, then the others, each best first.
fn exact_first(hits: Vec<(Hit, bool)>, limit: usize) -> Vec<Hit> {
    let best = hits.first().map_or(0.0, |(hit, _)| hit.score);
    let (mut first, others): (Vec<_>, Vec<_>) = hits.into_iter().partition(|(_, exact)| *exact);
    // More is better, also here.
    first.iter_mut().for_each(|(hit, _)| hit.score += best);
    first.into_iter().chain(others).map(|(hit, _)| hit).take(limit).collect()
}
