//! The price of a model, and the cost and token counts of a provider's answer.

use foveal_pricing::prices::PriceCard;
use foveal_protocols::response::BilledUsage;
use foveal_transcript::Usage;

/// The price of a model, for answers whose provider states no cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum ModelPrice {
    /// The model costs nothing: it runs on this machine.
    #[default]
    Free,
    /// These prices.
    Known(PriceCard),
    /// No price of the model is known.
    Unknown,
}

impl ModelPrice {
    /// Returns the price card, if the model has a known price.
    pub fn card(&self) -> Option<&PriceCard> {
        match self {
            Self::Known(card) => Some(card),
            Self::Free | Self::Unknown => None,
        }
    }
}

/// Returns the cost of an answer in US dollars: the sum that the provider states, else the sum by
/// `price`; `None` if neither is known.
pub(crate) fn cost_in_dollars(billed: &BilledUsage, price: &ModelPrice) -> Option<f64> {
    let usage = transcript_usage(billed);
    let priced = match price {
        ModelPrice::Free => Some(0.0),
        ModelPrice::Known(prices) => Some(usage_cost(&usage, prices)),
        ModelPrice::Unknown => None,
    };
    billed.cost.or(priced)
}

/// Returns the cost of an answer in US dollars by these prices.
pub fn usage_cost(usage: &Usage, prices: &PriceCard) -> f64 {
    let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
    million(usage.input, prices.input)
        + million(usage.cache_read, prices.cache_read)
        + million(usage.cache_write, prices.cache_write)
        + million(usage.output, prices.output)
}

/// Converts billed tokens to the usage of a transcript.
pub(crate) fn transcript_usage(billed: &BilledUsage) -> Usage {
    Usage {
        input: billed.uncached.unwrap_or(0),
        cache_read: billed.cache_read.unwrap_or(0),
        cache_write: billed.cache_write_tokens().unwrap_or(0),
        cache_write_hour: billed.cache_write_1h.unwrap_or(0),
        output: billed.output.unwrap_or(0),
    }
}
