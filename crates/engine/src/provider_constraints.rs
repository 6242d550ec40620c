//! The changes of a prompt that a provider refuses.

use serde::{Deserialize, Serialize};

/// Changes that a provider refuses, whatever they would save. The costs of caching are in the
/// [`PriceCard`](foveal_pricing::prices::PriceCard).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderConstraints {
    /// Whether the model's reasoning is bound to the messages before it. Then nothing before
    /// reasoning is rewritten, unless the client itself rewrote it.
    pub reasoning_is_bound: bool,
}
