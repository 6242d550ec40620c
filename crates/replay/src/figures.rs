//! Figures of many requests, added up: what every rendering of a replay shows.

use std::ops::AddAssign;

use foveal_context::bill::Bill;
use foveal_context::tokens::Tokens;
use serde::{Deserialize, Serialize};

use crate::laws::Breaches;
use crate::run::{Replay, Share};

/// Sums over the requests of a conversation, a session or all sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Requests.
    pub requests: u64,
    /// Tokens of all prompts.
    pub tokens: Tokens,
    /// Those read from the provider's cache.
    pub cached: Tokens,
    /// Tokens of the largest prompt.
    pub peak: Tokens,
    /// US dollars for the input, repairs included.
    pub dollars: f64,
    /// US dollars of these for repairs.
    pub repair_dollars: f64,
    /// Requests at which results already sent were changed.
    pub rewrites: u64,
    /// Lines of edits that were visible.
    pub evidence: Share,
    /// Identifiers and paths that were visible.
    pub references: Share,
    /// Repairs.
    pub repairs: u64,
    /// Laws broken.
    pub breaches: Breaches,
    /// What was billed, or would have been, for the requests whose bill is recorded.
    pub billed: Billed,
}

/// The bill of requests whose usage is recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Billed {
    /// Requests.
    pub requests: u64,
    /// What they cost.
    pub bill: Bill,
    /// US dollars for repairs, which are not in the bill.
    pub repair_dollars: f64,
}

impl Billed {
    /// US dollars for the input, repairs included.
    pub fn input_dollars(&self) -> f64 {
        self.bill.input().dollars + self.repair_dollars
    }

    /// US dollars for input and output, repairs included.
    pub fn dollars(&self) -> f64 {
        self.bill.dollars() + self.repair_dollars
    }

    /// The input's cost relative to that as recorded: -0.2 is 20 % less; `None` where that cost
    /// nothing, or is not recorded.
    pub fn input_change(&self, recorded: &Self) -> Option<f64> {
        change(self.input_dollars(), recorded.input_dollars())
    }

    /// The same with the output.
    pub fn change(&self, recorded: &Self) -> Option<f64> {
        change(self.dollars(), recorded.dollars())
    }
}

impl AddAssign for Billed {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.bill += other.bill;
        self.repair_dollars += other.repair_dollars;
    }
}

fn change(dollars: f64, recorded: f64) -> Option<f64> {
    (recorded > 0.0 && dollars.is_finite()).then(|| dollars / recorded - 1.0)
}

impl Figures {
    /// Of a conversation as projected.
    pub fn projected(replay: &Replay) -> Self {
        let mut sum = Self { breaches: replay.breaches, ..Self::default() };
        for request in &replay.requests {
            sum.requests += 1;
            sum.tokens += request.projected.prompt;
            sum.cached += request.projected.cached;
            sum.peak = sum.peak.max(request.projected.prompt);
            sum.dollars += request.projected.dollars + request.repair_dollars;
            sum.repair_dollars += request.repair_dollars;
            sum.rewrites += u64::from(request.rewrite.is_some());
            sum.evidence += request.evidence;
            sum.references += request.references;
            sum.repairs += u64::from(request.repairs);
            if let Some(priced) = request.bill {
                let repair_dollars = request.bill_repair_dollars;
                sum.billed += Billed { requests: 1, bill: priced.otherwise, repair_dollars };
            }
        }
        sum
    }

    /// Of a conversation as recorded: everything used was visible.
    pub fn raw(replay: &Replay) -> Self {
        let mut sum = Self::default();
        for request in &replay.requests {
            sum.requests += 1;
            sum.tokens += request.raw.prompt;
            sum.cached += request.raw.cached;
            sum.peak = sum.peak.max(request.raw.prompt);
            sum.dollars += request.raw.dollars;
            sum.evidence += whole(request.evidence);
            sum.references += whole(request.references);
            if let Some(priced) = request.bill {
                sum.billed += Billed { requests: 1, bill: priced.billed, repair_dollars: 0.0 };
            }
        }
        sum
    }

    /// The cost relative to `raw`: -0.3 is 30 % less; `None` where raw costs nothing.
    pub fn cost_change(&self, raw: &Figures) -> Option<f64> {
        change(self.dollars, raw.dollars)
    }

    /// The tokens relative to `raw`; `None` where there are none.
    pub fn tokens_change(&self, raw: &Figures) -> Option<f64> {
        (raw.tokens.0 > 0).then(|| self.tokens.0 as f64 / raw.tokens.0 as f64 - 1.0)
    }
}

fn whole(share: Share) -> Share {
    Share { used: share.used, visible: share.used }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.tokens += other.tokens;
        self.cached += other.cached;
        self.peak = self.peak.max(other.peak);
        self.dollars += other.dollars;
        self.repair_dollars += other.repair_dollars;
        self.rewrites += other.rewrites;
        self.evidence += other.evidence;
        self.references += other.references;
        self.repairs += other.repairs;
        self.breaches += other.breaches;
        self.billed += other.billed;
    }
}
