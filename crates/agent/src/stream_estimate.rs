//! An estimate of a request's usage, for servers that do not report it.
//!
//! A server bills the prompt that it has read and the answer that it has sent, even if the answer
//! breaks off or is cancelled; some servers report no tokens at all. The estimate fills the gap, so
//! that limits hold.

use foveal_pricing::tokens::estimate_tokens;
use foveal_protocols::response::{BilledUsage, DecodedEvent};
use foveal_transcript::ContentBlock;

use crate::billing::transcript_usage;

/// The estimated tokens of the request that is in flight.
#[derive(Debug, Default)]
pub(crate) struct StreamEstimate {
    /// Tokens of the prompt.
    prompt_tokens: u64,
    /// Tokens of the answer so far.
    answer_tokens: u64,
    /// Whether the request was sent and has not failed since.
    is_sent: bool,
}

impl StreamEstimate {
    /// Returns the estimate for a request that is sent now.
    pub(crate) fn from_prompt_tokens(prompt_tokens: u64) -> Self {
        Self { prompt_tokens, answer_tokens: 0, is_sent: true }
    }

    /// Adds the tokens of a piece of the answer.
    pub(crate) fn add_event(&mut self, event: &DecodedEvent) {
        let tokens = match event {
            DecodedEvent::Text(text) | DecodedEvent::Reasoning(text) => estimate_tokens(text).0,
            DecodedEvent::CallStart { name, .. } => estimate_tokens(name).0,
            DecodedEvent::CallArguments { piece, .. } => estimate_tokens(piece).0,
            DecodedEvent::CallEnd(_) => 0,
        };
        self.answer_tokens = self.answer_tokens.saturating_add(tokens);
    }

    /// Records that the request failed, and returns its estimated usage. A request without any
    /// piece of an answer was refused or never arrived, and costs nothing.
    pub(crate) fn record_failure(&mut self) -> Option<BilledUsage> {
        let cut = (self.answer_tokens > 0)
            .then(|| billed_from_tokens(self.prompt_tokens, self.answer_tokens));
        (self.answer_tokens, self.is_sent) = (0, false);
        cut
    }

    /// Records that the request was cancelled, and returns its estimated usage. The server has the
    /// prompt even if no answer has begun.
    pub(crate) fn record_cancellation(&mut self) -> Option<BilledUsage> {
        let cut = (self.is_sent || self.answer_tokens > 0)
            .then(|| billed_from_tokens(self.prompt_tokens, self.answer_tokens));
        *self = Self::default();
        cut
    }

    /// Returns the estimated usage of a complete answer, or `None` where its server reported tokens
    /// or a cost.
    pub(crate) fn estimate_unreported(
        &self,
        told: &BilledUsage,
        blocks: &[ContentBlock],
    ) -> Option<BilledUsage> {
        let usage = transcript_usage(told);
        let all = [usage.input, usage.cache_read, usage.cache_write, usage.output];
        let is_told = told.cost.is_some() || all.iter().any(|tokens| *tokens > 0);
        (!is_told).then(|| {
            billed_from_tokens(self.prompt_tokens, blocks.iter().map(estimate_block_tokens).sum())
        })
    }
}

fn billed_from_tokens(prompt: u64, answer: u64) -> BilledUsage {
    BilledUsage { uncached: Some(prompt), output: Some(answer), ..BilledUsage::default() }
}

/// Returns the estimated tokens of a block of an answer.
fn estimate_block_tokens(block: &ContentBlock) -> u64 {
    match block {
        ContentBlock::Text(text) | ContentBlock::Reasoning(text) => estimate_tokens(text).0,
        ContentBlock::Call(call) => {
            estimate_tokens(&call.name).0 + estimate_tokens(&call.arguments.to_string()).0
        }
        ContentBlock::Result(_) | ContentBlock::Opaque { .. } => 0,
    }
}
