//! Whether one more refresh pays, by the pauses that were seen before.
//!
//! Refreshing is renting, letting the entry expire is buying (ski rental): who refreshes until that
//! has cost as much as writing anew never pays more than twice what the best choice would have
//! cost. Within that bound the pauses of the same user decide: how many of those that lasted so
//! long ended before the next refresh (the product-limit estimate of Kaplan and Meier, 1958, so
//! that pauses that have not ended count as far as they are known).

use std::collections::VecDeque;

use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};

use super::pause::{Pause, Prefix};

/// Pauses that are remembered; the oldest are forgotten.
const REMEMBERED: usize = 256;

/// Pauses with refreshes by which it is judged whether keeping warm has paid.
pub const JUDGED: usize = 20;

/// Refreshes of one pause, and how long a request is held for them.
const REFRESHES_MAX: u32 = 12;
const HELD_MAX_MS: i64 = 4 * 60 * 60 * 1000;

/// As if these pauses had been seen, in lifetimes of an entry: one that ends when it has just
/// expired, one that lasts twice as long, and two conversations that never go on.
const BEFORE_ANY: [Option<f64>; 4] = [Some(1.4), Some(2.2), None, None];

/// The pauses of one user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    pauses: VecDeque<Pause>,
}

impl History {
    /// Remembers a pause that has ended, or that may never end. They come in any order.
    pub fn add(&mut self, pause: Pause) {
        if pause.is_short() && pause.refreshes == 0 {
            return;
        }
        if self.pauses.len() == REMEMBERED {
            self.pauses.pop_front();
        }
        self.pauses.push_back(pause);
    }

    /// All that are remembered.
    pub fn pauses(&self) -> impl Iterator<Item = &Pause> {
        self.pauses.iter()
    }
}

/// How a pause is known at a time.
enum Known {
    /// It ended after so many milliseconds.
    Ended(i64),
    /// It has lasted so many, and goes on.
    GoesOn(i64),
}

impl Known {
    fn at(now: Timestamp, pause: &Pause) -> Option<Self> {
        let age = now.since_ms(pause.prefix.time);
        match pause.lasted_ms {
            _ if age < 0 => None,
            Some(lasted) if lasted <= age => Some(Self::Ended(lasted)),
            Some(_) | None => Some(Self::GoesOn(age)),
        }
    }
}

/// Whether the `nth` refresh of `prefix`, at the time `now`, is expected to pay, by all that is
/// known then of `seen`.
pub fn pays<'p>(
    seen: &(impl Iterator<Item = &'p Pause> + Clone),
    prefix: &Prefix,
    nth: u32,
    now: Timestamp,
) -> bool {
    nth <= refreshes_max(prefix) && expected(seen, prefix, nth, now) > 0.0
}

/// Refreshes that together cost no more than writing anew.
pub(super) fn refreshes_max(prefix: &Prefix) -> u32 {
    if prefix.refresh <= 0.0 || prefix.rewrite <= 0.0 {
        return 0;
    }
    let rented = (prefix.rewrite / prefix.refresh).min(f64::from(REFRESHES_MAX)) as u32;
    (1..=rented).take_while(|nth| prefix.refreshed_at_ms(*nth) <= HELD_MAX_MS).count() as u32
}

/// What the `nth` refresh and those after it, as many as are best, are expected to save, as a share
/// of writing anew.
fn expected<'p>(
    seen: &(impl Iterator<Item = &'p Pause> + Clone),
    prefix: &Prefix,
    nth: u32,
    now: Timestamp,
) -> f64 {
    let cost = prefix.refresh / prefix.rewrite;
    let (mut best, mut so_far, mut lasts) = (0.0f64, 0.0, 1.0);
    for refresh in nth..=refreshes_max(prefix) {
        let odds = Odds::of(seen.clone(), prefix, refresh, now);
        so_far += lasts * (odds.saves - cost);
        best = best.max(so_far);
        lasts *= odds.lasts;
    }
    best
}

/// What becomes of pauses that have lasted until a refresh.
struct Odds {
    /// Expected saving by this refresh alone, as a share of writing anew.
    saves: f64,
    /// The share of those that last until the next one.
    lasts: f64,
}

impl Odds {
    fn of<'p>(
        seen: impl Iterator<Item = &'p Pause>,
        prefix: &Prefix,
        refresh: u32,
        now: Timestamp,
    ) -> Self {
        let (from, next) = (prefix.refreshed_at_ms(refresh), prefix.refreshed_at_ms(refresh + 1));
        let saving = prefix.lives_ms(refresh - 1)..prefix.lives_ms(refresh);
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
        for ended in BEFORE_ANY {
            count(ended.map(|ended| (ended * prefix.lifetime_ms as f64) as i64), 1.0);
        }
        for pause in seen {
            // An entry of another lifetime tells what it would have been worth only if it expired.
            let worth =
                if pause.prefix.lifetime_ms > prefix.lifetime_ms { 1.0 } else { pause.worth };
            match Known::at(now, pause) {
                Some(Known::Ended(lasted)) => count(Some(lasted), worth),
                Some(Known::GoesOn(age)) if age > saving.end.max(next) => count(None, 0.0),
                Some(Known::GoesOn(_)) | None => {}
            }
        }
        Self { saves: saves / all, lasts: last / all }
    }
}

/// Whether keeping warm has cost more than it saved over the last [`JUDGED`] pauses with refreshes
/// whose end is known at `now`, or that have lasted too long to save anything. `seen` are in the
/// order in which they began.
pub fn has_not_paid<'p>(seen: impl DoubleEndedIterator<Item = &'p Pause>, now: Timestamp) -> bool {
    let outcome = |pause: &Pause| {
        let cost = f64::from(pause.refreshes) * pause.prefix.refresh;
        match Known::at(now, pause)? {
            Known::Ended(_) => Some(pause.saved(pause.refreshes) - cost),
            Known::GoesOn(age) => (age > pause.prefix.lives_ms(pause.refreshes)).then_some(-cost),
        }
    };
    let refreshed = seen.rev().filter(|pause| pause.refreshes > 0);
    let outcomes: Vec<f64> = refreshed.filter_map(outcome).take(JUDGED).collect();
    outcomes.len() == JUDGED && outcomes.iter().sum::<f64>() < 0.0
}
