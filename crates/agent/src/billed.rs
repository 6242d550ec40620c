//! What a server bills for an answer.

use foveal_context::prices::PriceCard;
use foveal_transcript::Usage;
use foveal_wire::response::Billed;

/// What an answer cost in US dollars: what the provider says, or else by these prices.
pub(crate) fn dollars(billed: &Billed, prices: Option<&PriceCard>) -> f64 {
    let usage = usage(billed);
    let priced = prices.map_or(0.0, |prices| {
        let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        million(usage.input, prices.input)
            + million(usage.cache_read, prices.cache_read)
            + million(usage.cache_write, prices.cache_write)
            + million(usage.output, prices.output)
    });
    billed.cost.unwrap_or(priced)
}

/// What was billed, as a transcript keeps it.
pub(crate) fn usage(billed: &Billed) -> Usage {
    Usage {
        input: billed.uncached.unwrap_or(0),
        cache_read: billed.cache_read.unwrap_or(0),
        cache_write: billed.cache_write().unwrap_or(0),
        cache_write_hour: billed.cache_write_1h.unwrap_or(0),
        output: billed.output.unwrap_or(0),
    }
}
