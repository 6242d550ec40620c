//! The request that would go now.

use foveal_agent::Agent;
use foveal_live::request::{Asked, Wait};
use foveal_transcript::Timestamp;

/// The request that would go now.
pub(super) fn asked<'a>(
    agent: &Agent,
    body: &'a [u8],
    wait: &'a Wait,
    now: Timestamp,
) -> Asked<'a> {
    Asked {
        protocol: agent.settings().dialect.protocol(),
        counts: true,
        model: None,
        // A model's server is asked itself, and none of the gateway's upstreams.
        upstream: "",
        body,
        now,
        wish: None,
        wait,
    }
}
