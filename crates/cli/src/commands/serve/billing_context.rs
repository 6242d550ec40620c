//! The prices of requests, and the keep-alive policy that learns from their cost.

use std::sync::Arc;

use foveal_proxy::price_overrides::PriceOverrides;

use super::adaptive_keep_alive::AdaptiveKeepAlive;

/// The values that the cost ledger needs beside the exchanges.
#[derive(Clone, Default)]
pub(crate) struct BillingContext {
    /// The keep-alive policy; `None` where keep-alive is off.
    pub(crate) keep_alive: Option<Arc<AdaptiveKeepAlive>>,
    /// The user's own prices.
    pub(crate) prices: Arc<PriceOverrides>,
}
