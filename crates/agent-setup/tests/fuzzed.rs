//! Invariants of hooks for any event. `fuzz/src/lib.rs` includes this file unchanged.

use foveal_agent_setup::client_agents::ClientAgent;
use foveal_agent_setup::hook::check_reply_invariants;

/// Replies to an event of each agent that has a hook.
pub(crate) fn hook_input(bytes: &[u8]) {
    ClientAgent::hooks().for_each(|hook| check_reply_invariants(bytes, hook));
}
