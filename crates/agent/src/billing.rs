//! The cost and token counts of a provider's answer.

use foveal_pricing::prices::PriceCard;
use foveal_protocols::response::BilledUsage;
use foveal_transcript::Usage;

/// Returns the cost of an answer in US dollars: the sum that the provider states, else the sum by
/// `prices`.
pub(crate) fn cost_in_dollars(billed: &BilledUsage, prices: Option<&PriceCard>) -> f64 {
    let usage = transcript_usage(billed);
    let priced = prices.map_or(0.0, |prices| {
        let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        million(usage.input, prices.input)
            + million(usage.cache_read, prices.cache_read)
            + million(usage.cache_write, prices.cache_write)
            + million(usage.output, prices.output)
    });
    billed.cost.unwrap_or(priced)
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
