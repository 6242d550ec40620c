//! What fills the prompts of one conversation, gathered while it is replayed.

use std::collections::HashMap;

use foveal_context::projector::Projector;
use foveal_context::tokens::Tokens;
use foveal_replay::Prepared;
use foveal_transcript::EntryIndex;

use crate::data::{ByPart, FileFill, Fill, FillSample, Part};

/// Prompts of one conversation that are kept one by one.
const SAMPLES_MAX: usize = 60;
/// Files of one conversation that are kept.
const FILES_MAX: usize = 100;

/// Sums what fills each prompt; to be called once a request, from the observer of
/// [`foveal_replay::replay`].
#[derive(Debug)]
pub struct FillSampler<'a> {
    prepared: &'a Prepared,
    requests: usize,
    seen: usize,
    /// Part of each entry, as its place in [`Part::ALL`].
    parts: Vec<usize>,
    /// The files whose content each entry shows, as places in `files`.
    shows: Vec<Vec<usize>>,
    files: Vec<FileFill>,
    fill: Fill,
}

impl<'a> FillSampler<'a> {
    /// A sampler at the start of a conversation.
    pub fn new(prepared: &'a Prepared) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let (mut parts, mut shows) = (Vec::new(), Vec::new());
        for (index, entry) in (0u32..).zip(prepared.record.entries()) {
            let facts = prepared.record.facts(EntryIndex(index));
            parts.push(Part::of(entry.role, facts.kind()) as usize);
            let targets = facts.call.iter().flat_map(|call| &call.effect.reads);
            let mut shown: Vec<usize> = Vec::new();
            for target in targets {
                let next = places.len();
                let place = *places.entry(target.path.as_str()).or_insert(next);
                if !shown.contains(&place) {
                    shown.push(place);
                }
            }
            shows.push(shown);
        }
        let mut paths: Vec<(&str, usize)> = places.into_iter().collect();
        paths.sort_by_key(|(_, place)| *place);
        let unseen = |(path, _): (&str, usize)| FileFill {
            path: path.to_owned(),
            raw: Tokens(0),
            projected: Tokens(0),
        };
        let files = paths.into_iter().map(unseen).collect();
        let requests = prepared.record.conversation().responses().count();
        Self { prepared, requests, seen: 0, parts, shows, files, fill: Fill::default() }
    }

    /// Takes the prompt of one request as the projector has planned it.
    pub fn observe(&mut self, projector: &Projector) {
        let (mut raw, mut projected) = (ByPart::default(), ByPart::default());
        for index in projector.window() {
            let before = self.prepared.record.facts(*index).tokens;
            let after = projector.item(*index).tokens;
            let part = self.parts[index.at()];
            raw[part] += before;
            projected[part] += after;
            // A result that shows several files does not say how much is whose.
            let shown = &self.shows[index.at()];
            for place in shown {
                let file = &mut self.files[*place];
                file.raw += Tokens(before.0 / shown.len() as u64);
                file.projected += Tokens(after.0 / shown.len() as u64);
            }
        }
        for (sum, tokens) in self.fill.raw.iter_mut().zip(raw) {
            *sum += tokens;
        }
        for (sum, tokens) in self.fill.projected.iter_mut().zip(projected) {
            *sum += tokens;
        }
        if is_kept(self.seen, self.requests, SAMPLES_MAX) {
            let request = u32::try_from(self.seen + 1).unwrap_or(u32::MAX);
            self.fill.samples.push(FillSample { request, raw, projected });
        }
        self.seen += 1;
    }

    /// What was gathered.
    pub fn finish(mut self) -> Fill {
        self.files.retain(|file| file.raw.0 > 0);
        keep_largest(&mut self.files, FILES_MAX);
        self.fill.files = self.files;
        self.fill
    }
}

/// The files that took most, at most `most` of them.
pub(crate) fn keep_largest(files: &mut Vec<FileFill>, most: usize) {
    files.sort_by(|a, b| b.raw.cmp(&a.raw).then_with(|| a.path.cmp(&b.path)));
    files.truncate(most);
}

/// Whether the item at `at` is among `most` evenly spaced ones of `all`, ends included.
pub(crate) fn is_kept(at: usize, all: usize, most: usize) -> bool {
    if all <= most || at + 1 == all {
        return true;
    }
    // Item `at` is kept if a multiple of (all - 1) / (most - 1) rounds up to it.
    let (gaps, last) = (most.saturating_sub(1).max(1), all - 1);
    at == 0 || (at * gaps) / last > ((at - 1) * gaps) / last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_even_and_bounded() {
        for (all, most) in [(0, 60), (1, 60), (60, 60), (61, 60), (471, 60), (5000, 2), (7, 1)] {
            let kept: Vec<usize> = (0..all).filter(|at| is_kept(*at, all, most)).collect();
            assert!(kept.len() <= most.max(2), "{all} {most}: {}", kept.len());
            assert_eq!(kept.first().copied(), (all > 0).then_some(0));
            assert_eq!(kept.last().copied(), all.checked_sub(1));
            let gaps: Vec<usize> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let (least, largest) = (gaps.iter().min(), gaps.iter().max());
            assert!(least.zip(largest).is_none_or(|(least, most)| most - least <= 1), "{gaps:?}");
        }
    }
}
