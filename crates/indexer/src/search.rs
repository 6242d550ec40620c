//! Parts of files that a question asks for: by its words and by its meaning, as one list.
//!
//! Words count by BM25, meaning by the cosine of vectors; each is divided by its best and
//! vectors count [`VECTORS_WEIGHT`] times, which was the best of the fusions measured.

use std::collections::BTreeSet;

use foveal_index::bm25::{Bm25Settings, inverse_document_frequency, saturated};
use foveal_index::embed::QuantizedVector;
use foveal_index::fusion::{VECTORS_WEIGHT, Voice, by_score};
use foveal_index::ranked::{DocumentId, Ranked, best};
use foveal_index::terms::{for_each_word, is_stop_word, terms};
use foveal_index::{EntityIndex, EntityKind, LineRange, Parsed, Visibility};

use crate::chunk::{Chunk, Kinds};
use crate::segment::Segment;
use crate::text_terms::{Posting, TermHash, term_hashes};

/// Parts that either ranking hands to the fusion, at least.
const CANDIDATES_MIN: usize = 200;

/// Terms of a question that are looked for; the rest of a longer one is left out.
const TERMS_MAX: usize = 200;

/// What is to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    /// Hits at most.
    pub limit: usize,
    /// Only entities of these kinds; all if empty.
    pub kinds: Vec<EntityKind>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { limit: 10, kinds: Vec::new() }
    }
}

/// A part of a file that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The file, from the root on, with `/` between folders.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
    /// What it is; `None` for statements outside all entities.
    pub kind: Option<EntityKind>,
    /// Its name with the names of what it is in; empty where it has none.
    pub name: String,
    /// Its header on one line.
    pub signature: String,
    /// Who may use it.
    pub visibility: Option<Visibility>,
    /// More is better; comparable within one question only.
    pub score: f32,
    /// Why it was found.
    pub reason: Reason,
}

/// What a hit has in common with the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// Words of the question that stand in it, in the question's order.
    pub words: Vec<String>,
    /// BM25 of them.
    pub words_score: f32,
    /// The cosine of its vector with the question's, -1 to 1; `None` without vectors.
    pub cosine: Option<f32>,
}

/// A question as it is asked of all segments.
pub(crate) struct Question {
    /// Each with the words that have it, without repetitions.
    terms: Vec<(TermHash, String)>,
    pub(crate) vector: Option<QuantizedVector>,
}

impl Question {
    pub(crate) fn of(text: &str, vector: Option<QuantizedVector>) -> Self {
        let mut seen = BTreeSet::new();
        let mut terms = Vec::new();
        for_each_word(text, |word| {
            let hash = term_hashes(word).first().copied();
            if let Some(hash) = hash.filter(|_| !is_stop_word(word))
                && terms.len() < TERMS_MAX
                && seen.insert(hash)
            {
                terms.push((hash, word.to_owned()));
            }
        });
        Self { terms, vector }
    }
}

/// A part found, before its structure is looked up.
pub(crate) struct Found {
    pub(crate) segment: usize,
    pub(crate) chunk: usize,
    score: f32,
    reason: Reason,
}

/// Numbers of all parts of all segments, in order.
struct Places {
    /// The number of each segment's first part, and after the last that of all parts.
    starts: Vec<usize>,
}

impl Places {
    fn of(segments: &[Segment]) -> Self {
        let mut starts = vec![0];
        let mut sum = 0;
        for segment in segments {
            sum += segment.chunks.len();
            starts.push(sum);
        }
        Self { starts }
    }

    fn count(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn find(&self, document: DocumentId) -> (usize, usize) {
        let segment = self.starts.partition_point(|start| *start <= document.index()) - 1;
        (segment, document.index() - self.starts[segment])
    }
}

/// The best parts of `segments` for a question.
pub(crate) fn search(
    segments: &[Segment],
    question: &Question,
    options: &SearchOptions,
) -> Vec<Found> {
    let places = Places::of(segments);
    let allowed = Kinds::of(options.kinds.iter().copied());
    let is_allowed = |document: usize| {
        options.kinds.is_empty() || {
            let (segment, chunk) = places.find(DocumentId::of_index(document));
            segments[segment].chunks[chunk].kinds.meets(allowed)
        }
    };
    let words = word_scores(segments, &places, question);
    let cosines = cosines(segments, &places, question);
    let most = options.limit.max(CANDIDATES_MIN);
    let top = |scores: &[f32]| {
        let positive = scores.iter().copied().enumerate().filter(|(_, score)| *score > 0.0);
        best(positive.filter(|(document, _)| is_allowed(*document)), most)
    };
    // Both scores of every candidate, so that what one ranking ends before still counts.
    let lists = [top(&words), cosines.as_deref().map(top).unwrap_or_default()];
    let candidates: BTreeSet<DocumentId> = lists.iter().flatten().map(|one| one.document).collect();
    let scored = |scores: &[f32]| -> Vec<Ranked> {
        let of = |document: &DocumentId| Ranked {
            document: *document,
            score: scores[document.index()].max(0.0),
        };
        candidates.iter().map(of).collect()
    };
    let by_words = scored(&words);
    let by_meaning = cosines.as_deref().map(scored).unwrap_or_default();
    let voices = [
        Voice { ranking: &by_words, weight: 1.0 },
        Voice { ranking: &by_meaning, weight: VECTORS_WEIGHT },
    ];
    let fused = by_score(&voices, options.limit);
    let found = fused.into_iter().map(|ranked| {
        let (segment, chunk) = places.find(ranked.document);
        let reason = Reason {
            words: shared_words(&segments[segment], chunk, question),
            words_score: words[ranked.document.index()],
            cosine: cosines.as_ref().map(|cosines| cosines[ranked.document.index()]),
        };
        Found { segment, chunk, score: ranked.score, reason }
    });
    found.collect()
}

/// BM25 of every part.
fn word_scores(segments: &[Segment], places: &Places, question: &Question) -> Vec<f32> {
    let mut scores = vec![0.0; places.count()];
    let lengths = segments.iter().flat_map(|segment| &segment.terms.lengths);
    let sum: u64 = lengths.map(|length| u64::from(*length)).sum();
    let mean = (sum as f32 / places.count().max(1) as f32).max(f32::MIN_POSITIVE);
    for (term, _) in &question.terms {
        let lists = segments.iter().map(|segment| segment.terms.postings(*term)).enumerate();
        let lists: Vec<(usize, &[Posting])> = lists.filter(|(_, list)| !list.is_empty()).collect();
        let containing = lists.iter().map(|(_, list)| list.len()).sum();
        let weight = inverse_document_frequency(places.count(), containing);
        for (segment, list) in lists {
            for posting in list {
                let chunk = usize::from(posting.chunk);
                let length = segments[segment].terms.lengths[chunk] as f32 / mean;
                let frequency = f32::from(posting.frequency);
                scores[places.starts[segment] + chunk] +=
                    weight * saturated(frequency, length, Bm25Settings::default());
            }
        }
    }
    scores
}

/// The cosine of every part, 0 for those without a vector; `None` where nothing has one.
fn cosines(segments: &[Segment], places: &Places, question: &Question) -> Option<Vec<f32>> {
    let vector = question.vector.as_ref()?;
    segments.iter().any(|segment| segment.vectors.is_some()).then(|| {
        let mut cosines = Vec::with_capacity(places.count());
        for segment in segments {
            match &segment.vectors {
                Some(vectors) => cosines.extend(vectors.cosines(vector)),
                None => cosines.resize(cosines.len() + segment.chunks.len(), 0.0),
            }
        }
        cosines
    })
}

fn shared_words(segment: &Segment, chunk: usize, question: &Question) -> Vec<String> {
    let here = |posting: &Posting| usize::from(posting.chunk) == chunk;
    let shared =
        question.terms.iter().filter(|(term, _)| segment.terms.postings(*term).iter().any(here));
    shared.map(|(_, word)| word.clone()).collect()
}

/// A hit as it is shown. `parsed` is the structure of its file.
pub(crate) fn hit(
    found: Found,
    segment: &Segment,
    parsed: &Parsed,
    question: &str,
    options: &SearchOptions,
) -> Hit {
    let chunk = &segment.chunks[found.chunk];
    let chosen = choose(chunk, parsed, question, &options.kinds);
    let entity = chosen.and_then(|at| parsed.entity(at));
    // Of several entities in a part, words of the question may stand in another than the
    // first; its lines are told apart only where its name or kind was asked for.
    let is_meant = chunk.entities.len() == 1
        || !options.kinds.is_empty()
        || entity.is_some_and(|entity| shares_terms(&entity.name, question));
    let inside = entity.map(|entity| entity.lines);
    let inside = inside.filter(|lines| is_meant && chunk.lines.covers(*lines));
    Hit {
        path: segment.path.clone(),
        lines: inside.unwrap_or(chunk.lines),
        kind: entity.map(|entity| entity.kind),
        name: chosen.map(|at| parsed.qualified_name(at)).unwrap_or_default(),
        signature: match entity {
            Some(_) if chosen == chunk.entities.first().copied() => chunk.signature.to_string(),
            // Headers are kept of what names a part.
            Some(entity) => entity.name.to_string(),
            None => String::new(),
        },
        visibility: entity.map(|entity| entity.visibility),
        score: found.score,
        reason: found.reason,
    }
}

fn shares_terms(name: &str, question: &str) -> bool {
    let asked = terms(question);
    terms(name).iter().any(|term| asked.contains(term))
}

/// The entity of a part that the question is most likely about: of the kinds asked for, the
/// first that shares the most words.
fn choose(
    chunk: &Chunk,
    parsed: &Parsed,
    question: &str,
    kinds: &[EntityKind],
) -> Option<EntityIndex> {
    let mut candidates: Vec<EntityIndex> = chunk.entities.clone();
    if !kinds.is_empty() {
        let from = parsed.entities.partition_point(|entity| entity.lines.first < chunk.lines.first);
        let starting = parsed.indexed().skip(from);
        let starting = starting.take_while(|(_, entity)| entity.lines.first <= chunk.lines.last);
        candidates.extend(starting.map(|(at, _)| at));
        candidates.retain(|at| parsed.entity(*at).is_some_and(|one| kinds.contains(&one.kind)));
    }
    let asked = terms(question);
    let shared = |at: &EntityIndex| {
        let name = parsed.entity(*at).map(|entity| terms(&entity.name)).unwrap_or_default();
        name.iter().filter(|term| asked.contains(term)).count()
    };
    // Of equal ones `max_by_key` would take the last.
    candidates.into_iter().rev().max_by_key(shared)
}
