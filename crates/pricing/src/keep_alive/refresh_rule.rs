//! The decision whether one more refresh pays, based on earlier pauses.
//!
//! Refreshing is renting, and letting the entry expire is buying (ski rental): refreshing until
//! that has cost as much as one write never costs more than twice the optimum. Within that bound
//! the pauses of the same user decide: the share of those that lasted as long and ended before the
//! next refresh (the product-limit estimate of Kaplan and Meier, 1958, so that pauses that have not
//! ended count as far as they are known).

use std::collections::VecDeque;

use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

use super::pause::{CachedPrefix, Pause};

/// Most pauses that are remembered; the oldest are forgotten.
const REMEMBERED_PAUSES_MAX: usize = 256;

/// Number of pauses with refreshes that decide whether keep-alive has paid.
pub const JUDGED_PAUSES: usize = 20;

/// Most refreshes of one pause, and the longest time over which they are sent.
const REFRESHES_MAX: u32 = 12;
const REFRESH_PERIOD_MAX_MS: i64 = 4 * 60 * 60 * 1000;

/// Prior pauses, in lifetimes of an entry: one that ends just after the expiry, one that lasts
/// about twice as long, and two conversations that never go on.
const PRIOR_PAUSES: [Option<f64>; 4] = [Some(1.4), Some(2.2), None, None];

/// The pauses of one user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PauseHistory {
    pauses: VecDeque<Pause>,
}

impl PauseHistory {
    /// Adds a pause that has ended, or that may never end. Pauses come in any order.
    pub fn add_pause(&mut self, pause: Pause) {
        if pause.is_short() && pause.refreshes == 0 {
            return;
        }
        if self.pauses.len() == REMEMBERED_PAUSES_MAX {
            self.pauses.pop_front();
        }
        self.pauses.push_back(pause);
    }

    /// Returns all remembered pauses.
    pub fn pauses(&self) -> impl Iterator<Item = &Pause> {
        self.pauses.iter()
    }
}

/// The state of a pause as known at a time.
enum PauseStatus {
    /// Ended after this many milliseconds.
    Ended(i64),
    /// Has lasted this many milliseconds and goes on.
    GoesOn(i64),
}

impl PauseStatus {
    fn from_pause(now: Timestamp, pause: &Pause) -> Option<Self> {
        let age = now.since_ms(pause.prefix.time);
        match pause.lasted_ms {
            _ if age < 0 => None,
            Some(lasted) if lasted <= age => Some(Self::Ended(lasted)),
            Some(_) | None => Some(Self::GoesOn(age)),
        }
    }
}

/// Returns whether the `nth` refresh of `prefix` at time `now` is expected to pay, by the pauses of
/// `seen` as known then.
pub fn refresh_pays<'p>(
    seen: &(impl Iterator<Item = &'p Pause> + Clone),
    prefix: &CachedPrefix,
    nth: u32,
    now: Timestamp,
) -> bool {
    nth <= max_refreshes(prefix) && expected_saving(seen, prefix, nth, now) > 0.0
}

/// Returns the largest number of refreshes that cost no more than one write.
pub(super) fn max_refreshes(prefix: &CachedPrefix) -> u32 {
    if prefix.refresh <= 0.0 || prefix.rewrite <= 0.0 {
        return 0;
    }
    let rented = (prefix.rewrite / prefix.refresh).min(f64::from(REFRESHES_MAX)) as u32;
    (1..=rented).take_while(|nth| prefix.refresh_offset_ms(*nth) <= REFRESH_PERIOD_MAX_MS).count()
        as u32
}

/// Returns the expected saving of the `nth` refresh and the best number of further ones, as a share
/// of one write.
fn expected_saving<'p>(
    seen: &(impl Iterator<Item = &'p Pause> + Clone),
    prefix: &CachedPrefix,
    nth: u32,
    now: Timestamp,
) -> f64 {
    let cost = prefix.refresh / prefix.rewrite;
    let (mut best, mut so_far, mut lasts) = (0.0f64, 0.0, 1.0);
    for refresh in nth..=max_refreshes(prefix) {
        let odds = RefreshOdds::from_pauses(seen.clone(), prefix, refresh, now);
        so_far += lasts * (odds.saves - cost);
        best = best.max(so_far);
        lasts *= odds.lasts;
    }
    best
}

/// The odds of pauses that have lasted until a refresh.
struct RefreshOdds {
    /// Expected saving of this refresh alone, as a share of one write.
    saves: f64,
    /// Share of the pauses that last until the next refresh.
    lasts: f64,
}

impl RefreshOdds {
    fn from_pauses<'p>(
        seen: impl Iterator<Item = &'p Pause>,
        prefix: &CachedPrefix,
        refresh: u32,
        now: Timestamp,
    ) -> Self {
        let (from, next) =
            (prefix.refresh_offset_ms(refresh), prefix.refresh_offset_ms(refresh + 1));
        let saving = prefix.expiry_offset_ms(refresh - 1)..prefix.expiry_offset_ms(refresh);
        let (mut all, mut saves, mut last) = (0.0, 0.0, 0.0);
        let mut count = |ended: Option<i64>, worth: f64| match ended {
            Some(ended) if ended <= from => {}
            Some(ended) => {
                all += 1.0;
                last += f64::from(u8::from(ended > next));
                if saving.start < ended && ended <= saving.end {
                    saves += worth;
                }
            }
            None => {
                all += 1.0;
                last += 1.0;
            }
        };
        for ended in PRIOR_PAUSES {
            count(ended.map(|ended| (ended * prefix.lifetime_ms as f64) as i64), 1.0);
        }
        for pause in seen {
            // A longer-lived entry may not have expired, in which case its worth is unknown.
            let worth =
                if pause.prefix.lifetime_ms > prefix.lifetime_ms { 1.0 } else { pause.worth };
            match PauseStatus::from_pause(now, pause) {
                Some(PauseStatus::Ended(lasted)) => count(Some(lasted), worth),
                Some(PauseStatus::GoesOn(age)) if age > saving.end.max(next) => count(None, 0.0),
                Some(PauseStatus::GoesOn(_)) | None => {}
            }
        }
        Self { saves: saves / all, lasts: last / all }
    }
}

/// Returns whether keep-alive has cost more than it saved over the last [`JUDGED_PAUSES`] pauses
/// with refreshes whose end is known at `now`, or that have lasted too long to save anything.
/// `seen` is ordered by the start of the pauses.
pub fn is_unprofitable<'p>(
    seen: impl DoubleEndedIterator<Item = &'p Pause>,
    now: Timestamp,
) -> bool {
    let outcome = |pause: &Pause| {
        let cost = f64::from(pause.refreshes) * pause.prefix.refresh;
        match PauseStatus::from_pause(now, pause)? {
            PauseStatus::Ended(_) => Some(pause.saving(pause.refreshes) - cost),
            PauseStatus::GoesOn(age) => {
                (age > pause.prefix.expiry_offset_ms(pause.refreshes)).then_some(-cost)
            }
        }
    };
    let refreshed = seen.rev().filter(|pause| pause.refreshes > 0);
    let outcomes: Vec<f64> = refreshed.filter_map(outcome).take(JUDGED_PAUSES).collect();
    outcomes.len() == JUDGED_PAUSES && outcomes.iter().sum::<f64>() < 0.0
}
