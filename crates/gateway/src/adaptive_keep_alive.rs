//! Keep-alive of prompt caches, and the verdict whether it pays, learned from the pauses of all
//! conversations.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_pricing::bill::RequestCosts;
use foveal_pricing::keep_alive::{
    CachedPrefix, JUDGED_PAUSES, Pause, PauseHistory, PauseTracker, is_unprofitable, refresh_pays,
};
use foveal_pricing::prices::PriceCard;
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_store::Store;
use foveal_transcript::{Timestamp, Usage};

use crate::exchange::Exchange;
use crate::keep_alive_policy::KeepAlivePolicy;
use crate::{request_prices, request_record};

/// The name of the verdict file, beside the store. It holds [`VERDICT_OFF`], or the time from which
/// keep-alive is judged, in milliseconds since 1970.
const VERDICT_FILE: &str = "keep-warm";
const VERDICT_OFF: &str = "off";

/// The most recently used conversations whose pauses a starting gateway reads from the store.
const RECALLED_CONVERSATIONS_MAX: usize = 200;

/// Conversations whose current pause is tracked. Beyond that, the conversation whose pause began
/// first counts as ended.
const OPEN_CONVERSATIONS_MAX: usize = 1_024;

/// Returns the path of the verdict file for a store.
pub fn keep_alive_verdict_path(store: &Path) -> PathBuf {
    store.with_file_name(VERDICT_FILE)
}

/// Returns whether the verdict file says that keep-alive costs more than it saves.
pub fn was_judged_unprofitable(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|said| said.trim() == VERDICT_OFF)
}

/// A keep-alive policy that learns from the pauses of all conversations whether it pays, and turns
/// itself off where it does not.
pub struct AdaptiveKeepAlive {
    state: Mutex<KeepAliveState>,
    verdict_path: Option<PathBuf>,
    prices: Arc<PriceOverrides>,
    /// Tells the user something.
    notify: fn(&str),
}

struct KeepAliveState {
    open_pauses: HashMap<String, PauseTracker>,
    history: PauseHistory,
    is_off: bool,
    /// Pauses that began earlier do not count for the verdict.
    judged_since: Timestamp,
}

impl AdaptiveKeepAlive {
    /// Returns a policy with the stored verdict: off if keep-alive did not pay before, unless
    /// `anew` discards that verdict at `now`. `notify` tells the user something.
    pub fn new(
        verdict_path: Option<PathBuf>,
        anew: bool,
        now: Timestamp,
        notify: fn(&str),
    ) -> Self {
        let file = verdict_path.as_deref();
        let was_off = file.is_some_and(was_judged_unprofitable);
        if let Some(file) = file.filter(|_| was_off && anew) {
            write_verdict(file, &now.0.to_string(), notify);
        }
        let is_off = was_off && !anew;
        if is_off {
            notify(
                "caches are not kept warm: that cost more than it saved; use --keep-warm to try \
                 again",
            );
        }
        let said = file.and_then(|file| fs::read_to_string(file).ok());
        let since = said.and_then(|said| said.trim().parse().ok()).unwrap_or(i64::MIN);
        let (open, history, since) = (HashMap::new(), PauseHistory::default(), Timestamp(since));
        let state =
            Mutex::new(KeepAliveState { open_pauses: open, history, is_off, judged_since: since });
        Self { state, verdict_path, prices: Arc::default(), notify }
    }

    /// Sets the user's own prices.
    #[must_use]
    pub fn with_prices(mut self, prices: &Arc<PriceOverrides>) -> Self {
        self.prices = Arc::clone(prices);
        self
    }

    fn state(&self) -> MutexGuard<'_, KeepAliveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns from the requests of the most recently used conversations in the store.
    pub(crate) fn learn_from_store(&self, store: &Arc<dyn Store>) {
        let Ok(mut sessions) = store.sessions() else { return };
        sessions.retain(request_record::is_gateway_session);
        sessions.sort_by_key(|session| std::cmp::Reverse(session.last_used));
        sessions.truncate(RECALLED_CONVERSATIONS_MAX);
        for session in sessions.iter().rev() {
            // Unreadable sessions are skipped.
            drop(request_record::for_each_request(&**store, &session.id, &mut |kept| {
                let request = &kept.request;
                let (Some(name), Some(card)) = (
                    &request.conversation,
                    request_prices::stored_request_price_card(&self.prices, request),
                ) else {
                    return;
                };
                let (Some(billed), Some(bill)) = (&request.billed, request.without) else { return };
                let (time, usage) = (Timestamp(request.time), billed.to_bill_usage());
                self.state().record_request(
                    name,
                    time,
                    &usage,
                    request.refresh,
                    bill.expired,
                    &card,
                );
            }));
        }
    }

    /// Learns from a request, or from a keep-alive request.
    pub(crate) fn learn_from_exchange(
        &self,
        exchange: &Exchange,
        usage: &Usage,
        priced: &RequestCosts,
        prices: &PriceCard,
    ) {
        let Some(name) = &exchange.report.conversation else { return };
        let expired = priced.otherwise.expired;
        self.state().record_request(name, exchange.time, usage, exchange.refresh, expired, prices);
    }

    /// Turns keep-alive off, tells the user, and stores the verdict.
    fn switch_off(&self, state: &mut KeepAliveState) {
        state.is_off = true;
        (self.notify)(&format!(
            "over the last {JUDGED_PAUSES} pauses, keeping caches warm cost more than it saved: \
             now turned off; use --keep-warm to try again"
        ));
        if let Some(file) = &self.verdict_path {
            write_verdict(file, VERDICT_OFF, self.notify);
        }
    }
}

/// Writes the verdict file, for the user alone. An error is reported to the user, not returned.
fn write_verdict(file: &Path, verdict: &str, notify: fn(&str)) {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(file).and_then(|mut open| open.write_all(verdict.as_bytes()));
    if let Err(error) = written {
        notify(&format!("`{}` cannot be written: {error}", file.display()));
    }
}

impl KeepAliveState {
    fn record_request(
        &mut self,
        conversation: &str,
        time: Timestamp,
        usage: &Usage,
        refresh: Option<u32>,
        expired: foveal_pricing::bill::BillAmount,
        prices: &PriceCard,
    ) {
        if self.open_pauses.len() >= OPEN_CONVERSATIONS_MAX
            && !self.open_pauses.contains_key(conversation)
        {
            let began = |pauses: &PauseTracker| pauses.current().map(|pause| pause.prefix.time);
            let oldest = self.open_pauses.iter().min_by_key(|(_, pauses)| began(pauses));
            let oldest = oldest.map(|(name, _)| name.clone());
            let gone = oldest.and_then(|oldest| self.open_pauses.remove(&oldest));
            if let Some(pause) = gone.as_ref().and_then(PauseTracker::current) {
                self.history.add_pause(*pause);
            }
        }
        let pauses = self.open_pauses.entry(conversation.to_owned()).or_default();
        if refresh.is_some() {
            pauses.add_refresh();
        } else if let Some(ended) = pauses.add_request(time, usage, expired, prices) {
            self.history.add_pause(ended);
        }
    }

    /// Returns all pauses, ordered by the time at which they began.
    fn pauses_by_start(&self) -> Vec<Pause> {
        let open = self.open_pauses.values().filter_map(PauseTracker::current);
        let mut all: Vec<Pause> = self.history.pauses().chain(open).copied().collect();
        all.sort_by_key(|pause| pause.prefix.time);
        all
    }
}

/// Returns the prefix that a request leaves in the provider's cache, or `None` if it has no usage.
fn cached_prefix(own: &PriceOverrides, exchange: &Exchange) -> Option<CachedPrefix> {
    let answered = exchange.response.as_ref()?;
    let usage = request_prices::billed_usage(&answered.billed);
    let prices = request_prices::exchange_price_card(own, exchange)?;
    // A request that only reads the cache does not tell the lifetime of the entry; five minutes is
    // the shortest.
    CachedPrefix::from_usage(exchange.time, &usage, usage.cache_write_hour > 0, &prices)
}

impl KeepAlivePolicy for AdaptiveKeepAlive {
    fn refresh_delay(&self, exchange: &Exchange, nth: u32) -> Option<Duration> {
        if self.state().is_off {
            return None;
        }
        let after = cached_prefix(&self.prices, exchange)?.refresh_offset_ms(nth);
        Some(Duration::from_millis(after.unsigned_abs()))
    }

    fn is_worthwhile(&self, exchange: &Exchange, nth: u32, late: Duration) -> bool {
        let Some(prefix) = cached_prefix(&self.prices, exchange) else { return false };
        // A refresh may be late, for example after the machine slept. Then the entry has expired.
        let spare = (prefix.expiry_offset_ms(0) - prefix.refresh_offset_ms(1)).unsigned_abs() / 2;
        let mut state = self.state();
        if state.is_off || late > Duration::from_millis(spare) {
            return false;
        }
        let at = prefix.time.0.saturating_add(prefix.refresh_offset_ms(nth));
        let (now, pauses) = (Timestamp(at), state.pauses_by_start());
        let judged = pauses.iter().filter(|pause| pause.prefix.time >= state.judged_since);
        if is_unprofitable(judged, now) {
            self.switch_off(&mut state);
            return false;
        }
        refresh_pays(&pauses.iter(), &prefix, nth, now)
    }
}

#[cfg(test)]
mod tests;
