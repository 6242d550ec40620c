//! The requests that passed a gateway, as they are kept in the store.

use foveal_context::bill::{Bill, Meter};
use foveal_context::tokens::Tokens;
use foveal_live::request::About;
use foveal_store::{RecordNumber, Session, SessionId, Store, StoreError};
use foveal_transcript::{ContentHash, EntryIndex};
use foveal_wire::body::{MARK, MARK_FOR_AN_HOUR};
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
    /// What it is, where it asks no model for an answer.
    pub(crate) beside: Option<Beside>,
    /// Its number among all that are kept of its conversation, from 1: the one that `foveal show
    /// --request` takes. 0 where nothing is kept of it.
    pub(crate) of_conversation: u64,
    pub(crate) conversation: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) messages: u64,
    pub(crate) tokens_asked: u64,
    pub(crate) tokens_sent: u64,
    pub(crate) bytes_asked: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_answered: u64,
    /// Marks for the provider's cache that foveal set: because the client sets none, or one more at
    /// the end of the latest answer.
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

/// Whether what went is what the client sent, but for marks for the provider's cache. Those of a
/// request are all alike.
pub(crate) fn is_whole(bytes_asked: u64, bytes_sent: u64, marks: u64) -> bool {
    let added = [MARK, MARK_FOR_AN_HOUR].map(|mark| marks * mark.len() as u64);
    added.iter().any(|added| bytes_sent.checked_sub(*added) == Some(bytes_asked))
}

impl Request {
    /// The name under which it is kept: that of its conversation, or, where it belongs to none, that
    /// of the day, in UTC. `None` where nothing is kept of it.
    pub(crate) fn kept_under(&self) -> Option<String> {
        match &self.conversation {
            Some(name) => Some(name.clone()),
            None if self.protocol.is_some() => Some(format!("other-{}", day(self.time))),
            None => None,
        }
    }

    /// US dollars that were billed, and that would have been without foveal.
    pub(crate) fn dollars(&self) -> Option<(f64, f64)> {
        Some((self.bill?.dollars(), self.without?.dollars()))
    }
}

/// A request that asks no model for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Beside {
    /// How many tokens a conversation has.
    TokenCount,
    /// A WebSocket that was refused.
    RefusedWebsocket,
}

impl Beside {
    /// What is said of it in lists.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::TokenCount => "counts tokens",
            Self::RefusedWebsocket => "a WebSocket, refused",
        }
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
    #[serde(default)]
    pub(crate) shaped: ShapedResults,
}

/// What a request sends in place of results, as far as it is not found by the decisions themselves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ShapedResults {
    /// By which the decisions about its conversation are found.
    pub(crate) decided_at: Option<ContentHash>,
    /// Those of which it is the first to send less.
    pub(crate) new: Vec<ShapedResult>,
}

/// A result of which less goes than came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShapedResult {
    pub(crate) entry: EntryIndex,
    /// Its message, from 1.
    pub(crate) message: u64,
    pub(crate) tool: Option<String>,
    pub(crate) tokens: Tokens,
    pub(crate) tokens_sent: Tokens,
}

impl From<&About> for ShapedResults {
    fn from(about: &About) -> Self {
        let new = about.reduced.iter().map(|reduced| ShapedResult {
            entry: reduced.entry,
            message: reduced.message,
            tool: reduced.tool.clone(),
            tokens: reduced.tokens,
            tokens_sent: reduced.tokens_sent,
        });
        Self { decided_at: about.decided_at, new: new.collect() }
    }
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
    /// Adds a request; one that asks no model is none.
    pub(crate) fn add(&mut self, request: &Request) {
        if request.beside.is_some() {
            return;
        }
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

/// The day of a time, in UTC: `2026-11-23`.
fn day(time: i64) -> String {
    let spelled = foveal_wire::spell_timestamp(foveal_transcript::Timestamp(time));
    spelled.split('T').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = [-1, 0, 951_782_400, 951_868_800, 1_795_392_000, 4_107_542_400];
        let named = days.map(|seconds| day(seconds * 1000));
        let expected =
            ["1969-12-31", "1970-01-01", "2000-02-29", "2000-03-01", "2026-11-23", "2100-03-01"];
        assert_eq!(named, expected);
    }
}
