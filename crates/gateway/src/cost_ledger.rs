//! The cost ledger of the gateway: for each conversation a meter that prices its requests, and the
//! sum so far.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_pricing::bill::{BilledRequest, CostMeter, RequestCosts, RetainedPrefix, SentPrompt};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_proxy::request::{ChangedPart, RequestReport};
use foveal_store::{SessionMetadata, Store, StoreError};
use foveal_transcript::{Timestamp, Usage};

use crate::adaptive_keep_alive::AdaptiveKeepAlive;
use crate::exchange::Exchange;
use crate::request_prices::{self, UNPRICED_CARD_NAME, billed_usage};
use crate::request_record::{
    self, ConversationTotals, GatewayRequest, RequestCharge, ShapedResults, StoredRequest,
};

/// Accounts in memory. The least recently used ones are dropped and read from the store again when
/// needed.
const ACCOUNTS_MAX: usize = 4_096;

/// The prices of requests, and the keep-alive policy that learns from their cost.
#[derive(Clone, Default)]
pub struct BillingContext {
    /// The keep-alive policy; `None` if keep-alive is off.
    pub keep_alive: Option<Arc<AdaptiveKeepAlive>>,
    /// The user's own prices.
    pub prices: Arc<PriceOverrides>,
}

/// The accounts of all conversations.
pub(crate) struct CostLedger {
    store: Arc<dyn Store>,
    accounts: HashMap<String, ConversationAccount>,
    billing: BillingContext,
}

/// The account of one conversation.
struct ConversationAccount {
    meter: CostMeter,
    sum: ConversationTotals,
    /// The number of its requests in the store.
    stored_requests: u64,
    /// Whether its last request was sent with less than the client's prompt.
    was_reduced: bool,
    last_used: Timestamp,
}

impl CostLedger {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, accounts: HashMap::new(), billing: BillingContext::default() }
    }

    /// Sets the prices, and the keep-alive policy that observes each priced request.
    pub(crate) fn with_billing(mut self, learners: BillingContext) -> Self {
        self.billing = learners;
        self
    }

    /// Returns the cost of a request, or `None` if the provider reported no usage, its price is
    /// unknown, or the request asked no model.
    pub(crate) fn charge_exchange(&mut self, exchange: &Exchange) -> Option<RequestCharge> {
        if exchange.refresh.is_some() {
            return self.charge_refresh(exchange);
        }
        if !exchange.asks_model() {
            return None;
        }
        let about = &exchange.report;
        let answered = exchange.response.as_ref();
        let billed = answered.map(|answered| answered.billed);
        let usage = billed.as_ref().map(billed_usage).filter(|usage| usage.prompt_tokens() > 0);
        let prices = request_prices::exchange_price_card(&self.billing.prices, exchange)?;
        let (client, foveal) = unchanged_prefixes(about);
        let mut alone = ConversationAccount::new(exchange.time);
        let account = match &about.conversation {
            Some(conversation) => self.account_mut(conversation, exchange.time),
            None => &mut alone,
        };
        let is_whole = request_record::is_unmodified(
            exchange.bytes_received,
            exchange.bytes_sent,
            about.breakpoints,
        );
        // A whole prompt after a reduced one shares no prefix with it.
        let foveal = if is_whole && account.was_reduced { RetainedPrefix::Nothing } else { foveal };
        account.was_reduced = !is_whole;
        // Without a price card only a cost that the provider states counts: many unknown models are
        // free.
        let charged = billed.and_then(|billed| billed.cost);
        let Some(usage) = usage.filter(|_| prices.name != UNPRICED_CARD_NAME || charged.is_some())
        else {
            account.meter.skip_unbilled(client, foveal);
            return None;
        };
        let request = BilledRequest {
            time: Some(exchange.time),
            usage: &usage,
            charged,
            raw: Tokens(about.tokens_received),
            shaped: Tokens(about.tokens_sent),
            client,
            foveal,
            has_no_client_breakpoints: about.lacks_breakpoints,
        };
        let priced = account.meter.add_request(&request, &prices);
        self.notify_keep_alive(exchange, &usage, &priced, &prices);
        Some(RequestCharge { priced, prices: prices.name })
    }

    /// Returns the cost of a keep-alive request; `None` if its price is unknown.
    fn charge_refresh(&mut self, exchange: &Exchange) -> Option<RequestCharge> {
        let answered = exchange.response.as_ref()?;
        let prices = request_prices::exchange_price_card(&self.billing.prices, exchange)?;
        let (usage, name) =
            (billed_usage(&answered.billed), exchange.report.conversation.as_deref()?);
        let priced =
            self.account_mut(name, exchange.time).meter.add_refresh(exchange.time, &usage, &prices);
        self.notify_keep_alive(exchange, &usage, &priced, &prices);
        (prices.name != UNPRICED_CARD_NAME).then_some(RequestCharge { priced, prices: prices.name })
    }

    fn notify_keep_alive(
        &self,
        exchange: &Exchange,
        usage: &Usage,
        priced: &RequestCosts,
        prices: &PriceCard,
    ) {
        if let Some(warmth) = &self.billing.keep_alive {
            warmth.learn_from_exchange(exchange, usage, priced, prices);
        }
    }

    /// Returns the number that a request gets among the stored requests of its conversation, from
    /// 1; 0 if it is not stored.
    pub(crate) fn next_request_number(&mut self, request: &GatewayRequest) -> u64 {
        let Some(name) = request.storage_name() else { return 0 };
        self.account_mut(&name, Timestamp(request.time)).stored_requests + 1
    }

    /// Appends a request to its conversation's log. Errors are ignored: no decision depends on this
    /// log.
    pub(crate) fn store_request(&mut self, request: &GatewayRequest, shaped: ShapedResults) {
        let time = Timestamp(request.time);
        let Some(name) = request.storage_name() else { return };
        let account = self.account_mut(&name, time);
        account.sum.add(request);
        account.stored_requests = request.of_conversation;
        let (so_far, meter) = (account.sum, Some(account.meter.clone()));
        let kept = StoredRequest { request: request.clone(), so_far, meter, shaped };
        let Ok(kept) = serde_json::to_value(&kept) else { return };
        let session = request_record::gateway_session_id(&name);
        let append = || self.store.append_record(&session, &kept, time);
        if let Err(StoreError::UnknownSession { .. }) = append() {
            let opened = self.store.open_session(&session, &SessionMetadata::default(), time);
            drop(opened.and_then(|_| append()));
        }
    }

    /// Returns the account of a conversation, restored from the store if the gateway was restarted.
    fn account_mut(&mut self, conversation: &str, now: Timestamp) -> &mut ConversationAccount {
        if self.accounts.len() >= ACCOUNTS_MAX && !self.accounts.contains_key(conversation) {
            let oldest = self.accounts.iter().min_by_key(|(_, account)| account.last_used);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.accounts.remove(&oldest));
        }
        let store = &self.store;
        let account = self.accounts.entry(conversation.to_owned()).or_insert_with(|| {
            let (mut last, mut count) = (None, 0);
            let session = request_record::gateway_session_id(conversation);
            drop(request_record::for_each_request(&**store, &session, &mut |kept| {
                last = Some(kept);
                count += 1;
            }));
            let account = last.map_or_else(
                || ConversationAccount::new(now),
                ConversationAccount::from_last_record,
            );
            ConversationAccount { stored_requests: count, ..account }
        });
        account.last_used = now;
        account
    }
}

impl ConversationAccount {
    fn new(now: Timestamp) -> Self {
        let meter = CostMeter::new(SentPrompt::Shaped);
        Self {
            meter,
            sum: ConversationTotals::default(),
            stored_requests: 0,
            was_reduced: false,
            last_used: now,
        }
    }

    fn from_last_record(last: StoredRequest) -> Self {
        let StoredRequest { request, so_far: sum, meter, .. } = last;
        Self {
            meter: meter.unwrap_or_else(|| CostMeter::new(SentPrompt::Shaped)),
            sum,
            stored_requests: 0,
            was_reduced: !request_record::is_unmodified(
                request.bytes_asked,
                request.bytes_sent,
                request.marks,
            ),
            last_used: Timestamp(request.time),
        }
    }
}

/// Returns how much of the previous prompt the client left unchanged, and how much foveal did.
fn unchanged_prefixes(about: &RequestReport) -> (RetainedPrefix, RetainedPrefix) {
    let client = match &about.divergence {
        None => RetainedPrefix::All,
        Some(departed) if departed.changed == ChangedPart::Message => {
            RetainedPrefix::First(Tokens(departed.tokens))
        }
        Some(_) => RetainedPrefix::Nothing,
    };
    let foveal = about
        .tokens_unchanged
        .map_or(RetainedPrefix::All, |count| RetainedPrefix::First(Tokens(count)));
    (client, foveal)
}

#[cfg(test)]
pub(crate) mod tests;
