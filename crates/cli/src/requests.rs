//! The requests that passed a gateway, as they are kept in the store.

use foveal_context::bill::{Bill, Meter};
use foveal_store::{RecordNumber, Session, SessionId, Store, StoreError};
use foveal_wire::body::MARK;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the names of a gateway's sessions in the store begin with.
pub(crate) const KIND: &str = "gateway";

/// The session in the store of a live conversation.
pub(crate) fn session(conversation: &str) -> SessionId {
    SessionId(format!("{KIND} {conversation}"))
}

/// Whether a session holds what passed a gateway.
pub(crate) fn is_of_gateway(session: &Session) -> bool {
    session.id.0.split_once(' ').is_some_and(|(kind, _)| kind == KIND)
}

/// One request and its answer. Nothing in it was said in the conversation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Request {
    pub(crate) request: u64,
    pub(crate) time: i64,
    pub(crate) protocol: Option<String>,
    /// Which refresh since the last request it is, counted from 1, where foveal itself asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refresh: Option<u32>,
    pub(crate) upstream: String,
    pub(crate) conversation: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) messages: u64,
    pub(crate) tokens_asked: u64,
    pub(crate) tokens_sent: u64,
    pub(crate) bytes_asked: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_answered: u64,
    /// Marks for the provider's cache that foveal set, because the client sets none.
    pub(crate) marks: u64,
    pub(crate) status: u16,
    pub(crate) end: String,
    pub(crate) failed_open: Option<String>,
    pub(crate) inactive: Option<String>,
    pub(crate) rewrite: Option<String>,
    /// Where the client changed what it had sent before.
    pub(crate) changed: Option<Change>,
    /// What the provider said it billed.
    pub(crate) billed: Option<Usage>,
    /// The price card that dollars are of.
    pub(crate) prices: Option<String>,
    /// What was billed, split by why.
    pub(crate) bill: Option<Bill>,
    /// What would have been billed without foveal.
    pub(crate) without: Option<Bill>,
    pub(crate) model_answered: Option<String>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) added_ms: f64,
    pub(crate) head_ms: f64,
    pub(crate) whole_ms: f64,
}

/// Whether what went is what the client sent, but for marks for the provider's cache.
pub(crate) fn is_whole(bytes_asked: u64, bytes_sent: u64, marks: u64) -> bool {
    bytes_sent.checked_sub(marks * MARK.len() as u64) == Some(bytes_asked)
}

impl Request {
    /// US dollars that were billed, and that would have been without foveal.
    pub(crate) fn dollars(&self) -> Option<(f64, f64)> {
        Some((self.bill?.dollars(), self.without?.dollars()))
    }
}

/// Where a client changed what it had sent before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Change {
    /// `model`, `tools`, `system prompt` or `message`.
    pub(crate) what: String,
    /// The message, from 1.
    pub(crate) message: Option<u64>,
    /// The bytes of the body in which it stands now.
    pub(crate) bytes: Option<(u64, u64)>,
    /// How many bytes it had before.
    pub(crate) bytes_before: Option<u64>,
}

impl Change {
    /// In a few words: `message 3 (bytes 120 to 480, 900 before)`.
    pub(crate) fn words(&self) -> String {
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

/// What a provider said it billed, in tokens; `None`: it did not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) uncached: Option<u64>,
    pub(crate) cache_read: Option<u64>,
    pub(crate) cache_write_5m: Option<u64>,
    pub(crate) cache_write_1h: Option<u64>,
    pub(crate) output: Option<u64>,
    pub(crate) reasoning: Option<u64>,
    /// US dollars.
    pub(crate) cost: Option<f64>,
}

impl Usage {
    /// The same as bills have it.
    pub(crate) fn usage(&self) -> foveal_transcript::Usage {
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

/// A request as it is kept: with what the conversation cost so far, and what the next one's bill
/// depends on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(flatten)]
    pub(crate) request: Request,
    #[serde(default)]
    pub(crate) so_far: Sum,
    #[serde(default)]
    pub(crate) meter: Option<Meter>,
}

/// What the requests of a conversation came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Sum {
    pub(crate) requests: u64,
    pub(crate) tokens_asked: u64,
    pub(crate) tokens_sent: u64,
    /// US dollars.
    pub(crate) cost: f64,
    /// US dollars that it would have cost without foveal.
    pub(crate) without: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, request: &Request) {
        self.requests += u64::from(request.refresh.is_none());
        self.tokens_asked += request.tokens_asked;
        self.tokens_sent += request.tokens_sent;
        let (cost, without) = request.dollars().unwrap_or_default();
        self.cost += cost;
        self.without += without;
    }
}

/// What a record of a gateway's session says; `None` where it is none of a request.
fn kept(payload: &Value) -> Option<Kept> {
    payload.get("request")?.as_u64()?;
    Kept::deserialize(payload).ok()
}

/// Records that are read at a time.
const PAGE: usize = 500;

/// Gives each request of a session that is kept to `each`, in order.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn each(
    store: &dyn Store,
    session: &SessionId,
    each: &mut dyn FnMut(Kept),
) -> Result<(), StoreError> {
    let mut from = RecordNumber(1);
    loop {
        let records = store.records(session, from, PAGE)?;
        let Some(last) = records.last() else { return Ok(()) };
        from = RecordNumber(last.number.0 + 1);
        records.iter().filter_map(|record| kept(&record.payload)).for_each(&mut *each);
        if records.len() < PAGE {
            return Ok(());
        }
    }
}

/// The last request of a session.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn last(store: &dyn Store, session: &Session) -> Result<Option<Kept>, StoreError> {
    let records = store.records(&session.id, RecordNumber(session.events.max(1)), 1)?;
    Ok(records.first().and_then(|record| kept(&record.payload)))
}
