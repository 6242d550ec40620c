//! The ranking of all chunks for a query.
//!
//! The candidates are the best by words (BM25) and the best by meaning (cosine of vectors). They
//! are ranked by the sum of both, each divided by its best, by names and kinds
//! ([`crate::structural_score`]), and by their links to other candidates.

use std::collections::{BTreeSet, HashMap};

use foveal_relevance::bm25::{Bm25Settings, inverse_document_frequency, saturated_frequency};
use foveal_relevance::embedding::QuantizedVector;
use foveal_relevance::ranking::{DocumentId, RankedDocument, top_documents};
use foveal_relevance::score_fusion::{NEIGHBOURS_SHARE, WeightedRanking, fuse_by_score};
use foveal_relevance::terms::{is_stop_word, visit_words};
use foveal_syntax::EntityKind;

use crate::chunker::KindSet;
use crate::name_links::{LinkCandidate, neighbour_scores};
use crate::segment::Segment;
use crate::structural_score::{QueryProfile, QueryWord};
use crate::text_terms::{TermHash, TermPosting, term_hashes};

/// The least number of chunks that each ranking contributes to the fusion.
const CANDIDATES_MIN: usize = 200;

/// The number of query terms that are used.
const TERMS_MAX: usize = 200;

/// The options of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// The limit of hits.
    pub limit: usize,
    /// The kinds of entities to return, or all kinds if empty.
    pub kinds: Vec<EntityKind>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { limit: 10, kinds: Vec::new() }
    }
}

/// The match between a hit and the query.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchReason {
    /// The query words that occur in the hit, in the order of the query.
    pub words: Vec<String>,
    /// The BM25 score of these words.
    pub words_score: f32,
    /// The cosine between the vectors of hit and query, -1 to 1. `None` without vectors.
    pub cosine: Option<f32>,
    /// The strength of the links to other candidates, relative to the strongest of all, 0 to 1.
    pub neighbours: f32,
}

/// A query in the form in which segments are searched.
pub(crate) struct SearchQuery {
    /// The distinct terms with the words that they come from.
    terms: Vec<(TermHash, String)>,
    pub(crate) vector: Option<QuantizedVector>,
}

impl SearchQuery {
    pub(crate) fn new(text: &str, vector: Option<QuantizedVector>) -> Self {
        let mut seen = BTreeSet::new();
        let mut terms = Vec::new();
        visit_words(text, |word| {
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

/// A ranked chunk before its entities are looked up.
pub(crate) struct RankedChunk {
    pub(crate) segment: usize,
    pub(crate) chunk: usize,
    pub(crate) score: f32,
    pub(crate) reason: MatchReason,
}

/// A numbering of all chunks of all segments, in order.
struct ChunkNumbering {
    /// The number of each segment's first chunk, followed by the number of all chunks.
    starts: Vec<usize>,
}

impl ChunkNumbering {
    fn from_segments(segments: &[Segment]) -> Self {
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

    fn locate(&self, document: DocumentId) -> (usize, usize) {
        let segment = self.starts.partition_point(|start| *start <= document.index()) - 1;
        (segment, document.index() - self.starts[segment])
    }
}

/// Returns the best chunks of `segments` for a query.
pub(crate) fn rank_chunks(
    segments: &[Segment],
    question: &SearchQuery,
    options: &SearchOptions,
) -> Vec<RankedChunk> {
    let places = ChunkNumbering::from_segments(segments);
    let allowed = KindSet::from_kinds(options.kinds.iter().copied());
    let is_allowed = |document: usize| {
        options.kinds.is_empty() || {
            let (segment, chunk) = places.locate(DocumentId::from_index(document));
            segments[segment].chunks[chunk].kinds.intersects(allowed)
        }
    };
    let mean = mean_length(segments, &places);
    let (words, asked) = word_scores(segments, &places, mean, question);
    let cosines = cosine_scores(segments, &places, question);
    let most = options.limit.max(CANDIDATES_MIN);
    let top = |scores: &[f32]| {
        let positive = scores.iter().copied().enumerate().filter(|(_, score)| *score > 0.0);
        top_documents(positive.filter(|(document, _)| is_allowed(*document)), most)
    };
    // Every candidate keeps both scores, also one that is too low for its ranking.
    let lists = [top(&words), cosines.as_deref().map(top).unwrap_or_default()];
    let candidates: BTreeSet<DocumentId> = lists.iter().flatten().map(|one| one.document).collect();
    let candidates: Vec<DocumentId> = candidates.into_iter().collect();
    let of_words = synonym_word_scores(segments, &places, mean, &asked, &candidates);
    let both =
        rank_by_structure(segments, &places, &asked, &candidates, &of_words, cosines.as_deref());
    let ties = link_strengths(segments, &places, &both);
    let weight = NEIGHBOURS_SHARE * both.first().map_or(0.0, |best| best.score);
    let graph = WeightedRanking { ranking: &ties, weight };
    let sum =
        WeightedRanking { ranking: &both, weight: both.first().map_or(0.0, |best| best.score) };
    let fused = fuse_by_score(&[sum, graph], options.limit);
    let tied: HashMap<DocumentId, f32> =
        ties.iter().map(|ranked| (ranked.document, ranked.score)).collect();
    let most_tied = ties.iter().map(|ranked| ranked.score).fold(f32::MIN_POSITIVE, f32::max);
    let found = fused.into_iter().map(|ranked| {
        let (segment, chunk) = places.locate(ranked.document);
        let reason = MatchReason {
            words: shared_words(&segments[segment], chunk, question),
            words_score: words[ranked.document.index()],
            cosine: cosines.as_ref().map(|cosines| cosines[ranked.document.index()]),
            neighbours: tied.get(&ranked.document).map_or(0.0, |tie| tie / most_tied),
        };
        RankedChunk { segment, chunk, score: ranked.score, reason }
    });
    found.collect()
}

/// Returns the link strengths between the candidates `both`.
fn link_strengths(
    segments: &[Segment],
    places: &ChunkNumbering,
    both: &[RankedDocument],
) -> Vec<RankedDocument> {
    let candidate = |ranked: &RankedDocument| {
        let (segment, part) = places.locate(ranked.document);
        LinkCandidate { links: &segments[segment].links, chunk: part, score: ranked.score }
    };
    let candidates: Vec<LinkCandidate<'_>> = both.iter().map(candidate).collect();
    let scores = neighbour_scores(&candidates).into_iter();
    let ties = both.iter().zip(scores);
    ties.map(|(ranked, score)| RankedDocument { document: ranked.document, score }).collect()
}

/// Ranks the candidates by words, vectors, names and kinds, best first.
fn rank_by_structure(
    segments: &[Segment],
    places: &ChunkNumbering,
    asked: &QueryProfile,
    candidates: &[DocumentId],
    words: &[f32],
    cosines: Option<&[f32]>,
) -> Vec<RankedDocument> {
    let cosine = |document: &DocumentId| cosines.map_or(0.0, |all| all[document.index()].max(0.0));
    let meaning: Vec<f32> = candidates.iter().map(cosine).collect();
    let most = |all: &[f32]| all.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let (most_words, most_meaning) = (most(words), most(&meaning));
    let sums = words.iter().zip(&meaning);
    let sums = sums.map(|(words, meaning)| words / most_words + meaning / most_meaning);
    let sums: Vec<f32> = sums.collect();
    let top = most(&sums);
    let scored = candidates.iter().zip(&sums).map(|(document, sum)| {
        let (segment, chunk) = places.locate(*document);
        let of = &segments[segment];
        let lines = of.chunks[chunk].lines.line_count();
        let (more, factor) = asked.structural_score(&of.names, chunk, lines);
        (document.index(), (sum / top + more) * factor)
    });
    top_documents(scored, candidates.len())
}

/// Returns the BM25 scores of candidates, which are in order, including synonyms of the query
/// words.
fn synonym_word_scores(
    segments: &[Segment],
    places: &ChunkNumbering,
    mean: f32,
    asked: &QueryProfile,
    candidates: &[DocumentId],
) -> Vec<f32> {
    let found: Vec<(usize, usize)> =
        candidates.iter().map(|document| places.locate(*document)).collect();
    let mut scores = Vec::with_capacity(found.len());
    for of_one in found.chunk_by(|a, b| a.0 == b.0) {
        let terms = &segments[of_one[0].0].terms;
        // One lookup of each posting list serves all chunks of a file.
        let lists = |word: &QueryWord| -> (&[TermPosting], Vec<&[TermPosting]>) {
            let others = word.synonyms.iter().map(|term| terms.postings(*term));
            (terms.postings(word.stem_hash()), others.filter(|list| !list.is_empty()).collect())
        };
        let lists: Vec<(&[TermPosting], Vec<&[TermPosting]>)> =
            asked.words.iter().map(lists).collect();
        for (_, chunk) in of_one {
            let length = terms.lengths[*chunk] as f32 / mean;
            let score =
                |(word, (own, others)): (&QueryWord, &(&[TermPosting], Vec<&[TermPosting]>))| {
                    let others = others.iter().map(|list| term_frequency(list, *chunk)).sum();
                    let all = QueryWord::effective_frequency(term_frequency(own, *chunk), others);
                    word.weight * saturated_frequency(all, length, Bm25Settings::default())
                };
            scores.push(asked.words.iter().zip(&lists).map(score).sum());
        }
    }
    scores
}

/// Returns the frequency of a term in one chunk of the file that `postings` belong to.
fn term_frequency(postings: &[TermPosting], chunk: usize) -> f32 {
    let found = postings.binary_search_by_key(&chunk, |one| usize::from(one.chunk));
    found.map_or(0.0, |at| f32::from(postings[at].frequency))
}

/// Returns the mean number of words of a chunk.
fn mean_length(segments: &[Segment], places: &ChunkNumbering) -> f32 {
    let lengths = segments.iter().flat_map(|segment| &segment.terms.lengths);
    let sum: u64 = lengths.map(|length| u64::from(*length)).sum();
    (sum as f32 / places.count().max(1) as f32).max(f32::MIN_POSITIVE)
}

/// Returns the BM25 score of every chunk, and the query words with their weights.
fn word_scores(
    segments: &[Segment],
    places: &ChunkNumbering,
    mean: f32,
    question: &SearchQuery,
) -> (Vec<f32>, QueryProfile) {
    let mut scores = vec![0.0; places.count()];
    let mut asked = Vec::new();
    for (term, word) in &question.terms {
        let lists = segments.iter().map(|segment| segment.terms.postings(*term)).enumerate();
        let lists: Vec<(usize, &[TermPosting])> =
            lists.filter(|(_, list)| !list.is_empty()).collect();
        let containing = lists.iter().map(|(_, list)| list.len()).sum();
        let weight = inverse_document_frequency(places.count(), containing);
        asked.push((&**word, weight));
        for (segment, list) in lists {
            for posting in list {
                let chunk = usize::from(posting.chunk);
                let length = segments[segment].terms.lengths[chunk] as f32 / mean;
                let frequency = f32::from(posting.frequency);
                scores[places.starts[segment] + chunk] +=
                    weight * saturated_frequency(frequency, length, Bm25Settings::default());
            }
        }
    }
    (scores, QueryProfile::from_weighted_words(asked.into_iter()))
}

/// Returns the cosine of every chunk, 0 for chunks without a vector, or `None` if there are no
/// vectors.
fn cosine_scores(
    segments: &[Segment],
    places: &ChunkNumbering,
    question: &SearchQuery,
) -> Option<Vec<f32>> {
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

fn shared_words(segment: &Segment, chunk: usize, question: &SearchQuery) -> Vec<String> {
    let here = |posting: &TermPosting| usize::from(posting.chunk) == chunk;
    let shared =
        question.terms.iter().filter(|(term, _)| segment.terms.postings(*term).iter().any(here));
    shared.map(|(_, word)| word.clone()).collect()
}
