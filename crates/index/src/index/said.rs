//! What models say of files: which may be asked about, what is kept, and how it is searched.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use foveal_code::terms::terms;
use foveal_transcript::ContentHash;

use super::open::Index;
use crate::analysis::text_known;
use crate::embedding::is_instant;
use crate::error::IndexError;
use crate::ranking::{Reason, SearchOptions};
use crate::said::{OTHERS_MAX, Said, Thing, Untold};
use crate::said_parts::{SaidPart, SaidParts};
use crate::search::{Hit, hit_of};
use crate::symbols;

/// Less in common with a question, from 0 to 1, is chance.
const LIKENESS_MIN: f32 = 0.5;

/// What a hit counts that only a model's words lead to, against the best.
const SHARE: f32 = 0.9;

impl Index {
    /// The file at `path` (absolute) as a model is asked about it; `None` where `model` was asked
    /// already, or the file is not in the index as it is, or has nothing with a name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn untold(&mut self, path: &Path, model: &str) -> Result<Option<Untold>, IndexError> {
        let Ok(inside) = path.strip_prefix(self.root.path()) else { return Ok(None) };
        let Some(path) = inside.to_str() else { return Ok(None) };
        let Some(known) = self.store.known_file(path)?.filter(|known| known.chunks > 0) else {
            return Ok(None);
        };
        if self.store.has_said(known.hash, model)? {
            return Ok(None);
        }
        let bytes = self.store.symbols(known.row)?;
        let symbols = bytes.and_then(|bytes| symbols::decode_definitions(path, &bytes));
        let Some(symbols) = symbols.filter(|symbols| !symbols.definitions.is_empty()) else {
            return Ok(None);
        };
        let Some(text) = text_known(&self.root, path, known.hash) else { return Ok(None) };
        let thing = |of: &foveal_code::relations::Definition| Thing {
            name: of.qualified_name.to_string(),
            kind: of.kind.name(),
            line: of.lines.first.0,
        };
        let things = symbols.definitions.iter().map(thing).collect();
        let all = self.said()?;
        let others = all.iter().filter(|(other, _)| other != path).flat_map(|(other, said)| {
            said.summaries.iter().map(move |summary| (other.clone(), summary.clone()))
        });
        let others = others.take(OTHERS_MAX).collect();
        Ok(Some(Untold { path: path.to_owned(), hash: known.hash, text, things, others }))
    }

    /// Keeps what `model` says of a file with this content.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn put_said(
        &mut self,
        hash: ContentHash,
        model: &str,
        said: &Said,
    ) -> Result<(), IndexError> {
        self.said = None;
        self.store.put_said(hash, model, said)
    }

    /// What models say of files as they are indexed, by path.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn said(&mut self) -> Result<Arc<Vec<(String, Said)>>, IndexError> {
        Ok(Arc::clone(&self.said_parts()?.files))
    }

    fn said_parts(&mut self) -> Result<Arc<SaidParts>, IndexError> {
        let now = self.store.others_wrote()?;
        if let Some((_, parts)) = self.said.as_ref().filter(|(seen, _)| *seen == now) {
            return Ok(Arc::clone(parts));
        }
        let files = self.store.said()?;
        let mut parts = Vec::new();
        for (path, said) in &files {
            for summary in &said.summaries {
                let told = format!("{} {}", summary.name, summary.text);
                let (path, summary) = (path.clone(), summary.clone());
                let terms = terms(&told).into_iter().collect();
                parts.push(SaidPart { path, summary, terms, vector: None });
            }
        }
        let texts: Vec<&str> = parts.iter().map(|part| part.summary.text.as_str()).collect();
        let embedder = self.embedder.as_ref().filter(|embedder| is_instant(&***embedder));
        let vectors = embedder.and_then(|embedder| embedder.embed(&texts).ok()).unwrap_or_default();
        for (part, vector) in parts.iter_mut().zip(vectors) {
            part.vector = Some(vector);
        }
        let parts = Arc::new(SaidParts { files: Arc::new(files), parts });
        self.said = Some((now, Arc::clone(&parts)));
        Ok(parts)
    }

    /// The hits of a question with what a model says of them, and those that only its words lead
    /// to.
    pub(super) fn with_said(
        &mut self,
        query: &str,
        mut hits: Vec<Hit>,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, IndexError> {
        let said = self.said_parts()?;
        if said.parts.is_empty() {
            return Ok(hits);
        }
        let asked: BTreeSet<String> = terms(query).into_iter().collect();
        let embedder = self.embedder.as_ref().filter(|embedder| is_instant(&***embedder));
        let vector = embedder.and_then(|embedder| embedder.embed(&[query]).ok()?.pop());
        let best = hits.first().map_or(1.0, |hit| hit.score);
        let mut like: Vec<(f32, &SaidPart)> = said
            .parts
            .iter()
            .map(|part| (part.likeness(&asked, vector.as_ref()), part))
            .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
            .collect();
        like.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        for (likeness, part) in like.into_iter().take(options.limit) {
            let score = best * SHARE * likeness.min(1.0);
            match hits.iter_mut().find(|hit| part.is_of(hit)) {
                Some(hit) => hit.score = hit.score.max(score),
                None => hits.extend(self.said_hit(part, &asked, score, options)?),
            }
        }
        for hit in &mut hits {
            let part = said.parts.iter().find(|part| part.is_of(hit));
            hit.said = part.map(|part| part.summary.text.as_str().into());
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.truncate(options.limit);
        Ok(hits)
    }

    /// A hit that only a model's words lead to.
    fn said_hit(
        &self,
        part: &SaidPart,
        asked: &BTreeSet<String>,
        score: f32,
        options: &SearchOptions,
    ) -> Result<Option<Hit>, IndexError> {
        let Some(known) = self.store.known_file(&part.path)? else { return Ok(None) };
        let bytes = self.store.symbols(known.row)?;
        let symbols = bytes.and_then(|bytes| symbols::decode_definitions(&part.path, &bytes));
        let definition = symbols.as_ref().and_then(|symbols| {
            symbols.definitions.iter().find(|of| {
                of.lines.first.0 == part.summary.line && *of.qualified_name == *part.summary.name
            })
        });
        let is_wanted = |of: &&foveal_code::relations::Definition| {
            options.kinds.is_empty() || options.kinds.contains(&of.kind)
        };
        let Some(definition) = definition.filter(is_wanted) else { return Ok(None) };
        let words = asked.intersection(&part.terms).cloned().collect();
        let reason = Reason { words, words_score: 0.0, cosine: None, neighbours: 0.0 };
        Ok(Some(hit_of(&part.path, definition, score, reason)))
    }
}
