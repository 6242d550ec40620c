//! The requests that passed a gateway, as records in the store.

use foveal_pricing::bill::{Bill, CostMeter, RequestCosts};
use foveal_pricing::tokens::Tokens;
use foveal_protocols::request_body::{CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H};
use foveal_protocols::response::BilledUsage;
use foveal_proxy::request::{PrefixDivergence, RequestReport};
use foveal_store::{RecordNumber, SessionId, SessionLogStore, StoreError, StoredSession};
use foveal_transcript::{ContentHash, EntryIndex};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exchange::{Exchange, Purpose};

/// Prefix of the names of gateway sessions in the store.
const GATEWAY_SESSION_KIND: &str = "gateway";

/// Returns the session id of a live conversation in the store.
pub fn gateway_session_id(conversation: &str) -> SessionId {
    SessionId(format!("{GATEWAY_SESSION_KIND} {conversation}"))
}

/// Returns true if a session holds requests of a gateway.
pub fn is_gateway_session(session: &StoredSession) -> bool {
    session.id.0.split_once(' ').is_some_and(|(kind, _)| kind == GATEWAY_SESSION_KIND)
}

/// One request and its answer, without any content of the conversation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the stored JSON say what they are")]
pub struct GatewayRequest {
    pub request: u64,
    pub time: i64,
    pub protocol: Option<String>,
    /// For a keep-alive by foveal itself: its number since the last request, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh: Option<u32>,
    pub upstream: String,
    /// The kind of a request that asks no model for an answer.
    pub beside: Option<NonModelRequest>,
    /// The number of this record in its conversation, from 1, which `foveal show --request` takes.
    /// 0 if the request is not stored.
    pub of_conversation: u64,
    pub conversation: Option<String>,
    pub model: Option<String>,
    pub messages: u64,
    pub tokens_asked: u64,
    pub tokens_sent: u64,
    pub bytes_asked: u64,
    pub bytes_sent: u64,
    pub bytes_answered: u64,
    /// The number of cache breakpoints that foveal set: because the client sets none, or one more
    /// at the end of the latest answer.
    pub marks: u64,
    pub status: u16,
    pub end: String,
    pub failed_open: Option<String>,
    pub inactive: Option<String>,
    pub rewrite: Option<String>,
    /// The place where the client changed content that it had sent before.
    pub changed: Option<ClientChange>,
    /// The usage as the provider reported it.
    pub billed: Option<ReportedUsage>,
    /// The price card on which dollars are based.
    pub prices: Option<String>,
    /// The bill, split by cause.
    pub bill: Option<Bill>,
    /// The bill as it would have been without foveal.
    pub without: Option<Bill>,
    pub model_answered: Option<String>,
    pub stop_reason: Option<String>,
    pub error: Option<String>,
    pub added_ms: f64,
    pub head_ms: f64,
    pub whole_ms: f64,
}

/// Returns true if the sent bytes are the client's, apart from cache breakpoints. All breakpoints
/// of a request have the same form.
pub fn is_unmodified(bytes_asked: u64, bytes_sent: u64, marks: u64) -> bool {
    let added =
        [CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H].map(|mark| marks * mark.len() as u64);
    added.iter().any(|added| bytes_sent.checked_sub(*added) == Some(bytes_asked))
}

impl GatewayRequest {
    /// Returns the name under which the request is stored: that of its conversation or, if it
    /// belongs to none, that of its day in UTC. `None` if it is not stored.
    pub fn storage_name(&self) -> Option<String> {
        match &self.conversation {
            Some(name) => Some(name.clone()),
            None if self.protocol.is_some() => Some(format!("other-{}", utc_day(self.time))),
            None => None,
        }
    }

    /// Returns the US dollars of the bill and of the bill without foveal.
    pub fn billed_and_baseline_dollars(&self) -> Option<(f64, f64)> {
        Some((self.bill?.dollars(), self.without?.dollars()))
    }
}

/// The kind of a request that asks no model for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NonModelRequest {
    /// A request for the token count of a conversation.
    TokenCount,
    /// A refused WebSocket.
    RefusedWebsocket,
}

impl NonModelRequest {
    /// Returns the label for lists.
    pub fn list_label(self) -> &'static str {
        match self {
            Self::TokenCount => "counts tokens",
            Self::RefusedWebsocket => "refused WebSocket",
        }
    }
}

/// The place where a client changed content that it had sent before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientChange {
    /// `model`, `tools`, `system prompt` or `message`.
    pub what: String,
    /// The number of the message, from 1.
    pub message: Option<u64>,
    /// The byte range of the message in the body now; `None` if it is gone.
    pub bytes: Option<(u64, u64)>,
    /// The number of bytes that the message had before.
    pub bytes_before: Option<u64>,
}

impl ClientChange {
    /// Describes the change: `message 3 (bytes 120 to 480, 900 bytes before)`.
    pub fn describe(&self) -> String {
        let Some(message) = self.message else { return self.what.clone() };
        let before = self.bytes_before.unwrap_or_default();
        match self.bytes {
            Some((from, to)) => {
                format!("message {message} (bytes {from} to {to}, {before} bytes before)")
            }
            None => format!("message {message} (removed, {before} bytes before)"),
        }
    }
}

/// The usage as a provider reported it, in tokens; `None` for a missing count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the stored JSON say what they are")]
pub struct ReportedUsage {
    pub uncached: Option<u64>,
    pub cache_read: Option<u64>,
    pub cache_write_5m: Option<u64>,
    pub cache_write_1h: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
}

impl ReportedUsage {
    /// Returns the usage in the form that bills use.
    pub fn to_bill_usage(&self) -> foveal_transcript::Usage {
        let count = Option::unwrap_or_default;
        let hour = count(self.cache_write_1h);
        foveal_transcript::Usage {
            input: count(self.uncached),
            cache_read: count(self.cache_read),
            cache_write: count(self.cache_write_5m) + hour,
            cache_write_hour: hour,
            output: count(self.output),
        }
    }
}

/// A request as it is stored: with the totals of its conversation so far, and the state on which
/// the next bill depends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys of the stored JSON say what they are")]
pub struct StoredRequest {
    #[serde(flatten)]
    pub request: GatewayRequest,
    #[serde(default)]
    pub so_far: ConversationTotals,
    #[serde(default)]
    pub meter: Option<CostMeter>,
    #[serde(default)]
    pub shaped: ShapedResults,
}

/// The replaced results of a request, as far as the stored decisions do not tell them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShapedResults {
    /// The key of the decisions about the conversation.
    pub decided_at: Option<ContentHash>,
    /// The results that this request was the first to reduce.
    pub new: Vec<ShapedResult>,
}

/// A result that was sent reduced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys of the stored JSON say what they are")]
pub struct ShapedResult {
    pub entry: EntryIndex,
    /// The number of its message, from 1.
    pub message: u64,
    pub tool: Option<String>,
    pub tokens: Tokens,
    pub tokens_sent: Tokens,
}

impl From<&RequestReport> for ShapedResults {
    fn from(about: &RequestReport) -> Self {
        let new = about.reductions.iter().map(|reduced| ShapedResult {
            entry: reduced.entry,
            message: reduced.message,
            tool: reduced.tool.clone(),
            tokens: reduced.tokens,
            tokens_sent: reduced.tokens_sent,
        });
        Self { decided_at: about.decided_at, new: new.collect() }
    }
}

/// The totals of a conversation's requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the keys of the stored JSON say what they are")]
pub struct ConversationTotals {
    pub requests: u64,
    pub tokens_asked: u64,
    pub tokens_sent: u64,
    /// US dollars.
    pub cost: f64,
    /// US dollars of the bills without foveal.
    pub without: f64,
}

impl ConversationTotals {
    /// Adds a request, unless it asks no model.
    pub fn add(&mut self, request: &GatewayRequest) {
        if request.beside.is_some() {
            return;
        }
        self.requests += u64::from(request.refresh.is_none());
        self.tokens_asked += request.tokens_asked;
        self.tokens_sent += request.tokens_sent;
        let (cost, without) = request.billed_and_baseline_dollars().unwrap_or_default();
        self.cost += cost;
        self.without += without;
    }
}

/// Parses a record of a gateway session; `None` if it is no request.
fn parse_stored_request(payload: &Value) -> Option<StoredRequest> {
    payload.get("request")?.as_u64()?;
    StoredRequest::deserialize(payload).ok()
}

/// The number of records that are read at once.
const RECORDS_PER_PAGE: usize = 500;

/// Calls `each` with every stored request of a session, in order.
///
/// # Errors
/// If the store cannot be read.
pub fn for_each_request(
    store: &dyn SessionLogStore,
    session: &SessionId,
    each: &mut dyn FnMut(StoredRequest),
) -> Result<(), StoreError> {
    let mut from = RecordNumber(1);
    loop {
        let records = store.records(session, from, RECORDS_PER_PAGE)?;
        let Some(last) = records.last() else { return Ok(()) };
        from = RecordNumber(last.number.0 + 1);
        records
            .iter()
            .filter_map(|record| parse_stored_request(&record.payload))
            .for_each(&mut *each);
        if records.len() < RECORDS_PER_PAGE {
            return Ok(());
        }
    }
}

/// Returns the last request of a session.
///
/// # Errors
/// If the store cannot be read.
pub fn last_request(
    store: &dyn SessionLogStore,
    session: &StoredSession,
) -> Result<Option<StoredRequest>, StoreError> {
    let records = store.records(&session.id, RecordNumber(session.event_count.max(1)), 1)?;
    Ok(records.first().and_then(|record| parse_stored_request(&record.payload)))
}

/// Returns the day of a time in UTC: `2026-11-23`.
fn utc_day(time: i64) -> String {
    let spelled = foveal_session_readers::format_timestamp(foveal_transcript::Timestamp(time));
    spelled.split('T').next().unwrap_or_default().to_owned()
}

fn reported_usage(billed: &BilledUsage) -> ReportedUsage {
    ReportedUsage {
        uncached: billed.uncached,
        cache_read: billed.cache_read,
        cache_write_5m: billed.cache_write_5m,
        cache_write_1h: billed.cache_write_1h,
        output: billed.output,
        reasoning: billed.reasoning,
        cost: billed.cost,
    }
}

fn client_change(departed: &PrefixDivergence) -> ClientChange {
    let is_message = departed.bytes_before.is_some();
    ClientChange {
        what: departed.changed.label().to_owned(),
        message: is_message.then_some(departed.messages + 1),
        bytes: departed.bytes.as_ref().map(|bytes| (bytes.start as u64, bytes.end as u64)),
        bytes_before: departed.bytes_before,
    }
}

/// The status with which the gateway refuses a WebSocket.
const UPGRADE_REQUIRED: u16 = 426;

/// Returns the kind of a request that asks no model for an answer.
fn non_model_request(exchange: &Exchange) -> Option<NonModelRequest> {
    match exchange.purpose {
        Purpose::Count => Some(NonModelRequest::TokenCount),
        Purpose::WebSocket if exchange.status == UPGRADE_REQUIRED => {
            Some(NonModelRequest::RefusedWebsocket)
        }
        Purpose::WebSocket | Purpose::Answer | Purpose::Other => None,
    }
}

/// The cost of a request, and the name of the price card that it was computed with.
pub(crate) struct RequestCharge {
    pub(crate) priced: RequestCosts,
    pub(crate) prices: String,
}

/// Returns the record of a request for the store and for JSON output. Its number within the
/// conversation is still 0.
pub(crate) fn gateway_request(
    exchange: &Exchange,
    charged: Option<RequestCharge>,
) -> GatewayRequest {
    let about = &exchange.report;
    let answered = exchange.response.as_ref();
    let ms = |duration: std::time::Duration| (duration.as_secs_f64() * 1e5).round() / 1e2;
    let priced = charged.as_ref().map(|charged| charged.priced);
    GatewayRequest {
        request: exchange.number,
        time: exchange.time.0,
        protocol: exchange.protocol.map(|protocol| protocol.name().to_owned()),
        refresh: exchange.refresh,
        upstream: exchange.upstream.clone(),
        beside: non_model_request(exchange),
        of_conversation: 0,
        conversation: about.conversation.clone(),
        model: about.model.clone(),
        messages: about.messages,
        tokens_asked: about.tokens_received,
        tokens_sent: about.tokens_sent,
        bytes_asked: exchange.bytes_received,
        bytes_sent: exchange.bytes_sent,
        bytes_answered: exchange.response_bytes,
        marks: about.breakpoints,
        status: exchange.status,
        end: format!("{:?}", exchange.end),
        failed_open: exchange.failed_open.map(|failed| failed.description().to_owned()),
        inactive: about.inactive_reason.clone(),
        rewrite: about.rewrite.map(str::to_owned),
        changed: about.divergence.as_ref().map(client_change),
        billed: answered.map(|answered| reported_usage(&answered.billed)),
        bill: priced.map(|priced| priced.billed),
        without: priced.map(|priced| priced.otherwise),
        prices: charged.map(|charged| charged.prices),
        model_answered: answered.and_then(|answered| answered.model.clone()),
        stop_reason: answered.and_then(|answered| answered.stop_reason.clone()),
        error: answered.and_then(|answered| answered.error.clone()),
        added_ms: ms(exchange.added_latency),
        head_ms: ms(exchange.time_to_head),
        whole_ms: ms(exchange.duration),
    }
}

#[cfg(test)]
mod tests {
    use super::utc_day;

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = [-1, 0, 951_782_400, 951_868_800, 1_795_392_000, 4_107_542_400];
        let named = days.map(|seconds| utc_day(seconds * 1000));
        let expected =
            ["1969-12-31", "1970-01-01", "2000-02-29", "2000-03-01", "2026-11-23", "2100-03-01"];
        assert_eq!(named, expected);
    }
}
