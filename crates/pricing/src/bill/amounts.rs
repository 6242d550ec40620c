//! The parts of a bill.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens with their price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct BillAmount {
    /// Tokens as the provider counts them.
    pub tokens: u64,
    /// US dollars.
    pub dollars: f64,
}

impl AddAssign for BillAmount {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.dollars += other.dollars;
    }
}

/// Returns the label of a part of [`Bill::parts`] for tables.
pub fn part_label(part: &str) -> &'static str {
    match part {
        "uncached" => "new, not cached",
        "read" => "read from the cache",
        "written" => "new, written to the cache",
        "expired" => "again: the cache had expired",
        "client" => "again: the client changed it",
        "foveal" => "again: foveal rewrote it",
        "missed" => "again: not found in the cache",
        "warm" => "again: to keep the cache warm",
        _ => "output",
    }
}

/// The cost of requests, split by cause. The parts do not overlap: all but `output` add up to the
/// billed prompts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Bill {
    /// Input sent for the first time and not written to a cache.
    pub uncached: BillAmount,
    /// Input read from the cache.
    pub read: BillAmount,
    /// Input sent for the first time and written to the cache.
    pub written: BillAmount,
    /// Input paid for again because the cache had expired.
    pub expired: BillAmount,
    /// Input paid for again because the client changed its earlier prompt.
    pub client: BillAmount,
    /// Input paid for again because foveal changed the earlier prompt.
    pub foveal: BillAmount,
    /// Input paid for again although nothing had changed or expired: the provider did not find it
    /// in its cache.
    pub missed: BillAmount,
    /// Keep-alive requests of foveal, including their answers.
    #[serde(default)]
    pub warm: BillAmount,
    /// The model's output.
    pub output: BillAmount,
}

impl Bill {
    /// Returns the parts with their names in JSON, in display order.
    pub fn parts(&self) -> [(&'static str, BillAmount); 9] {
        [
            ("uncached", self.uncached),
            ("read", self.read),
            ("written", self.written),
            ("expired", self.expired),
            ("client", self.client),
            ("foveal", self.foveal),
            ("missed", self.missed),
            ("warm", self.warm),
            ("output", self.output),
        ]
    }

    /// Returns the sum of all prompts.
    pub fn input(&self) -> BillAmount {
        let mut sum = BillAmount::default();
        for (name, part) in self.parts() {
            if name != "output" {
                sum += part;
            }
        }
        sum
    }

    /// Returns the US dollars for prompts and answers.
    pub fn dollars(&self) -> f64 {
        self.input().dollars + self.output.dollars
    }

    /// Multiplies all prices by `ratio`.
    #[must_use]
    pub fn scale_dollars(mut self, ratio: f64) -> Self {
        for part in self.parts_mut() {
            part.dollars *= ratio;
        }
        self
    }

    fn parts_mut(&mut self) -> [&mut BillAmount; 9] {
        [
            &mut self.uncached,
            &mut self.read,
            &mut self.written,
            &mut self.expired,
            &mut self.client,
            &mut self.foveal,
            &mut self.missed,
            &mut self.warm,
            &mut self.output,
        ]
    }
}

impl AddAssign for Bill {
    fn add_assign(&mut self, other: Self) {
        for (part, (_, more)) in self.parts_mut().into_iter().zip(other.parts()) {
            *part += more;
        }
    }
}
