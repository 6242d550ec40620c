//! What each conversation's requests cost: its meter, and what it came to so far.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_context::bill::{Kept, Meter, Priced, Request, Went};
use foveal_context::prices::PriceCard;
use foveal_context::tokens::Tokens;
use foveal_gateway::exchange::Exchange;
use foveal_live::request::{About, Changed};
use foveal_store::{SessionFacts, Store, StoreError};
use foveal_transcript::{Timestamp, Usage};

use super::charges::{self, usage};
use super::learners::Learners;
use crate::gateway::UNPRICED;
use crate::requests::{self, ShapedResults, Sum};

/// Conversations whose meters are held; the ones used longest ago are read from the store again.
const HELD_MAX: usize = 4_096;

/// All conversations.
pub(super) struct Books {
    store: Arc<dyn Store>,
    accounts: HashMap<String, Account>,
    learners: Learners,
}

/// One of them.
struct Account {
    meter: Meter,
    so_far: Sum,
    /// Requests that are kept of it.
    kept: u64,
    /// Whether its last request went with less than the client sent.
    is_replaced: bool,
    used: Timestamp,
}

/// What a request cost, and by which prices.
pub(super) struct Charged {
    pub(super) priced: Priced,
    pub(super) prices: String,
}

impl Books {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, accounts: HashMap::new(), learners: Learners::default() }
    }

    /// The same, telling each request to who learns from it.
    pub(super) fn with_learners(mut self, learners: Learners) -> Self {
        self.learners = learners;
        self
    }

    /// What a request cost; `None` where the provider told nothing, or no model was asked.
    pub(super) fn charge(&mut self, exchange: &Exchange) -> Option<Charged> {
        if exchange.refresh.is_some() {
            return self.charge_refresh(exchange);
        }
        if !exchange.asks_model() {
            return None;
        }
        let about = &exchange.about;
        let answered = exchange.answered.as_ref();
        let billed = answered.map(|answered| answered.billed);
        let usage = billed.as_ref().map(usage).filter(|usage| usage.prompt() > 0);
        let prices = charges::of(&self.learners.prices, exchange)?;
        let (client, foveal) = kept(about);
        let mut alone = Account::new(exchange.time);
        let account = match &about.conversation {
            Some(conversation) => self.account(conversation, exchange.time),
            None => &mut alone,
        };
        let is_whole = requests::is_whole(exchange.bytes_asked, exchange.bytes_sent, about.marks);
        // What goes as the client sent it after a prompt that did not is another prompt.
        let foveal = if is_whole && account.is_replaced { Kept::Nothing } else { foveal };
        account.is_replaced = !is_whole;
        // Nobody's prices are no prices: many of these models cost nothing.
        let charged = billed.and_then(|billed| billed.cost);
        let Some(usage) = usage.filter(|_| prices.name != UNPRICED || charged.is_some()) else {
            account.meter.skip(client, foveal);
            return None;
        };
        let request = Request {
            time: Some(exchange.time),
            usage: &usage,
            charged,
            raw: Tokens(about.tokens_asked),
            shaped: Tokens(about.tokens_sent),
            client,
            foveal,
            is_unmarked: about.is_unmarked,
        };
        let priced = account.meter.take(&request, &prices);
        self.note(exchange, &usage, &priced, &prices);
        Some(Charged { priced, prices: prices.name })
    }

    /// What it cost to keep a cache warm.
    fn charge_refresh(&mut self, exchange: &Exchange) -> Option<Charged> {
        let answered = exchange.answered.as_ref()?;
        let prices = charges::of(&self.learners.prices, exchange)?;
        let (usage, name) = (usage(&answered.billed), exchange.about.conversation.as_deref()?);
        let priced =
            self.account(name, exchange.time).meter.refresh(exchange.time, &usage, &prices);
        self.note(exchange, &usage, &priced, &prices);
        Some(Charged { priced, prices: prices.name })
    }

    fn note(&self, exchange: &Exchange, usage: &Usage, priced: &Priced, prices: &PriceCard) {
        if let Some(warmth) = &self.learners.warmth {
            warmth.note(exchange, usage, priced, prices);
        }
    }

    /// The number that a request gets among those that are kept of its conversation; 0 where it is
    /// not kept.
    pub(super) fn number(&mut self, request: &requests::Request) -> u64 {
        let Some(name) = request.kept_under() else { return 0 };
        self.account(&name, Timestamp(request.time)).kept + 1
    }

    /// Keeps a request in its conversation's log. Where that cannot be, it is not kept: it decides
    /// about nothing.
    pub(super) fn keep(&mut self, request: &requests::Request, shaped: ShapedResults) {
        let time = Timestamp(request.time);
        let Some(name) = request.kept_under() else { return };
        let account = self.account(&name, time);
        account.so_far.add(request);
        account.kept = request.of_conversation;
        let (so_far, meter) = (account.so_far, Some(account.meter.clone()));
        let kept = requests::Kept { request: request.clone(), so_far, meter, shaped };
        let Ok(kept) = serde_json::to_value(&kept) else { return };
        let session = requests::session(&name);
        let append = || self.store.append(&session, &kept, time);
        if let Err(StoreError::UnknownSession { .. }) = append() {
            let opened = self.store.open_session(&session, &SessionFacts::default(), time);
            drop(opened.and_then(|_| append()));
        }
    }

    /// The account of a conversation, as it was left when the gateway last ran.
    fn account(&mut self, conversation: &str, now: Timestamp) -> &mut Account {
        if self.accounts.len() >= HELD_MAX && !self.accounts.contains_key(conversation) {
            let oldest = self.accounts.iter().min_by_key(|(_, account)| account.used);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.accounts.remove(&oldest));
        }
        let store = &self.store;
        let account = self.accounts.entry(conversation.to_owned()).or_insert_with(|| {
            let (mut last, mut count) = (None, 0);
            let session = requests::session(conversation);
            drop(requests::each(&**store, &session, &mut |kept| {
                last = Some(kept);
                count += 1;
            }));
            let account = last.map_or_else(|| Account::new(now), Account::of);
            Account { kept: count, ..account }
        });
        account.used = now;
        account
    }
}

impl Account {
    fn new(now: Timestamp) -> Self {
        let meter = Meter::new(Went::Shaped);
        Self { meter, so_far: Sum::default(), kept: 0, is_replaced: false, used: now }
    }

    fn of(last: requests::Kept) -> Self {
        let requests::Kept { request, so_far, meter, .. } = last;
        Self {
            meter: meter.unwrap_or_else(|| Meter::new(Went::Shaped)),
            so_far,
            kept: 0,
            is_replaced: !requests::is_whole(
                request.bytes_asked,
                request.bytes_sent,
                request.marks,
            ),
            used: Timestamp(request.time),
        }
    }
}

/// How much of the last prompt the client left as it was, and foveal.
fn kept(about: &About) -> (Kept, Kept) {
    let client = match &about.departed {
        None => Kept::All,
        Some(departed) if departed.changed == Changed::Message => {
            Kept::First(Tokens(departed.tokens))
        }
        Some(_) => Kept::Nothing,
    };
    let foveal = about.tokens_unchanged.map_or(Kept::All, |count| Kept::First(Tokens(count)));
    (client, foveal)
}

#[cfg(test)]
pub(super) mod tests;
