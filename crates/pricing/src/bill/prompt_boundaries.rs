//! A prompt divided by offsets in tokens, and the cause for which each segment is billed.

use foveal_transcript::Usage;

use super::amounts::{Bill, BillAmount};
use crate::prices::PriceCard;

/// A prompt of `end` tokens with the offsets that divide it. All offsets are clamped to `end` when
/// they are used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PromptBoundaries {
    /// End of the part that the provider read from its cache.
    pub(super) read: u64,
    /// End of the part that equals the last prompt.
    pub(super) unchanged: u64,
    /// End of the part that the client left unchanged; not less than `unchanged`.
    pub(super) client_unchanged: u64,
    /// End of the part that a cache could hold if nothing had changed.
    pub(super) cacheable: u64,
    /// Length of the prompt.
    pub(super) end: u64,
    /// Length of the part at the end that is not written to a cache.
    pub(super) uncached_tail: u64,
    /// Whether the cache had expired.
    pub(super) expired: bool,
}

/// The prices of one token, in US dollars.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenRates {
    read: f64,
    write: f64,
    input: f64,
    output: f64,
}

/// Price of a cache write for one hour, as a multiple of uncached input
/// (platform.claude.com/docs/en/about-claude/pricing; no other provider sells it).
pub(crate) const HOUR_WRITE_FACTOR: f64 = 2.0;

impl TokenRates {
    /// Computes the prices that a request was billed at. The write price is the mean over the two
    /// lifetimes that it wrote for.
    pub(super) fn from_usage(prices: &PriceCard, usage: &Usage) -> Self {
        let hour = usage.cache_write_hour.min(usage.cache_write);
        let short = usage.cache_write - hour;
        let write = match usage.cache_write {
            0 => prices.cache_write,
            all => {
                let hour = hour as f64 * HOUR_WRITE_FACTOR * prices.input;
                (short as f64 * prices.cache_write + hour) / all as f64
            }
        };
        Self {
            read: prices.cache_read / 1e6,
            write: write / 1e6,
            input: prices.input / 1e6,
            output: prices.output / 1e6,
        }
    }
}

/// Computes the bill of a prompt and its answer.
pub(super) fn split_bill(line: &PromptBoundaries, output: u64, rates: &TokenRates) -> Bill {
    let read = line.read.min(line.end);
    let known = line.cacheable.clamp(read, line.end);
    let (same, client) =
        (line.unchanged.clamp(read, known), line.client_unchanged.clamp(read, known));
    let stretch = |from: u64, to: u64| PromptSegment { line, rates, from, to };
    let new = stretch(known, line.end);
    let mut bill = Bill {
        uncached: new.unwritten_amount(),
        written: new.written_amount(),
        read: BillAmount { tokens: read, dollars: read as f64 * rates.read },
        output: BillAmount { tokens: output, dollars: output as f64 * rates.output },
        ..Bill::default()
    };
    if line.expired && line.read < line.unchanged.min(line.cacheable) {
        bill.expired = stretch(read, known).total_amount();
        return bill;
    }
    // A cache ends at a breakpoint or block before the change, so the missing part in front of the
    // change is caused by the change.
    let unfound = stretch(read, same).total_amount();
    match () {
        () if line.unchanged >= line.cacheable => bill.missed += unfound,
        () if line.unchanged < line.client_unchanged => bill.foveal += unfound,
        () => bill.client += unfound,
    }
    bill.foveal += stretch(same, client.max(same)).total_amount();
    bill.client += stretch(client.max(same), known).total_amount();
    bill
}

/// Computes the bill of a keep-alive request.
pub(super) fn refresh_bill(usage: &Usage, rates: &TokenRates) -> Bill {
    let dollars = usage.cache_read as f64 * rates.read
        + usage.cache_write as f64 * rates.write
        + usage.input as f64 * rates.input
        + usage.output as f64 * rates.output;
    Bill { warm: BillAmount { tokens: usage.prompt_tokens(), dollars }, ..Bill::default() }
}

/// Computes the bill of a prompt without any cache, and its answer.
pub(super) fn uncached_bill(prompt: u64, output: u64, rates: &TokenRates) -> Bill {
    let amount = |tokens: u64, rate: f64| BillAmount { tokens, dollars: tokens as f64 * rate };
    Bill {
        uncached: amount(prompt, rates.input),
        output: amount(output, rates.output),
        ..Bill::default()
    }
}

/// A segment of a prompt that was not read from a cache.
struct PromptSegment<'a> {
    line: &'a PromptBoundaries,
    rates: &'a TokenRates,
    from: u64,
    to: u64,
}

impl PromptSegment<'_> {
    /// Returns the start of the part that is not written to a cache.
    fn unwritten_start(&self) -> u64 {
        self.line.end.saturating_sub(self.line.uncached_tail).clamp(self.from, self.to)
    }

    fn written_amount(&self) -> BillAmount {
        let tokens = self.unwritten_start() - self.from;
        BillAmount { tokens, dollars: tokens as f64 * self.rates.write }
    }

    fn unwritten_amount(&self) -> BillAmount {
        let tokens = self.to - self.unwritten_start();
        BillAmount { tokens, dollars: tokens as f64 * self.rates.input }
    }

    fn total_amount(&self) -> BillAmount {
        let mut all = self.written_amount();
        all += self.unwritten_amount();
        all
    }
}
