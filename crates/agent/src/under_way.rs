//! A request that is under way: what it comes to where its server never tells.
//!
//! A server bills for a prompt that it has read and for what it has said, also where the answer breaks
//! off or is stopped; and some tell no tokens at all. What is not told is estimated, so that limits
//! hold.

use foveal_context::tokens::estimate;
use foveal_transcript::Block;
use foveal_wire::response::{Billed, SaidEvent};

use crate::billed::usage;

/// What is known of a request that is under way.
#[derive(Debug, Default)]
pub(crate) struct UnderWay {
    /// Tokens of its prompt.
    prompt: u64,
    /// Tokens of the answer so far.
    heard: u64,
    /// Whether it went, and was not refused or broken off since.
    is_sent: bool,
}

impl UnderWay {
    /// One that goes now with a prompt of so many tokens.
    pub(crate) fn sent(prompt: u64) -> Self {
        Self { prompt, heard: 0, is_sent: true }
    }

    /// More of the answer came.
    pub(crate) fn hear(&mut self, event: &SaidEvent) {
        let tokens = match event {
            SaidEvent::Text(text) | SaidEvent::Reasoning(text) => estimate(text).0,
            SaidEvent::CallStart { name, .. } => estimate(name).0,
            SaidEvent::CallArguments { piece, .. } => estimate(piece).0,
            SaidEvent::CallEnd(_) => 0,
        };
        self.heard = self.heard.saturating_add(tokens);
    }

    /// It broke off: what that cost, by estimate. Where nothing of an answer had come, it was refused
    /// or never arrived, and costs nothing.
    pub(crate) fn again(&mut self) -> Option<Billed> {
        let cut = (self.heard > 0).then(|| billed(self.prompt, self.heard));
        (self.heard, self.is_sent) = (0, false);
        cut
    }

    /// It is stopped: what it cost, by estimate. Its server has the prompt, whether it answers yet or
    /// not.
    pub(crate) fn stopped(&mut self) -> Option<Billed> {
        let cut = (self.is_sent || self.heard > 0).then(|| billed(self.prompt, self.heard));
        *self = Self::default();
        cut
    }

    /// What an answer with these blocks comes to where its server tells neither tokens nor money.
    pub(crate) fn counted(&self, told: &Billed, blocks: &[Block]) -> Option<Billed> {
        let usage = usage(told);
        let all = [usage.input, usage.cache_read, usage.cache_write, usage.output];
        let is_told = told.cost.is_some() || all.iter().any(|tokens| *tokens > 0);
        (!is_told).then(|| billed(self.prompt, blocks.iter().map(tokens).sum()))
    }
}

fn billed(prompt: u64, answer: u64) -> Billed {
    Billed { uncached: Some(prompt), output: Some(answer), ..Billed::default() }
}

/// Tokens of a part of an answer, by estimate.
fn tokens(block: &Block) -> u64 {
    match block {
        Block::Text(text) | Block::Reasoning(text) => estimate(text).0,
        Block::Call(call) => estimate(&call.name).0 + estimate(&call.arguments.to_string()).0,
        Block::Result(_) | Block::Opaque { .. } => 0,
    }
}
