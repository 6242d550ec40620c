//! Names that tie the parts of files together: what each defines and what each uses.
//!
//! Kept in memory to search, as hashes of 32 bits like words. Nobody is looked up by
//! imports or types here: two parts of a question's best that share a name are related
//! often enough, and what one name may mean many times counts little.

use std::collections::HashMap;

use foveal_code::relations::FileSymbols;

use crate::chunk::Chunk;
use crate::text_terms::TermHash;

/// Best candidates whose neighbours are looked at.
const SOURCES: usize = 30;

/// Candidates that one name is defined in, from which on it says nothing.
const DEFINITIONS_MAX: usize = 12;

/// What all names that two parts share count together at most.
const TIE_MAX: f32 = 1.0;

/// Bytes of a name that says something.
const NAME_BYTES_MIN: usize = 3;

/// The names of one file by its parts, each once a part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Links {
    defined: Lists,
    used: Lists,
}

/// Names of each part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Lists {
    names: Vec<TermHash>,
    /// Where those of each part end.
    ends: Vec<u32>,
}

impl Lists {
    fn of(mut pairs: Vec<(usize, TermHash)>, parts: usize) -> Self {
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

    fn part(&self, part: usize) -> &[TermHash] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.names[start as usize..self.ends[part] as usize]
    }
}

impl Links {
    /// The names in `symbols` by `chunks`, which are of the same file and in order.
    pub(crate) fn of(symbols: &FileSymbols, chunks: &[Chunk]) -> Self {
        let part = |line| {
            let after = chunks.partition_point(|chunk| chunk.lines.first <= line);
            let part = after.checked_sub(1)?;
            chunks[part].lines.contains(line).then_some(part)
        };
        let says = |name: &str| name.len() >= NAME_BYTES_MIN;
        let defined =
            symbols.definitions.iter().filter(|of| of.kind.can_be_named() && says(&of.name));
        let defined =
            defined.filter_map(|of| Some((part(of.signature.first)?, TermHash::of(&of.name))));
        let names: Vec<Option<TermHash>> =
            symbols.names.iter().map(|name| says(name).then(|| TermHash::of(name))).collect();
        let used = symbols.uses.iter();
        let used = used.filter_map(|of| Some((part(of.line)?, (*names.get(of.name as usize)?)?)));
        Self {
            defined: Lists::of(defined.collect(), chunks.len()),
            used: Lists::of(used.collect(), chunks.len()),
        }
    }
}

/// A part that may answer a question.
pub(crate) struct Candidate<'a> {
    pub(crate) links: &'a Links,
    /// Its place among the parts of its file.
    pub(crate) part: usize,
    /// What it has of words and meaning; above 0.
    pub(crate) score: f32,
}

/// How much each of `candidates` is tied to the best [`SOURCES`] of the others: the sum of
/// their scores, each as strong as the names of which one part has the definition and the
/// other a use, divided by the root of 1 and all ties of the candidate.
///
/// A name counts 1 divided by how many candidates define it.
pub(crate) fn neighbours(candidates: &[Candidate<'_>]) -> Vec<f32> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|a, b| candidates[*b].score.total_cmp(&candidates[*a].score));
    let mut is_source = vec![false; candidates.len()];
    order.iter().take(SOURCES).for_each(|at| is_source[*at] = true);
    let mut definers: HashMap<TermHash, Vec<usize>> = HashMap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        for name in candidate.links.defined.part(candidate.part) {
            definers.entry(*name).or_default().push(at);
        }
    }
    definers.retain(|_, all| all.len() <= DEFINITIONS_MAX);
    let mut sums = vec![0.0; candidates.len()];
    let mut ties = vec![1.0; candidates.len()];
    let mut strengths: HashMap<usize, f32> = HashMap::new();
    for (user, candidate) in candidates.iter().enumerate() {
        strengths.clear();
        for name in candidate.links.used.part(candidate.part) {
            let all = definers.get(name).map(Vec::as_slice).unwrap_or_default();
            for definer in all.iter().filter(|definer| **definer != user) {
                *strengths.entry(*definer).or_default() += 1.0 / all.len() as f32;
            }
        }
        let mut pairs: Vec<(usize, f32)> = strengths.drain().collect();
        // The order of a sum decides its last digit.
        pairs.sort_unstable_by_key(|(definer, _)| *definer);
        for (definer, strength) in pairs {
            let strength = strength.min(TIE_MAX);
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
