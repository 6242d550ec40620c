//! What fills the prompts of one conversation, gathered while it is replayed.

use std::collections::HashMap;

use foveal_context::projector::Projector;
use foveal_context::step::Step;
use foveal_context::tokens::Tokens;
use foveal_replay::Prepared;
use foveal_transcript::EntryIndex;

use crate::data::{ByPart, FileFill, Fill, FillSample, Part};

/// Prompts of one conversation that are kept one by one.
const SAMPLES_MAX: usize = 60;
/// Files of one conversation that are kept.
const FILES_MAX: usize = 100;

/// Sums what fills each prompt; to be called once a request, from the observer of
/// [`foveal_replay::replay`]. A request costs the time of what is new or changed in its prompt.
#[derive(Debug)]
pub struct FillSampler<'a> {
    prepared: &'a Prepared,
    requests: usize,
    seen: usize,
    /// Part of each entry, as its place in [`Part::ALL`].
    parts: Vec<usize>,
    /// The files whose content each entry shows, as places in `files`.
    shows: Vec<Vec<usize>>,
    files: Vec<FileSums>,
    /// The messages of the last prompt, each with its tokens as projected.
    prompt: Vec<(EntryIndex, Tokens)>,
    /// What filled the last prompt, as recorded and as projected.
    raw: ByPart,
    projected: ByPart,
    fill: Fill,
}

/// What one file takes, as recorded and as projected.
#[derive(Debug)]
struct FileSums {
    path: String,
    /// Of the last prompt.
    now: (Tokens, Tokens),
    /// Of all prompts up to request `until`, which is not counted.
    sums: (Tokens, Tokens),
    until: usize,
}

impl FileSums {
    /// Counts the prompts before request `until` that are not counted yet.
    fn count_until(&mut self, until: usize) {
        let prompts = (until - self.until) as u64;
        self.sums.0 += Tokens(self.now.0.0 * prompts);
        self.sums.1 += Tokens(self.now.1.0 * prompts);
        self.until = until;
    }
}

impl<'a> FillSampler<'a> {
    /// A sampler at the start of a conversation.
    pub fn new(prepared: &'a Prepared) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let (mut parts, mut shows, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for (index, entry) in (0u32..).zip(prepared.record.entries()) {
            let facts = prepared.record.facts(EntryIndex(index));
            parts.push(Part::of(entry.role, facts.kind()) as usize);
            let targets = facts.call.iter().flat_map(|call| &call.effect.reads);
            let mut shown: Vec<usize> = Vec::new();
            for target in targets {
                let place = *places.entry(target.path.as_str()).or_insert_with(|| {
                    let (path, zero) = (target.path.clone(), (Tokens(0), Tokens(0)));
                    files.push(FileSums { path, now: zero, sums: zero, until: 0 });
                    files.len() - 1
                });
                if !shown.contains(&place) {
                    shown.push(place);
                }
            }
            shows.push(shown);
        }
        let requests = prepared.record.conversation().responses().count();
        let (raw, projected) = (ByPart::default(), ByPart::default());
        let (prompt, fill) = (Vec::new(), Fill::default());
        Self { prepared, requests, seen: 0, parts, shows, files, prompt, raw, projected, fill }
    }

    /// Takes the prompt of one request as the projector has planned it in `step`.
    pub fn observe(&mut self, projector: &Projector, step: &Step) {
        let window = projector.window();
        let kept = step.kept.min(self.prompt.len()).min(window.len());
        while self.prompt.len() > kept {
            let Some((index, projected)) = self.prompt.pop() else { break };
            self.put(index, projected, |sum, tokens| *sum = *sum - tokens);
        }
        for index in &window[kept..] {
            let projected = projector.item(*index).tokens;
            self.prompt.push((*index, projected));
            self.put(*index, projected, |sum, tokens| *sum += tokens);
        }
        let sums = self.fill.raw.iter_mut().chain(&mut self.fill.projected);
        for (sum, tokens) in sums.zip(self.raw.iter().chain(&self.projected)) {
            *sum += *tokens;
        }
        if is_kept(self.seen, self.requests, SAMPLES_MAX) {
            let request = u32::try_from(self.seen + 1).unwrap_or(u32::MAX);
            let (raw, projected) = (self.raw, self.projected);
            self.fill.samples.push(FillSample { request, raw, projected });
        }
        self.seen += 1;
    }

    /// Puts a message of `projected` tokens into the sums of a prompt, or takes it out, as `put`
    /// says.
    fn put(&mut self, index: EntryIndex, projected: Tokens, put: impl Fn(&mut Tokens, Tokens)) {
        let raw = self.prepared.record.facts(index).tokens;
        let part = self.parts[index.at()];
        put(&mut self.raw[part], raw);
        put(&mut self.projected[part], projected);
        // A result that shows several files does not say how much is whose.
        let shown = &self.shows[index.at()];
        let each = |tokens: Tokens| Tokens(tokens.0 / shown.len() as u64);
        for place in shown {
            let file = &mut self.files[*place];
            file.count_until(self.seen);
            put(&mut file.now.0, each(raw));
            put(&mut file.now.1, each(projected));
        }
    }

    /// What was gathered.
    pub fn finish(mut self) -> Fill {
        let seen = self.seen;
        let fill = |mut file: FileSums| {
            file.count_until(seen);
            FileFill { path: file.path, raw: file.sums.0, projected: file.sums.1 }
        };
        let mut files: Vec<FileFill> = self.files.into_iter().map(fill).collect();
        files.retain(|file| file.raw.0 > 0);
        keep_largest(&mut files, FILES_MAX);
        self.fill.files = files;
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
mod tests;
