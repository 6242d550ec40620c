//! Which caches are kept warm, and whether that has paid: the pauses of all conversations.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_context::bill::Priced;
use foveal_context::prices::PriceCard;
use foveal_context::warm::{History, JUDGED, Pause, Pauses, Prefix, has_not_paid, pays};
use foveal_gateway::exchange::Exchange;
use foveal_gateway::warm::KeepsWarm;
use foveal_live::prices::OwnPrices;
use foveal_store::Store;
use foveal_transcript::{Timestamp, Usage};

use super::charges;
use crate::notice;
use crate::private_file;
use crate::requests;

/// The file beside the store that says whether keeping warm has not paid: [`OFF`], or from when on
/// it is judged, in milliseconds since 1970.
const VERDICT_FILE: &str = "keep-warm";
const OFF: &str = "off";

/// Conversations of which the store is asked when a gateway starts: the ones used last.
const RECALLED_MAX: usize = 200;

/// Conversations whose pauses are known; of more, those that began longest ago count as ended.
const OPEN_MAX: usize = 1_024;

/// Where it is kept whether keeping warm has not paid, by the store's own path.
pub(crate) fn verdict_file(store: &Path) -> PathBuf {
    store.with_file_name(VERDICT_FILE)
}

/// Whether it is kept there that it has not paid.
pub(crate) fn has_not_paid_before(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|said| said.trim() == OFF)
}

/// Keeps caches warm as the pauses of all conversations say.
pub(crate) struct Warmth {
    state: Mutex<State>,
    verdict: Option<PathBuf>,
    prices: Arc<OwnPrices>,
}

struct State {
    open: HashMap<String, Pauses>,
    history: History,
    is_off: bool,
    /// From when on it is judged whether it pays.
    since: Timestamp,
}

impl Warmth {
    /// Off where it has not paid before, unless it is to begin `anew`, now. `verdict` is where that
    /// is kept.
    pub(crate) fn new(verdict: Option<PathBuf>, anew: bool, now: Timestamp) -> Self {
        let file = verdict.as_deref();
        let was_off = file.is_some_and(has_not_paid_before);
        if let Some(file) = file.filter(|_| was_off && anew) {
            keep(file, &now.0.to_string());
        }
        let is_off = was_off && !anew;
        if is_off {
            notice::say("caches are not kept warm: it has not paid; --keep-warm begins anew");
        }
        let said = file.and_then(|file| fs::read_to_string(file).ok());
        let since = said.and_then(|said| said.trim().parse().ok()).unwrap_or(i64::MIN);
        let (open, history, since) = (HashMap::new(), History::default(), Timestamp(since));
        let state = Mutex::new(State { open, history, is_off, since });
        Self { state, verdict, prices: Arc::default() }
    }

    /// The same with what the user says of prices.
    pub(crate) fn with_prices(mut self, prices: &Arc<OwnPrices>) -> Self {
        self.prices = Arc::clone(prices);
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns from what the store keeps.
    pub(super) fn recall(&self, store: &Arc<dyn Store>) {
        let Ok(mut sessions) = store.sessions() else { return };
        sessions.retain(requests::is_of_gateway);
        sessions.sort_by_key(|session| std::cmp::Reverse(session.used));
        sessions.truncate(RECALLED_MAX);
        for session in sessions.iter().rev() {
            // What cannot be read teaches nothing.
            drop(requests::each(&**store, &session.id, &mut |kept| {
                let request = &kept.request;
                let (Some(name), Some(card)) =
                    (&request.conversation, charges::card(&self.prices, request))
                else {
                    return;
                };
                let (Some(billed), Some(bill)) = (&request.billed, request.without) else { return };
                let (time, usage) = (Timestamp(request.time), billed.usage());
                self.state().take(name, time, &usage, (request.refresh, bill.expired), &card);
            }));
        }
    }

    /// Learns from a request, or from a refresh.
    pub(super) fn note(
        &self,
        exchange: &Exchange,
        usage: &Usage,
        priced: &Priced,
        prices: &PriceCard,
    ) {
        let Some(name) = &exchange.about.conversation else { return };
        let what = (exchange.refresh, priced.otherwise.expired);
        self.state().take(name, exchange.time, usage, what, prices);
    }

    /// Says that it has not paid, and keeps that.
    fn switch_off(&self, state: &mut State) {
        state.is_off = true;
        notice::say(format_args!(
            "over the last {JUDGED} pauses keeping caches warm cost more than it saved: from now on \
             they are not; --keep-warm begins anew"
        ));
        if let Some(file) = &self.verdict {
            keep(file, OFF);
        }
    }
}

/// Keeps there what was judged.
fn keep(file: &Path, verdict: &str) {
    let kept = private_file::create(file).and_then(|mut it| it.write_all(verdict.as_bytes()));
    if let Err(error) = kept {
        notice::say(format_args!("`{}` cannot be written: {error}", file.display()));
    }
}

impl State {
    fn take(
        &mut self,
        conversation: &str,
        time: Timestamp,
        usage: &Usage,
        (refresh, expired): (Option<u32>, foveal_context::bill::Amount),
        prices: &PriceCard,
    ) {
        if self.open.len() >= OPEN_MAX && !self.open.contains_key(conversation) {
            let began = |pauses: &Pauses| pauses.now().map(|pause| pause.prefix.time);
            let oldest = self.open.iter().min_by_key(|(_, pauses)| began(pauses));
            let oldest = oldest.map(|(name, _)| name.clone());
            let gone = oldest.and_then(|oldest| self.open.remove(&oldest));
            if let Some(pause) = gone.as_ref().and_then(Pauses::now) {
                self.history.add(*pause);
            }
        }
        let pauses = self.open.entry(conversation.to_owned()).or_default();
        if refresh.is_some() {
            pauses.refreshed();
        } else if let Some(ended) = pauses.request(time, usage, expired, prices) {
            self.history.add(ended);
        }
    }

    /// All pauses, in the order in which they began.
    fn pauses(&self) -> Vec<Pause> {
        let open = self.open.values().filter_map(Pauses::now);
        let mut all: Vec<Pause> = self.history.pauses().chain(open).copied().collect();
        all.sort_by_key(|pause| pause.prefix.time);
        all
    }
}

/// What is in the cache behind a request.
fn prefix(own: &OwnPrices, exchange: &Exchange) -> Option<Prefix> {
    let answered = exchange.answered.as_ref()?;
    let usage = charges::usage(&answered.billed);
    let prices = charges::of(own, exchange)?;
    // Of a request that only reads nobody tells for how long: for five minutes at least.
    Prefix::of(exchange.time, &usage, usage.cache_write_hour > 0, &prices)
}

impl KeepsWarm for Warmth {
    fn after(&self, exchange: &Exchange, nth: u32) -> Option<Duration> {
        if self.state().is_off {
            return None;
        }
        let after = prefix(&self.prices, exchange)?.refreshed_at_ms(nth);
        Some(Duration::from_millis(after.unsigned_abs()))
    }

    fn pays(&self, exchange: &Exchange, nth: u32, late: Duration) -> bool {
        let Some(prefix) = prefix(&self.prices, exchange) else { return false };
        // The machine slept, say: the entry has expired.
        let spare = (prefix.lives_ms(0) - prefix.refreshed_at_ms(1)).unsigned_abs() / 2;
        let mut state = self.state();
        if state.is_off || late > Duration::from_millis(spare) {
            return false;
        }
        let at = prefix.time.0.saturating_add(prefix.refreshed_at_ms(nth));
        let (now, pauses) = (Timestamp(at), state.pauses());
        let judged = pauses.iter().filter(|pause| pause.prefix.time >= state.since);
        if has_not_paid(judged, now) {
            self.switch_off(&mut state);
            return false;
        }
        pays(&pauses.iter(), &prefix, nth, now)
    }
}

#[cfg(test)]
mod tests;
