//! Links between chunks through names: one defines what the other uses.
//!
//! Built in memory for the search, as 32-bit hashes like words. Imports and types are not resolved:
//! two of the best chunks that share a name are related often enough, and ambiguous names count
//! little.

use std::collections::HashMap;

use foveal_relevance::relations::FileSymbols;

use crate::chunker::Chunk;
use crate::text_terms::TermHash;

/// The number of best candidates whose links count.
const LINK_SOURCES_MAX: usize = 30;

/// A name that more candidates than this define is ignored.
const DEFINITIONS_MAX: usize = 12;

/// The greatest strength of the link between two chunks.
const LINK_STRENGTH_MAX: f32 = 1.0;

/// The length in bytes of the shortest name that counts.
const NAME_BYTES_MIN: usize = 3;

/// The names of one file by chunk, each once per chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NameLinks {
    defined: ChunkNameLists,
    used: ChunkNameLists,
}

/// A list of names for each chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ChunkNameLists {
    names: Vec<TermHash>,
    /// The end of each chunk's names.
    ends: Vec<u32>,
}

impl ChunkNameLists {
    fn from_pairs(mut pairs: Vec<(usize, TermHash)>, parts: usize) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut ends = vec![0; parts];
        for (part, _) in &pairs {
            ends[*part] += 1;
        }
        for part in 1..parts {
            ends[part] += ends[part - 1];
        }
        Self { names: pairs.into_iter().map(|(_, name)| name).collect(), ends }
    }

    fn names_in_chunk(&self, part: usize) -> &[TermHash] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[start as usize..self.ends[part] as usize]
    }
}

impl NameLinks {
    /// Collects the names in `symbols` by `chunks`, which belong to the same file and are in order.
    pub(crate) fn from_symbols(symbols: &FileSymbols, chunks: &[Chunk]) -> Self {
        let part = |line| {
            let after = chunks.partition_point(|chunk| chunk.lines.first <= line);
            let part = after.checked_sub(1)?;
            chunks[part].lines.contains(line).then_some(part)
        };
        let says = |name: &str| name.len() >= NAME_BYTES_MIN;
        let defined =
            symbols.definitions.iter().filter(|of| of.kind.is_referenceable() && says(&of.name));
        let defined = defined
            .filter_map(|of| Some((part(of.signature.first)?, TermHash::from_term(&of.name))));
        let names: Vec<Option<TermHash>> = symbols
            .names
            .iter()
            .map(|name| says(name).then(|| TermHash::from_term(name)))
            .collect();
        let used = symbols.uses.iter();
        let used = used.filter_map(|of| Some((part(of.line)?, (*names.get(of.name as usize)?)?)));
        Self {
            defined: ChunkNameLists::from_pairs(defined.collect(), chunks.len()),
            used: ChunkNameLists::from_pairs(used.collect(), chunks.len()),
        }
    }
}

/// A chunk that may answer a query.
pub(crate) struct LinkCandidate<'a> {
    pub(crate) links: &'a NameLinks,
    /// The position of the chunk in its file.
    pub(crate) chunk: usize,
    /// The score by words, vectors and structure, above 0.
    pub(crate) score: f32,
}

/// Returns how strongly each of `candidates` is linked to the best [`LINK_SOURCES_MAX`] of the
/// others: the sum of their scores, weighted by the names that one chunk defines and the other
/// uses, divided by the square root of 1 plus the total link strength of the candidate.
///
/// A name counts 1 divided by the number of candidates that define it.
pub(crate) fn neighbour_scores(candidates: &[LinkCandidate<'_>]) -> Vec<f32> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|a, b| candidates[*b].score.total_cmp(&candidates[*a].score));
    let mut is_source = vec![false; candidates.len()];
    order.iter().take(LINK_SOURCES_MAX).for_each(|at| is_source[*at] = true);
    let mut definers: HashMap<TermHash, Vec<usize>> = HashMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        for name in candidate.links.defined.names_in_chunk(candidate.chunk) {
            definers.entry(*name).or_default().push(at);
        }
    }
    definers.retain(|_, all| all.len() <= DEFINITIONS_MAX);
    let mut sums = vec![0.0; candidates.len()];
    let mut ties = vec![1.0; candidates.len()];
    let mut strengths: HashMap<usize, f32> = HashMap::new();
    for (user, candidate) in candidates.iter().enumerate() {
        strengths.clear();
        for name in candidate.links.used.names_in_chunk(candidate.chunk) {
            let all = definers.get(name).map(Vec::as_slice).unwrap_or_default();
            for definer in all.iter().filter(|definer| **definer != user) {
                *strengths.entry(*definer).or_default() += 1.0 / all.len() as f32;
            }
        }
        let mut pairs: Vec<(usize, f32)> = strengths.drain().collect();
        // A fixed order of summation keeps the last digit reproducible.
        pairs.sort_unstable_by_key(|(definer, _)| *definer);
        for (definer, strength) in pairs {
            let strength = strength.min(LINK_STRENGTH_MAX);
            for (one, other) in [(user, definer), (definer, user)] {
                ties[one] += strength;
                if is_source[other] {
                    sums[one] += strength * candidates[other].score;
                }
            }
        }
    }
    sums.iter().zip(&ties).map(|(sum, ties): (&f32, &f32)| sum / ties.sqrt()).collect()
}

#[cfg(test)]
mod tests;
