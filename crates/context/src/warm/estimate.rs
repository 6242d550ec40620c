//! What keeping warm would have cost and saved over pauses that are known to their end.

use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

use super::pause::Pause;
use super::rule::{has_not_paid, pays, refreshes_max};

/// What refreshes would have come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Refreshed {
    /// Refreshes.
    pub refreshes: u64,
    /// Pauses after which the prompt need not have been written again.
    pub hits: u64,
    /// US dollars for the refreshes.
    pub cost: f64,
    /// US dollars for what need not have been written again, without the cost.
    pub spared: f64,
}

impl Refreshed {
    /// US dollars that are left of what was spared.
    pub fn saved(&self) -> f64 {
        self.spared - self.cost
    }

    fn add(&mut self, pause: &Pause, refreshes: u32) {
        let spared = pause.saved(refreshes);
        self.refreshes += u64::from(refreshes);
        self.hits += u64::from(spared > 0.0);
        self.cost += f64::from(refreshes) * pause.prefix.refresh;
        self.spared += spared;
    }
}

/// What keeping warm would have come to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Pauses longer than an entry lives.
    pub pauses: u64,
    /// Conversations that did not go on.
    pub ends: u64,
    /// With at most so many refreshes a pause, from 0 on.
    pub at_most: Vec<Refreshed>,
    /// With the refreshes that the rule would have made, each by what was known before it.
    pub rule: Refreshed,
    /// Whether the rule would have switched itself off for good.
    pub is_off: bool,
}

impl Estimate {
    /// The number of refreshes a pause that would have been best, in hindsight.
    pub fn best(&self) -> usize {
        let saved = |at: &usize| self.at_most[*at].saved();
        // Of equal ones the smallest.
        (0..self.at_most.len()).rev().max_by(|a, b| saved(a).total_cmp(&saved(b))).unwrap_or(0)
    }
}

/// What refreshes would have come to over `pauses`, of one user, in any order.
pub fn estimate(pauses: &[Pause]) -> Estimate {
    let mut pauses: Vec<Pause> = pauses.iter().filter(|pause| !pause.is_short()).copied().collect();
    pauses.sort_by_key(|pause| pause.prefix.time);
    let most = pauses.iter().map(|pause| refreshes_max(&pause.prefix)).max().unwrap_or(0);
    let at_most = (0..=most).map(|most| {
        let mut all = Refreshed::default();
        for pause in &pauses {
            all.add(pause, pause.refreshes_of(most.min(refreshes_max(&pause.prefix))));
        }
        all
    });
    let longer =
        |pause: &&Pause| pause.lasted_ms.is_some_and(|lasted| lasted > pause.prefix.lifetime_ms);
    let mut estimate = Estimate {
        pauses: pauses.iter().filter(longer).count() as u64,
        ends: pauses.iter().filter(|pause| pause.lasted_ms.is_none()).count() as u64,
        at_most: at_most.collect(),
        ..Estimate::default()
    };
    estimate.is_off = by_the_rule(&mut pauses);
    for pause in &pauses {
        estimate.rule.add(pause, pause.refreshes);
    }
    estimate
}

/// Refreshes as the rule says, each by what is known then. Whether it switches itself off. `pauses`
/// are in the order in which they began.
fn by_the_rule(pauses: &mut [Pause]) -> bool {
    let mut chances: Vec<(Timestamp, usize, u32)> = Vec::new();
    for (at, pause) in pauses.iter().enumerate() {
        for nth in 1..=pause.refreshes_of(refreshes_max(&pause.prefix)) {
            let time = Timestamp(pause.prefix.time.0 + pause.prefix.refreshed_at_ms(nth));
            chances.push((time, at, nth));
        }
    }
    chances.sort_unstable();
    for (now, at, nth) in chances {
        if has_not_paid(pauses.iter(), now) {
            return true;
        }
        let pause = pauses[at];
        // Where one was left out, the entry has expired.
        if pause.refreshes == nth - 1 && pays(&pauses.iter(), &pause.prefix, nth, now) {
            pauses[at].refreshes = nth;
        }
    }
    false
}
