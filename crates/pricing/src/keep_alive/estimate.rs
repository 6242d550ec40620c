//! The cost and saving of keep-alive over pauses that are known to their end.

use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

use super::pause::Pause;
use super::refresh_rule::{is_unprofitable, max_refreshes, refresh_pays};

/// Totals over refreshes of cached prompts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RefreshTotals {
    /// Number of refreshes.
    pub refreshes: u64,
    /// Number of pauses after which the prompt need not be written again.
    pub hits: u64,
    /// US dollars for the refreshes.
    pub cost: f64,
    /// US dollars for the writes that became unnecessary, the cost not subtracted.
    pub spared: f64,
}

impl RefreshTotals {
    /// Returns the net saving in US dollars.
    pub fn net_saving(&self) -> f64 {
        self.spared - self.cost
    }

    fn add_pause(&mut self, pause: &Pause, refreshes: u32) {
        let spared = pause.saving(refreshes);
        self.refreshes += u64::from(refreshes);
        self.hits += u64::from(spared > 0.0);
        self.cost += f64::from(refreshes) * pause.prefix.refresh;
        self.spared += spared;
    }
}

/// An estimate of the effect of keep-alive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KeepAliveEstimate {
    /// Number of pauses longer than the lifetime of an entry.
    pub pauses: u64,
    /// Number of conversations that did not go on.
    pub ends: u64,
    /// At index `n`, the totals with at most `n` refreshes per pause.
    pub at_most: Vec<RefreshTotals>,
    /// The totals with the rule's own decisions, each based on the pauses known before it.
    pub rule: RefreshTotals,
    /// Whether the rule would have disabled itself for good.
    pub is_off: bool,
}

impl KeepAliveEstimate {
    /// Returns the number of refreshes per pause with the largest saving in hindsight.
    pub fn best_refresh_count(&self) -> usize {
        let saved = |at: &usize| self.at_most[*at].net_saving();
        // Of equal ones the smallest.
        (0..self.at_most.len()).rev().max_by(|a, b| saved(a).total_cmp(&saved(b))).unwrap_or(0)
    }
}

/// Estimates the effect of keep-alive over the pauses of one user, in any order.
pub fn estimate_keep_alive(pauses: &[Pause]) -> KeepAliveEstimate {
    let mut pauses: Vec<Pause> = pauses.iter().filter(|pause| !pause.is_short()).copied().collect();
    pauses.sort_by_key(|pause| pause.prefix.time);
    let most = pauses.iter().map(|pause| max_refreshes(&pause.prefix)).max().unwrap_or(0);
    let at_most = (0..=most).map(|most| {
        let mut all = RefreshTotals::default();
        for pause in &pauses {
            all.add_pause(
                pause,
                pause.refreshes_before_end(most.min(max_refreshes(&pause.prefix))),
            );
        }
        all
    });
    let longer =
        |pause: &&Pause| pause.lasted_ms.is_some_and(|lasted| lasted > pause.prefix.lifetime_ms);
    let mut estimate = KeepAliveEstimate {
        pauses: pauses.iter().filter(longer).count() as u64,
        ends: pauses.iter().filter(|pause| pause.lasted_ms.is_none()).count() as u64,
        at_most: at_most.collect(),
        ..KeepAliveEstimate::default()
    };
    estimate.is_off = simulate_rule(&mut pauses);
    for pause in &pauses {
        estimate.rule.add_pause(pause, pause.refreshes);
    }
    estimate
}

/// Sets the refreshes of each pause by the rule, each decided by the pauses known then. Returns
/// whether the rule disabled itself. `pauses` are ordered by their start.
fn simulate_rule(pauses: &mut [Pause]) -> bool {
    let mut chances: Vec<(Timestamp, usize, u32)> = Vec::new();
    for (at, pause) in pauses.iter().enumerate() {
        for nth in 1..=pause.refreshes_before_end(max_refreshes(&pause.prefix)) {
            let time = Timestamp(pause.prefix.time.0 + pause.prefix.refresh_offset_ms(nth));
            chances.push((time, at, nth));
        }
    }
    chances.sort_unstable();
    for (now, at, nth) in chances {
        if is_unprofitable(pauses.iter(), now) {
            return true;
        }
        let pause = pauses[at];
        // After an omitted refresh the entry has expired.
        if pause.refreshes == nth - 1 && refresh_pays(&pauses.iter(), &pause.prefix, nth, now) {
            pauses[at].refreshes = nth;
        }
    }
    false
}
