//! Sums of the figures of many requests, as every output of a replay shows them.

use std::ops::AddAssign;

use foveal_pricing::bill::Bill;
use foveal_pricing::tokens::Tokens;
use serde::{Deserialize, Serialize};

use crate::conversation_replay::{ConversationReplay, VisibleShare};
use crate::laws::LawBreaches;

/// Sums over the requests of a conversation, a session or all sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayFigures {
    /// The number of requests.
    pub requests: u64,
    /// Tokens of all prompts.
    pub tokens: Tokens,
    /// Prompt tokens read from the provider's cache.
    pub cached: Tokens,
    /// Tokens of the largest prompt.
    pub peak: Tokens,
    /// US dollars for the input, repairs included.
    pub dollars: f64,
    /// The part of `dollars` that pays for repairs.
    pub repair_dollars: f64,
    /// Requests at which already sent results were changed.
    pub rewrites: u64,
    /// Visible lines among the lines of edits.
    pub evidence: VisibleShare,
    /// Visible ones among the identifiers and paths used.
    pub references: VisibleShare,
    /// The number of repairs.
    pub repairs: u64,
    /// The number of broken laws.
    pub breaches: LawBreaches,
    /// The bill, recorded or calculated, of the requests with recorded usage.
    pub billed: BillTotals,
    /// The recorded bill of the requests that foveal shortened.
    pub shortened: ShortenedBill,
}

/// The bill of requests whose prompts were shorter than their recordings, because foveal shortened
/// them. It is compared with no other prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ShortenedBill {
    /// The number of requests.
    pub requests: u64,
    /// US dollars for prompts and answers.
    pub dollars: f64,
}

impl AddAssign for ShortenedBill {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.dollars += other.dollars;
    }
}

/// The bill of the requests with recorded usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct BillTotals {
    /// The number of requests.
    pub requests: u64,
    /// Their cost.
    pub bill: Bill,
    /// US dollars for repairs, which `bill` does not contain.
    pub repair_dollars: f64,
}

impl BillTotals {
    /// Returns the cost of the input in US dollars, repairs included.
    pub fn input_dollars(&self) -> f64 {
        self.bill.input().dollars + self.repair_dollars
    }

    /// Returns the cost of input and output in US dollars, repairs included.
    pub fn dollars(&self) -> f64 {
        self.bill.dollars() + self.repair_dollars
    }

    /// Returns the input's cost relative to the recorded one: -0.2 is 20 % less. `None` if the
    /// recorded cost is zero or unknown.
    pub fn input_cost_change(&self, recorded: &Self) -> Option<f64> {
        relative_change(self.input_dollars(), recorded.input_dollars())
    }

    /// Returns the cost of input and output relative to the recorded one, as
    /// [`BillTotals::input_cost_change`].
    pub fn cost_change(&self, recorded: &Self) -> Option<f64> {
        relative_change(self.dollars(), recorded.dollars())
    }
}

impl AddAssign for BillTotals {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.bill += other.bill;
        self.repair_dollars += other.repair_dollars;
    }
}

fn relative_change(dollars: f64, recorded: f64) -> Option<f64> {
    (recorded > 0.0 && dollars.is_finite()).then(|| dollars / recorded - 1.0)
}

impl ReplayFigures {
    /// Sums the figures of a conversation as projected.
    pub fn from_projection(replay: &ConversationReplay) -> Self {
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
                sum.billed += BillTotals { requests: 1, bill: priced.otherwise, repair_dollars };
            }
        }
        sum
    }

    /// Sums the figures of a conversation as recorded, where everything used was visible.
    pub fn from_recording(replay: &ConversationReplay) -> Self {
        let mut sum = Self::default();
        for request in &replay.requests {
            sum.requests += 1;
            sum.tokens += request.raw.prompt;
            sum.cached += request.raw.cached;
            sum.peak = sum.peak.max(request.raw.prompt);
            sum.dollars += request.raw.dollars;
            sum.evidence += fully_visible(request.evidence);
            sum.references += fully_visible(request.references);
            if let Some(priced) = request.bill {
                sum.billed += BillTotals { requests: 1, bill: priced.billed, repair_dollars: 0.0 };
            }
            if let Some(dollars) = request.shortened_bill_dollars {
                sum.shortened += ShortenedBill { requests: 1, dollars };
            }
        }
        sum
    }

    /// Returns the cost relative to `raw`: -0.3 is 30 % less; `None` if raw costs nothing.
    pub fn cost_change(&self, raw: &ReplayFigures) -> Option<f64> {
        relative_change(self.dollars, raw.dollars)
    }

    /// Returns the US dollars of all recorded bills, answers included; `None` without a bill.
    pub fn recorded_bill_dollars(&self) -> Option<f64> {
        let is_billed = self.billed.requests + self.shortened.requests > 0;
        is_billed.then(|| self.billed.dollars() + self.shortened.dollars)
    }

    /// Returns the tokens relative to `raw`; `None` if raw has none.
    pub fn tokens_change(&self, raw: &ReplayFigures) -> Option<f64> {
        (raw.tokens.0 > 0).then(|| self.tokens.0 as f64 / raw.tokens.0 as f64 - 1.0)
    }
}

fn fully_visible(share: VisibleShare) -> VisibleShare {
    VisibleShare { used: share.used, visible: share.used }
}

impl AddAssign for ReplayFigures {
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
        self.shortened += other.shortened;
    }
}
