//! The requests that passed a gateway, as records in the store.

use foveal_engine::bill::{Bill, CostMeter};
use foveal_engine::tokens::Tokens;
use foveal_proxy::request::RequestReport;
use foveal_store::{RecordNumber, SessionId, SessionLogStore, StoreError, StoredSession};
use foveal_transcript::{ContentHash, EntryIndex};
use foveal_wire::request_body::{CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Prefix of the names of gateway sessions in the store.
pub(crate) const GATEWAY_SESSION_KIND: &str = "gateway";

/// Returns the session id of a live conversation in the store.
pub(crate) fn gateway_session_id(conversation: &str) -> SessionId {
    SessionId(format!("{GATEWAY_SESSION_KIND} {conversation}"))
}

/// Returns true if a session holds requests of a gateway.
pub(crate) fn is_gateway_session(session: &StoredSession) -> bool {
    session.id.0.split_once(' ').is_some_and(|(kind, _)| kind == GATEWAY_SESSION_KIND)
}

/// One request and its answer, without any content of the conversation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GatewayRequest {
    pub(crate) request: u64,
    pub(crate) time: i64,
    pub(crate) protocol: Option<String>,
    /// For a keep-alive by foveal itself: its number since the last request, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh: Option<u32>,
    pub(crate) upstream: String,
    /// The kind of a request that asks no model for an answer.
    pub(crate) beside: Option<NonModelRequest>,
    /// The number of this record in its conversation, from 1, which `foveal show --request` takes.
    /// 0 if the request is not stored.
    pub(crate) of_conversation: u64,
    pub(crate) conversation: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) messages: u64,
    pub(crate) tokens_asked: u64,
    pub(crate) tokens_sent: u64,
    pub(crate) bytes_asked: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_answered: u64,
    /// The number of cache breakpoints that foveal set: because the client sets none, or one more
    /// at the end of the latest answer.
    pub(crate) marks: u64,
    pub(crate) status: u16,
    pub(crate) end: String,
    pub(crate) failed_open: Option<String>,
    pub(crate) inactive: Option<String>,
    pub(crate) rewrite: Option<String>,
    /// The place where the client changed content that it had sent before.
    pub(crate) changed: Option<ClientChange>,
    /// The usage as the provider reported it.
    pub(crate) billed: Option<ReportedUsage>,
    /// The price card on which dollars are based.
    pub(crate) prices: Option<String>,
    /// The bill, split by cause.
    pub(crate) bill: Option<Bill>,
    /// The bill as it would have been without foveal.
    pub(crate) without: Option<Bill>,
    pub(crate) model_answered: Option<String>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) added_ms: f64,
    pub(crate) head_ms: f64,
    pub(crate) whole_ms: f64,
}

/// Returns true if the sent bytes are the client's, apart from cache breakpoints. All breakpoints
/// of a request have the same form.
pub(crate) fn is_unmodified(bytes_asked: u64, bytes_sent: u64, marks: u64) -> bool {
    let added =
        [CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H].map(|mark| marks * mark.len() as u64);
    added.iter().any(|added| bytes_sent.checked_sub(*added) == Some(bytes_asked))
}

impl GatewayRequest {
    /// Returns the name under which the request is stored: that of its conversation or, if it
    /// belongs to none, that of its day in UTC. `None` if it is not stored.
    pub(crate) fn storage_name(&self) -> Option<String> {
        match &self.conversation {
            Some(name) => Some(name.clone()),
            None if self.protocol.is_some() => Some(format!("other-{}", utc_day(self.time))),
            None => None,
        }
    }

    /// Returns the US dollars of the bill and of the bill without foveal.
    pub(crate) fn billed_and_baseline_dollars(&self) -> Option<(f64, f64)> {
        Some((self.bill?.dollars(), self.without?.dollars()))
    }
}

/// The kind of a request that asks no model for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NonModelRequest {
    /// A request for the token count of a conversation.
    TokenCount,
    /// A refused WebSocket.
    RefusedWebsocket,
}

impl NonModelRequest {
    /// Returns the label for lists.
    pub(crate) fn list_label(self) -> &'static str {
        match self {
            Self::TokenCount => "counts tokens",
            Self::RefusedWebsocket => "a WebSocket, refused",
        }
    }
}

/// The place where a client changed content that it had sent before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClientChange {
    /// `model`, `tools`, `system prompt` or `message`.
    pub(crate) what: String,
    /// The number of the message, from 1.
    pub(crate) message: Option<u64>,
    /// The byte range of the message in the body now; `None` if it is gone.
    pub(crate) bytes: Option<(u64, u64)>,
    /// The number of bytes that the message had before.
    pub(crate) bytes_before: Option<u64>,
}

impl ClientChange {
    /// Describes the change: `message 3 (bytes 120 to 480, 900 bytes before)`.
    pub(crate) fn describe(&self) -> String {
        let Some(message) = self.message else { return self.what.clone() };
        let before = self.bytes_before.unwrap_or_default();
        match self.bytes {
            Some((from, to)) => {
                format!("message {message} (bytes {from} to {to}, {before} bytes before)")
            }
            None => format!("message {message} (left out, {before} bytes before)"),
        }
    }
}

/// The usage as a provider reported it, in tokens; `None` for a missing count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReportedUsage {
    pub(crate) uncached: Option<u64>,
    pub(crate) cache_read: Option<u64>,
    pub(crate) cache_write_5m: Option<u64>,
    pub(crate) cache_write_1h: Option<u64>,
    pub(crate) output: Option<u64>,
    pub(crate) reasoning: Option<u64>,
    /// US dollars.
    pub(crate) cost: Option<f64>,
}

impl ReportedUsage {
    /// Returns the usage in the form that bills use.
    pub(crate) fn to_bill_usage(&self) -> foveal_transcript::Usage {
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
pub(crate) struct StoredRequest {
    #[serde(flatten)]
    pub(crate) request: GatewayRequest,
    #[serde(default)]
    pub(crate) so_far: ConversationTotals,
    #[serde(default)]
    pub(crate) meter: Option<CostMeter>,
    #[serde(default)]
    pub(crate) shaped: ShapedResults,
}

/// The replaced results of a request, as far as the stored decisions do not tell them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ShapedResults {
    /// The key of the decisions about the conversation.
    pub(crate) decided_at: Option<ContentHash>,
    /// The results that this request was the first to reduce.
    pub(crate) new: Vec<ShapedResult>,
}

/// A result that was sent reduced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShapedResult {
    pub(crate) entry: EntryIndex,
    /// The number of its message, from 1.
    pub(crate) message: u64,
    pub(crate) tool: Option<String>,
    pub(crate) tokens: Tokens,
    pub(crate) tokens_sent: Tokens,
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
pub(crate) struct ConversationTotals {
    pub(crate) requests: u64,
    pub(crate) tokens_asked: u64,
    pub(crate) tokens_sent: u64,
    /// US dollars.
    pub(crate) cost: f64,
    /// US dollars of the bills without foveal.
    pub(crate) without: f64,
}

impl ConversationTotals {
    /// Adds a request, unless it asks no model.
    pub(crate) fn add(&mut self, request: &GatewayRequest) {
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
pub(crate) fn for_each_request(
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
pub(crate) fn last_request(
    store: &dyn SessionLogStore,
    session: &StoredSession,
) -> Result<Option<StoredRequest>, StoreError> {
    let records = store.records(&session.id, RecordNumber(session.event_count.max(1)), 1)?;
    Ok(records.first().and_then(|record| parse_stored_request(&record.payload)))
}

/// Returns the day of a time in UTC: `2026-11-23`.
fn utc_day(time: i64) -> String {
    let spelled = foveal_wire::format_timestamp(foveal_transcript::Timestamp(time));
    spelled.split('T').next().unwrap_or_default().to_owned()
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
