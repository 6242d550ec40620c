//! Which parts of all files answer a question best.
//!
//! The best by words (BM25) and the best by meaning (the cosine of vectors) are candidates.
//! They are ranked by both, each divided by its best, by names and by what they are
//! ([`crate::likeness`]), and by which others of the best they use or are used by.

use std::collections::{BTreeSet, HashMap};

use foveal_code::EntityKind;
use foveal_code::bm25::{Bm25Settings, inverse_document_frequency, saturated};
use foveal_code::embed::QuantizedVector;
use foveal_code::fusion::{NEIGHBOURS_SHARE, Voice, by_score};
use foveal_code::ranked::{DocumentId, Ranked, best};
use foveal_code::terms::{for_each_word, is_stop_word};

use crate::chunk::Kinds;
use crate::likeness::{Asked, AskedWord};
use crate::links::{Candidate, neighbours};
use crate::segment::Segment;
use crate::text_terms::{Posting, TermHash, term_hashes};

/// Parts that either ranking hands to the fusion, at least.
const CANDIDATES_MIN: usize = 200;

/// Terms of a question that are looked for; the rest of a longer one is left out.
const TERMS_MAX: usize = 200;

/// What is to be found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// Hits at most.
    pub limit: usize,
    /// Only entities of these kinds; all if empty.
    pub kinds: Vec<EntityKind>,
    /// What neighbours among the best count against words and meaning together at 1.
    pub neighbours_share: f32,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { limit: 10, kinds: Vec::new(), neighbours_share: NEIGHBOURS_SHARE }
    }
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
    /// How much it uses what others of the best parts define, or they what it defines,
    /// against the part that does so most, 0 to 1.
    pub neighbours: f32,
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
pub(crate) struct FoundPart {
    pub(crate) segment: usize,
    pub(crate) chunk: usize,
    pub(crate) score: f32,
    pub(crate) reason: Reason,
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
) -> Vec<FoundPart> {
    let places = Places::of(segments);
    let allowed = Kinds::of(options.kinds.iter().copied());
    let is_allowed = |document: usize| {
        options.kinds.is_empty() || {
            let (segment, chunk) = places.find(DocumentId::of_index(document));
            segments[segment].chunks[chunk].kinds.meets(allowed)
        }
    };
    let mean = mean_length(segments, &places);
    let (words, asked) = word_scores(segments, &places, mean, question);
    let cosines = cosines(segments, &places, question);
    let most = options.limit.max(CANDIDATES_MIN);
    let top = |scores: &[f32]| {
        let positive = scores.iter().copied().enumerate().filter(|(_, score)| *score > 0.0);
        best(positive.filter(|(document, _)| is_allowed(*document)), most)
    };
    // Both scores of every candidate, so that what one ranking ends before still counts.
    let lists = [top(&words), cosines.as_deref().map(top).unwrap_or_default()];
    let candidates: BTreeSet<DocumentId> = lists.iter().flatten().map(|one| one.document).collect();
    let candidates: Vec<DocumentId> = candidates.into_iter().collect();
    let of_words = words_with_synonyms(segments, &places, mean, &asked, &candidates);
    let both = by_likeness(segments, &places, &asked, &candidates, (&of_words, cosines.as_deref()));
    let counts = options.neighbours_share > 0.0;
    let ties = if counts { ties(segments, &places, &both) } else { Vec::new() };
    let weight = options.neighbours_share * both.first().map_or(0.0, |best| best.score);
    let graph = Voice { ranking: &ties, weight };
    let sum = Voice { ranking: &both, weight: both.first().map_or(0.0, |best| best.score) };
    let fused = by_score(&[sum, graph], options.limit);
    let tied: HashMap<DocumentId, f32> =
        ties.iter().map(|ranked| (ranked.document, ranked.score)).collect();
    let most_tied = ties.iter().map(|ranked| ranked.score).fold(f32::MIN_POSITIVE, f32::max);
    let found = fused.into_iter().map(|ranked| {
        let (segment, chunk) = places.find(ranked.document);
        let reason = Reason {
            words: shared_words(&segments[segment], chunk, question),
            words_score: words[ranked.document.index()],
            cosine: cosines.as_ref().map(|cosines| cosines[ranked.document.index()]),
            neighbours: tied.get(&ranked.document).map_or(0.0, |tie| tie / most_tied),
        };
        FoundPart { segment, chunk, score: ranked.score, reason }
    });
    found.collect()
}

/// How much the candidates `both` are tied to each other.
fn ties(segments: &[Segment], places: &Places, both: &[Ranked]) -> Vec<Ranked> {
    let candidate = |ranked: &Ranked| {
        let (segment, part) = places.find(ranked.document);
        Candidate { links: &segments[segment].links, part, score: ranked.score }
    };
    let candidates: Vec<Candidate<'_>> = both.iter().map(candidate).collect();
    let scores = neighbours(&candidates).into_iter();
    let ties = both.iter().zip(scores);
    ties.map(|(ranked, score)| Ranked { document: ranked.document, score }).collect()
}

/// The candidates by words, meaning, names and what they are, best first.
fn by_likeness(
    segments: &[Segment],
    places: &Places,
    asked: &Asked,
    candidates: &[DocumentId],
    (words, cosines): (&[f32], Option<&[f32]>),
) -> Vec<Ranked> {
    let cosine = |document: &DocumentId| cosines.map_or(0.0, |all| all[document.index()].max(0.0));
    let meaning: Vec<f32> = candidates.iter().map(cosine).collect();
    let most = |all: &[f32]| all.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let (most_words, most_meaning) = (most(words), most(&meaning));
    let sums = words.iter().zip(&meaning);
    let sums = sums.map(|(words, meaning)| words / most_words + meaning / most_meaning);
    let sums: Vec<f32> = sums.collect();
    let top = most(&sums);
    let scored = candidates.iter().zip(&sums).map(|(document, sum)| {
        let (segment, chunk) = places.find(*document);
        let of = &segments[segment];
        let lines = of.chunks[chunk].lines.count();
        let (more, factor) = asked.likeness(&of.names, chunk, lines);
        (document.index(), (sum / top + more) * factor)
    });
    best(scored, candidates.len())
}

/// BM25 of candidates, which are in order, where words count that may stand for those asked
/// for.
fn words_with_synonyms(
    segments: &[Segment],
    places: &Places,
    mean: f32,
    asked: &Asked,
    candidates: &[DocumentId],
) -> Vec<f32> {
    let found: Vec<(usize, usize)> =
        candidates.iter().map(|document| places.find(*document)).collect();
    let mut scores = Vec::with_capacity(found.len());
    for of_one in found.chunk_by(|a, b| a.0 == b.0) {
        let terms = &segments[of_one[0].0].terms;
        // Each list is looked up once for all parts of a file.
        let lists = |word: &AskedWord| -> (&[Posting], Vec<&[Posting]>) {
            let others = word.synonyms.iter().map(|term| terms.postings(*term));
            (terms.postings(word.whole()), others.filter(|list| !list.is_empty()).collect())
        };
        let lists: Vec<(&[Posting], Vec<&[Posting]>)> = asked.words.iter().map(lists).collect();
        for (_, chunk) in of_one {
            let length = terms.lengths[*chunk] as f32 / mean;
            let score = |(word, (own, others)): (&AskedWord, &(&[Posting], Vec<&[Posting]>))| {
                let others = others.iter().map(|list| frequency(list, *chunk)).sum();
                let all = AskedWord::frequency(frequency(own, *chunk), others);
                word.weight * saturated(all, length, Bm25Settings::default())
            };
            scores.push(asked.words.iter().zip(&lists).map(score).sum());
        }
    }
    scores
}

/// How often a term stands in one part of the file that `postings` are of.
fn frequency(postings: &[Posting], chunk: usize) -> f32 {
    let found = postings.binary_search_by_key(&chunk, |one| usize::from(one.chunk));
    found.map_or(0.0, |at| f32::from(postings[at].frequency))
}

/// Words of a part, the mean over all.
fn mean_length(segments: &[Segment], places: &Places) -> f32 {
    let lengths = segments.iter().flat_map(|segment| &segment.terms.lengths);
    let sum: u64 = lengths.map(|length| u64::from(*length)).sum();
    (sum as f32 / places.count().max(1) as f32).max(f32::MIN_POSITIVE)
}

/// BM25 of every part, and the words that were asked for with how rare they are.
fn word_scores(
    segments: &[Segment],
    places: &Places,
    mean: f32,
    question: &Question,
) -> (Vec<f32>, Asked) {
    let mut scores = vec![0.0; places.count()];
    let mut asked = Vec::new();
    for (term, word) in &question.terms {
        let lists = segments.iter().map(|segment| segment.terms.postings(*term)).enumerate();
        let lists: Vec<(usize, &[Posting])> = lists.filter(|(_, list)| !list.is_empty()).collect();
        let containing = lists.iter().map(|(_, list)| list.len()).sum();
        let weight = inverse_document_frequency(places.count(), containing);
        asked.push((&**word, weight));
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
    (scores, Asked::of(asked.into_iter()))
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
