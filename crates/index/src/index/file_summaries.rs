//! Model summaries of files: jobs for the model, their storage, and their search.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use foveal_relevance::terms::search_terms;
use foveal_transcript::ContentHash;

use super::folder_index::Index;
use crate::analysis::unchanged_file_text;
use crate::embedding::is_instant_embedder;
use crate::error::IndexError;
use crate::model_summary::{ModelSummary, OTHER_ENTITIES_MAX, SummaryEntity, SummaryJob};
use crate::ranking::{MatchReason, SearchOptions};
use crate::search_hit::{SearchHit, hit_from_definition};
use crate::summary_search::{SearchableSummaries, SearchableSummary};
use crate::symbols;

/// Hits with a lower similarity (0 to 1) are chance.
const SIMILARITY_MIN: f32 = 0.5;

/// The score of a hit that only a summary leads to, relative to the best hit.
const SUMMARY_SCORE_SHARE: f32 = 0.9;

impl Index {
    /// Returns the job for a model to summarize the file at `path` (absolute). Returns `None` if
    /// `model` answered for this content already, if the index is behind the file, or if the file
    /// has no named entities.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn summary_job(
        &mut self,
        path: &Path,
        model: &str,
    ) -> Result<Option<SummaryJob>, IndexError> {
        let Ok(inside) = path.strip_prefix(self.root.path()) else { return Ok(None) };
        let Some(path) = inside.to_str() else { return Ok(None) };
        let Some(known) = self.store.known_file(path)?.filter(|known| known.chunks > 0) else {
            return Ok(None);
        };
        if self.store.has_model_summary(known.hash, model)? {
            return Ok(None);
        }
        let bytes = self.store.symbol_bytes(known.row)?;
        let symbols = bytes.and_then(|bytes| symbols::decode_definitions(path, &bytes));
        let Some(symbols) = symbols.filter(|symbols| !symbols.definitions.is_empty()) else {
            return Ok(None);
        };
        let Some(text) = unchanged_file_text(&self.root, path, known.hash) else { return Ok(None) };
        let thing = |of: &foveal_relevance::relations::Definition| SummaryEntity {
            name: of.qualified_name.to_string(),
            kind: of.kind.name(),
            line: of.lines.first.0,
        };
        let mut things: Vec<SummaryEntity> = symbols.definitions.iter().map(thing).collect();
        things.sort_by_key(|thing| thing.line);
        let all = self.model_summaries()?;
        let others = all.iter().filter(|(other, _)| other != path).flat_map(|(other, said)| {
            said.summaries.iter().map(move |summary| (other.clone(), summary.clone()))
        });
        let others = others.take(OTHER_ENTITIES_MAX).collect();
        Ok(Some(SummaryJob {
            path: path.to_owned(),
            hash: known.hash,
            text,
            entities: things,
            other_entities: others,
        }))
    }

    /// Stores the summary that `model` made of a file with this content.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn put_model_summary(
        &mut self,
        hash: ContentHash,
        model: &str,
        said: &ModelSummary,
    ) -> Result<(), IndexError> {
        self.summaries = None;
        self.store.put_model_summary(hash, model, said)
    }

    /// Returns the model summaries of all indexed files, by path.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn model_summaries(&mut self) -> Result<Arc<Vec<(String, ModelSummary)>>, IndexError> {
        Ok(Arc::clone(&self.searchable_summaries()?.files))
    }

    fn searchable_summaries(&mut self) -> Result<Arc<SearchableSummaries>, IndexError> {
        let now = self.store.data_version()?;
        if let Some((_, parts)) = self.summaries.as_ref().filter(|(seen, _)| *seen == now) {
            return Ok(Arc::clone(parts));
        }
        let files = self.store.model_summaries()?;
        let mut parts = Vec::new();
        for (path, said) in &files {
            for summary in &said.summaries {
                let told = format!("{} {}", summary.name, summary.text);
                let (path, summary) = (path.clone(), summary.clone());
                let terms = search_terms(&told).into_iter().collect();
                parts.push(SearchableSummary { path, summary, terms, vector: None });
            }
        }
        let texts: Vec<&str> = parts.iter().map(|part| part.summary.text.as_str()).collect();
        let embedder = self.embedder.as_ref().filter(|embedder| is_instant_embedder(&***embedder));
        let vectors = embedder.and_then(|embedder| embedder.embed(&texts).ok()).unwrap_or_default();
        for (part, vector) in parts.iter_mut().zip(vectors) {
            part.vector = Some(vector);
        }
        let parts = Arc::new(SearchableSummaries { files: Arc::new(files), entities: parts });
        self.summaries = Some((now, Arc::clone(&parts)));
        Ok(parts)
    }

    /// Adds the model's descriptions to the hits, and the hits that only descriptions lead to.
    pub(super) fn add_model_summaries(
        &mut self,
        query: &str,
        mut hits: Vec<SearchHit>,
        options: &SearchOptions,
    ) -> Result<Vec<SearchHit>, IndexError> {
        let said = self.searchable_summaries()?;
        if said.entities.is_empty() {
            return Ok(hits);
        }
        let asked: BTreeSet<String> = search_terms(query).into_iter().collect();
        let embedder = self.embedder.as_ref().filter(|embedder| is_instant_embedder(&***embedder));
        let vector = embedder.and_then(|embedder| embedder.embed(&[query]).ok()?.pop());
        let best = hits.first().map_or(1.0, |hit| hit.score);
        let mut like: Vec<(f32, &SearchableSummary)> = said
            .entities
            .iter()
            .map(|part| (part.similarity(&asked, vector.as_ref()), part))
            .filter(|(likeness, _)| *likeness >= SIMILARITY_MIN)
            .collect();
        like.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        for (likeness, part) in like.into_iter().take(options.limit) {
            let score = best * SUMMARY_SCORE_SHARE * likeness.min(1.0);
            match hits.iter_mut().find(|hit| part.describes(hit)) {
                Some(hit) => hit.score = hit.score.max(score),
                None => hits.extend(self.summary_hit(part, &asked, score, options)?),
            }
        }
        for hit in &mut hits {
            let part = said.entities.iter().find(|part| part.describes(hit));
            hit.model_summary = part.map(|part| part.summary.text.as_str().into());
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.truncate(options.limit);
        Ok(hits)
    }

    /// Returns the hit that a description leads to.
    fn summary_hit(
        &self,
        part: &SearchableSummary,
        asked: &BTreeSet<String>,
        score: f32,
        options: &SearchOptions,
    ) -> Result<Option<SearchHit>, IndexError> {
        let Some(known) = self.store.known_file(&part.path)? else { return Ok(None) };
        let bytes = self.store.symbol_bytes(known.row)?;
        let symbols = bytes.and_then(|bytes| symbols::decode_definitions(&part.path, &bytes));
        let definition = symbols.as_ref().and_then(|symbols| {
            symbols.definitions.iter().find(|of| {
                of.lines.first.0 == part.summary.line && *of.qualified_name == *part.summary.name
            })
        });
        let is_wanted = |of: &&foveal_relevance::relations::Definition| {
            options.kinds.is_empty() || options.kinds.contains(&of.kind)
        };
        let Some(definition) = definition.filter(is_wanted) else { return Ok(None) };
        let words = asked.intersection(&part.terms).cloned().collect();
        let reason = MatchReason { words, words_score: 0.0, cosine: None, neighbours: 0.0 };
        Ok(Some(hit_from_definition(&part.path, definition, score, reason)))
    }
}
