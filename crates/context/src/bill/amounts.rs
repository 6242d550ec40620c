//! The parts of a bill.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens, and US dollars for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// Tokens as the provider counts them.
    pub tokens: u64,
    /// US dollars.
    pub dollars: f64,
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.dollars += other.dollars;
    }
}

/// What a part of [`Bill::parts`] is called in tables.
pub fn words(part: &str) -> &'static str {
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

/// What requests cost, split by why. The parts do not overlap: all but `output` add up to the
/// prompts that were billed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Bill {
    /// Sent for the first time, and not written to a cache.
    pub uncached: Amount,
    /// Read from the cache.
    pub read: Amount,
    /// Sent for the first time, and written to the cache.
    pub written: Amount,
    /// Paid for again because the cache had expired.
    pub expired: Amount,
    /// Paid for again because the client changed what it had sent before.
    pub client: Amount,
    /// Paid for again because foveal changed what it had sent before.
    pub foveal: Amount,
    /// Paid for again although nothing had changed or expired: the provider did not find it.
    pub missed: Amount,
    /// Paid for so that the cache would not expire: requests of foveal's own, answers included.
    #[serde(default)]
    pub warm: Amount,
    /// What the model answered.
    pub output: Amount,
}

impl Bill {
    /// The parts with their names in JSON, in the order in which they are shown.
    pub fn parts(&self) -> [(&'static str, Amount); 9] {
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

    /// All of the prompts.
    pub fn input(&self) -> Amount {
        let mut sum = Amount::default();
        for (name, part) in self.parts() {
            if name != "output" {
                sum += part;
            }
        }
        sum
    }

    /// US dollars for prompts and answers.
    pub fn dollars(&self) -> f64 {
        self.input().dollars + self.output.dollars
    }

    /// The same at prices so many times as high.
    #[must_use]
    pub fn at(mut self, ratio: f64) -> Self {
        for part in self.parts_mut() {
            part.dollars *= ratio;
        }
        self
    }

    fn parts_mut(&mut self) -> [&mut Amount; 9] {
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
