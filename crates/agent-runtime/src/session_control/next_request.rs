//! Builds the request that the agent would send now.

use foveal_agent::Agent;
use foveal_proxy::request::{DecisionSlot, ShapeRequest};
use foveal_transcript::Timestamp;

/// Returns the request that the agent would send now.
pub(super) fn next_request<'a>(
    agent: &Agent,
    body: &'a [u8],
    wait: &'a DecisionSlot,
    now: Timestamp,
) -> ShapeRequest<'a> {
    ShapeRequest {
        protocol: agent.settings().dialect.protocol(),
        counts_tokens: true,
        model: None,
        // The agent sends to the model's server itself, not to an upstream of the gateway.
        upstream: "",
        body,
        now,
        profile_override: None,
        agents: &[],
        decision: wait,
    }
}
