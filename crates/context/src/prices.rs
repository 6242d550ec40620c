//! Price cards: what a provider charges for input, cached input and output.

use serde::{Deserialize, Serialize};

use crate::tokens::Tokens;

/// One provider's prices, in US dollars per million tokens, and the rules of its cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriceCard {
    /// The card's name on the command line.
    pub name: String,
    /// Uncached input.
    pub input: f64,
    /// Input written to the cache.
    pub cache_write: f64,
    /// Input read from the cache.
    pub cache_read: f64,
    /// Output.
    pub output: f64,
    /// How long an unused cache entry lives, in milliseconds; `None` where nothing is cached.
    pub cache_lifetime_ms: Option<i64>,
    /// Prompts shorter than this are not cached.
    pub cache_minimum: Tokens,
}

impl PriceCard {
    /// Anthropic's ratios with the 5-minute cache, at Claude Opus 4.5's list price.
    pub fn anthropic_5m() -> Self {
        Self {
            name: "anthropic-5m".to_owned(),
            input: 5.0,
            cache_write: 6.25,
            cache_read: 0.5,
            output: 25.0,
            cache_lifetime_ms: Some(5 * 60 * 1000),
            cache_minimum: Tokens(0),
        }
    }
}
