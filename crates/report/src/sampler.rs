//! Sums the composition of the prompts of one conversation while it is replayed.

use std::collections::HashMap;

use foveal_engine::plan_step::PlanStep;
use foveal_engine::projector::Projector;
use foveal_pricing::tokens::Tokens;
use foveal_replay::PreparedConversation;
use foveal_transcript::EntryIndex;

use crate::data::{
    CompositionSample, FileTokens, PromptComposition, PromptContentKind, TokensByKind,
};

/// The most single prompts of one conversation that are stored.
const SAMPLES_MAX: usize = 60;
/// The most files of one conversation that are stored.
const FILES_MAX: usize = 100;

/// Sums the composition of each prompt. Call it once per request, from the observer of
/// [`foveal_replay::replay`]. The time of a request is proportional to the new or changed part of
/// its prompt.
#[derive(Debug)]
pub struct CompositionSampler<'a> {
    prepared: &'a PreparedConversation,
    requests: usize,
    observed_requests: usize,
    /// The content kind of each entry, as its index in [`PromptContentKind::ALL`].
    kinds: Vec<usize>,
    /// The files whose content each entry shows, as indices into `files`.
    shown_files: Vec<Vec<usize>>,
    files: Vec<FileSums>,
    /// The messages of the last prompt, each with its projected tokens.
    prompt: Vec<(EntryIndex, Tokens)>,
    /// The composition of the last prompt, as recorded and as projected.
    raw: TokensByKind,
    projected: TokensByKind,
    fill: PromptComposition,
}

/// The tokens of one file, as recorded and as projected.
#[derive(Debug)]
struct FileSums {
    path: String,
    /// In the last prompt.
    now: (Tokens, Tokens),
    /// In all prompts before request `until`.
    sums: (Tokens, Tokens),
    until: usize,
}

impl FileSums {
    /// Adds the prompts before request `until` that are not counted yet.
    fn count_until(&mut self, until: usize) {
        let prompts = (until - self.until) as u64;
        self.sums.0 += Tokens(self.now.0.0 * prompts);
        self.sums.1 += Tokens(self.now.1.0 * prompts);
        self.until = until;
    }
}

impl<'a> CompositionSampler<'a> {
    /// Creates a sampler at the start of a conversation.
    pub fn new(prepared: &'a PreparedConversation) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let (mut kinds, mut shown_files, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for (index, entry) in (0u32..).zip(prepared.record.entries()) {
            let facts = prepared.record.facts(EntryIndex(index));
            kinds.push(PromptContentKind::from_entry(entry.role, facts.kind()) as usize);
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
            shown_files.push(shown);
        }
        let requests = prepared.record.conversation().response_indices().count();
        let (raw, projected) = (TokensByKind::default(), TokensByKind::default());
        let (prompt, fill) = (Vec::new(), PromptComposition::default());
        Self {
            prepared,
            requests,
            observed_requests: 0,
            kinds,
            shown_files,
            files,
            prompt,
            raw,
            projected,
            fill,
        }
    }

    /// Adds the prompt of one request as planned in `step`.
    pub fn observe(&mut self, projector: &Projector, step: &PlanStep) {
        let window = projector.window();
        let kept = step.kept.min(self.prompt.len()).min(window.len());
        while self.prompt.len() > kept {
            let Some((index, projected)) = self.prompt.pop() else { break };
            self.update_sums(index, projected, |sum, tokens| *sum = *sum - tokens);
        }
        for index in &window[kept..] {
            let projected = projector.entry_state(*index).tokens;
            self.prompt.push((*index, projected));
            self.update_sums(*index, projected, |sum, tokens| *sum += tokens);
        }
        let sums = self.fill.raw.iter_mut().chain(&mut self.fill.projected);
        for (sum, tokens) in sums.zip(self.raw.iter().chain(&self.projected)) {
            *sum += *tokens;
        }
        if is_evenly_sampled(self.observed_requests, self.requests, SAMPLES_MAX) {
            let request = u32::try_from(self.observed_requests + 1).unwrap_or(u32::MAX);
            let (raw, projected) = (self.raw, self.projected);
            self.fill.samples.push(CompositionSample { request, raw, projected });
        }
        self.observed_requests += 1;
    }

    /// Adds a message of `projected` tokens to the sums of a prompt, or subtracts it, by `put`.
    fn update_sums(
        &mut self,
        index: EntryIndex,
        projected: Tokens,
        put: impl Fn(&mut Tokens, Tokens),
    ) {
        let raw = self.prepared.record.facts(index).tokens;
        let part = self.kinds[index.as_usize()];
        put(&mut self.raw[part], raw);
        put(&mut self.projected[part], projected);
        // The tokens of a result that shows several files are divided evenly.
        let shown = &self.shown_files[index.as_usize()];
        let each = |tokens: Tokens| Tokens(tokens.0 / shown.len() as u64);
        for place in shown {
            let file = &mut self.files[*place];
            file.count_until(self.observed_requests);
            put(&mut file.now.0, each(raw));
            put(&mut file.now.1, each(projected));
        }
    }

    /// Returns the composition of all prompts.
    pub fn finish(mut self) -> PromptComposition {
        let seen = self.observed_requests;
        let fill = |mut file: FileSums| {
            file.count_until(seen);
            FileTokens { path: file.path, raw: file.sums.0, projected: file.sums.1 }
        };
        let mut files: Vec<FileTokens> = self.files.into_iter().map(fill).collect();
        files.retain(|file| file.raw.0 > 0);
        truncate_to_largest(&mut files, FILES_MAX);
        self.fill.files = files;
        self.fill
    }
}

/// Reduces `files` to the `most` with the most tokens.
pub(crate) fn truncate_to_largest(files: &mut Vec<FileTokens>, most: usize) {
    files.sort_by(|a, b| b.raw.cmp(&a.raw).then_with(|| a.path.cmp(&b.path)));
    files.truncate(most);
}

/// Returns whether the item at `at` is among `most` evenly spaced ones of `all`, ends included.
pub(crate) fn is_evenly_sampled(at: usize, all: usize, most: usize) -> bool {
    if all <= most || at + 1 == all {
        return true;
    }
    // Item `at` is sampled if a multiple of (all - 1) / (most - 1) rounds up to it.
    let (gaps, last) = (most.saturating_sub(1).max(1), all - 1);
    at == 0 || (at * gaps) / last > ((at - 1) * gaps) / last
}

#[cfg(test)]
mod tests;
