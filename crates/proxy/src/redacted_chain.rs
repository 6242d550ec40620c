//! Fingerprint chains of redacted messages. A client whose messages are stored without their
//! secrets sends them redacted after a restart; the recorded decisions about them stay valid.

use std::sync::{Mutex, PoisonError};

use foveal_engine::plan_step::PlanStep;
use foveal_transcript::{ContentHash, Handle, TranscriptEntry};

use crate::fingerprint_chain::{self, FingerprintChain};
use crate::recorder::PlannedStep;
use crate::redactor::Redactor;
use crate::request_context::RequestContext;

/// The fingerprints of the latest request's messages, as received and redacted.
#[derive(Debug, Default)]
pub(crate) struct RedactedChains(Mutex<ChainPair>);

#[derive(Debug, Default)]
struct ChainPair {
    received: Vec<ContentHash>,
    redacted: Vec<ContentHash>,
}

impl RedactedChains {
    /// Returns the chain of a request's redacted messages. The first `known` of them are known to
    /// contain no secrets.
    pub(crate) fn redacted_chain(
        &self,
        redactor: &Redactor,
        request: &RequestContext<'_>,
        known: usize,
    ) -> FingerprintChain {
        let (body, bytes, chain) = (&request.body, request.bytes(), &request.chain);
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pairs = latest.received.iter().zip(&chain.fingerprints);
        let alike = pairs.take_while(|(one, other)| one == other).count();
        let mut ends = match alike >= known {
            true => latest.redacted[..alike].to_vec(),
            false => chain.fingerprints[..known].to_vec(),
        };
        let mut end = ends.last().copied().unwrap_or(chain.root);
        for message in ends.len()..chain.fingerprints.len() {
            let own = &bytes[body.messages[message].clone()];
            let redacted = redactor.redacted_fingerprint(own, body.protocol);
            end = fingerprint_chain::append_fingerprint(
                end,
                redacted.unwrap_or_else(|| body.message_fingerprint(bytes, message)),
            );
            ends.push(end);
        }
        *latest = ChainPair { received: chain.fingerprints.clone(), redacted: ends.clone() };
        FingerprintChain { root: chain.root, fingerprints: ends }
    }
}

/// Returns the steps that still apply to partly redacted entries: those in front of the first step
/// that keeps parts of a redacted result.
pub(crate) fn applicable_steps(
    planned: Vec<PlannedStep>,
    entries: &[&TranscriptEntry],
) -> Vec<PlannedStep> {
    planned.into_iter().take_while(|planned| is_applicable(&planned.step, entries)).collect()
}

/// Returns whether all entries of which a step keeps parts have unchanged bytes.
fn is_applicable(step: &PlanStep, entries: &[&TranscriptEntry]) -> bool {
    step.changed.iter().all(|(index, decision)| {
        let Some(shape) = decision.shape().filter(|shape| shape.keeps_original_bytes()) else {
            return true;
        };
        let entry = entries.get(index.as_usize());
        entry.is_some_and(|entry| {
            Handle::from_content(entry.prompt_text().as_bytes()) == shape.handle
        })
    })
}
