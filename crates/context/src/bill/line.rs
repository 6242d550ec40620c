//! One prompt as a line of tokens, and why each stretch of it is paid for.

use foveal_transcript::Usage;

use super::amounts::{Amount, Bill};
use crate::prices::PriceCard;

/// A prompt as a line of tokens from 0 to `end`, with places on it. All places are at most `end`
/// when they are used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    /// The provider read so much from its cache.
    pub(super) read: u64,
    /// Up to here it is what went before.
    pub(super) same: u64,
    /// Up to here the client left it as it was; not less than `same`.
    pub(super) client: u64,
    /// Up to here a cache could have held what went before, had nothing changed.
    pub(super) known: u64,
    /// Its length.
    pub(super) end: u64,
    /// So much of its end is not written to a cache.
    pub(super) tail: u64,
    /// Whether the cache had expired.
    pub(super) expired: bool,
}

/// US dollars for one token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates {
    read: f64,
    write: f64,
    input: f64,
    output: f64,
}

/// What a write for an hour costs, as a multiple of uncached input
/// (platform.claude.com/docs/en/about-claude/pricing; no other provider sells it).
pub(crate) const HOUR_WRITE: f64 = 2.0;

impl Rates {
    /// What a request was charged by: writes at the mean of the two times they were for.
    pub(super) fn of(prices: &PriceCard, usage: &Usage) -> Self {
        let hour = usage.cache_write_hour.min(usage.cache_write);
        let short = usage.cache_write - hour;
        let write = match usage.cache_write {
            0 => prices.cache_write,
            all => {
                let hour = hour as f64 * HOUR_WRITE * prices.input;
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

/// What a prompt and its answer cost, split by why.
pub(super) fn bill(line: &Line, output: u64, rates: &Rates) -> Bill {
    let read = line.read.min(line.end);
    let known = line.known.clamp(read, line.end);
    let (same, client) = (line.same.clamp(read, known), line.client.clamp(read, known));
    let stretch = |from: u64, to: u64| Stretch { line, rates, from, to };
    let new = stretch(known, line.end);
    let mut bill = Bill {
        uncached: new.unwritten(),
        written: new.written(),
        read: Amount { tokens: read, dollars: read as f64 * rates.read },
        output: Amount { tokens: output, dollars: output as f64 * rates.output },
        ..Bill::default()
    };
    if line.expired && line.read < line.same.min(line.known) {
        bill.expired = stretch(read, known).all();
        return bill;
    }
    // A cache ends at a mark or a block before the place where the prompt changed: what is missing
    // up to there is missing because of the change.
    let unfound = stretch(read, same).all();
    match () {
        () if line.same >= line.known => bill.missed += unfound,
        () if line.same < line.client => bill.foveal += unfound,
        () => bill.client += unfound,
    }
    bill.foveal += stretch(same, client.max(same)).all();
    bill.client += stretch(client.max(same), known).all();
    bill
}

/// What a request cost that only kept the cache warm.
pub(super) fn refresh(usage: &Usage, rates: &Rates) -> Bill {
    let dollars = usage.cache_read as f64 * rates.read
        + usage.cache_write as f64 * rates.write
        + usage.input as f64 * rates.input
        + usage.output as f64 * rates.output;
    Bill { warm: Amount { tokens: usage.prompt(), dollars }, ..Bill::default() }
}

/// What a prompt that no cache knows and its answer cost.
pub(super) fn uncached(prompt: u64, output: u64, rates: &Rates) -> Bill {
    let amount = |tokens: u64, rate: f64| Amount { tokens, dollars: tokens as f64 * rate };
    Bill {
        uncached: amount(prompt, rates.input),
        output: amount(output, rates.output),
        ..Bill::default()
    }
}

/// A part of a line that was not read from a cache.
struct Stretch<'a> {
    line: &'a Line,
    rates: &'a Rates,
    from: u64,
    to: u64,
}

impl Stretch<'_> {
    /// Where the part begins that is not written to a cache.
    fn tail(&self) -> u64 {
        self.line.end.saturating_sub(self.line.tail).clamp(self.from, self.to)
    }

    fn written(&self) -> Amount {
        let tokens = self.tail() - self.from;
        Amount { tokens, dollars: tokens as f64 * self.rates.write }
    }

    fn unwritten(&self) -> Amount {
        let tokens = self.to - self.tail();
        Amount { tokens, dollars: tokens as f64 * self.rates.input }
    }

    fn all(&self) -> Amount {
        let mut all = self.written();
        all += self.unwritten();
        all
    }
}
