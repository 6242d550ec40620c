//! Stored records as values.

use std::borrow::Cow;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::keys::{CallNumber, NoteTime, RecordNumber, SessionId};

/// The roots and the transcript of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMetadata {
    /// The folders that the session works in.
    pub roots: Vec<String>,
    /// The file in which the agent records the session, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// A session in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The name of the session.
    pub id: SessionId,
    /// The metadata of the session. Empty if it cannot be read.
    pub metadata: SessionMetadata,
    /// The time at which the session was first opened.
    pub started: Timestamp,
    /// The time of the last write for the session.
    pub last_used: Timestamp,
    /// Whether the session is kept regardless of age and size.
    pub pinned: bool,
    /// The number of records in the log of the session.
    pub event_count: u64,
    /// The size of the records in bytes, without the content that the session refers to.
    pub record_bytes: u64,
    /// The stored size of the referenced content in bytes. Other sessions may refer to the same
    /// content.
    pub content_bytes: u64,
}

/// The decision about one request of a conversation that a client sends whole each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    /// The hash of the conversation up to the end of the request.
    pub end_hash: ContentHash,
    /// The end hash of the request that this one continues. For a first request, a hash with which
    /// no request ends.
    pub previous_hash: ContentHash,
    /// The decision, as JSON.
    pub decision: String,
}

/// Content to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContent<'c> {
    /// The hash of the original.
    pub hash: ContentHash,
    /// The original, or the original without its secrets.
    pub bytes: Cow<'c, [u8]>,
    /// The number of removed secrets.
    pub secrets: u32,
}

/// The contents that a turn omits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OmittedContents<'c> {
    /// The contents that are stored or prepared, as returned by
    /// [`DecisionStore::known_contents`](crate::DecisionStore::known_contents).
    pub known: Vec<ContentHash>,
    /// The other contents.
    pub new: Vec<NewContent<'c>>,
}

/// The acknowledgement of stored content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentReceipt {
    /// The handle of the original, with its secrets.
    pub handle: Handle,
    /// The number of secrets missing from the stored content.
    pub secrets: u32,
}

/// Content as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredContent {
    /// The original, with `[secret removed: KIND]` in place of each secret.
    pub bytes: Vec<u8>,
    /// The number of removed secrets. Unless it is 0, the bytes differ from the original and must
    /// not be written to a file as the original.
    pub secrets: u32,
}

/// One record of a session's log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    /// The position of the record.
    pub number: RecordNumber,
    /// The time at which the record was appended.
    pub time: Timestamp,
    /// The payload without secrets. `null` if it cannot be read.
    pub payload: Value,
}

/// A message of a conversation that can be resumed.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMessage {
    /// The content of the message, without its sealed parts.
    pub payload: Value,
    /// The parts that return to their provider byte for byte. `None` stands for a part that was
    /// omitted because it contains a secret.
    pub sealed: Vec<Option<SealedJson>>,
    /// Whether no secret was removed from the payload.
    pub is_unredacted: bool,
}

/// JSON that returns byte for byte to the provider that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedJson {
    /// The exact text.
    pub json: String,
    /// The values that only the provider can read, such as signatures and encrypted content. They
    /// may look like secrets, but are none. They are not stored separately.
    pub opaque_values: Vec<String>,
}

/// A message in the log of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRecord {
    /// The position of the message.
    pub number: RecordNumber,
    /// The time at which the message was appended.
    pub time: Timestamp,
    /// The message. `None` if it cannot be read.
    pub message: Option<StoredMessage>,
}

/// A call that may answer a later one.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentCall {
    /// The number of the call.
    pub number: CallNumber,
    /// The request, the answer and the state that the answer depends on.
    pub payload: Value,
}

/// The recent calls of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct CallHistory {
    /// The state that the calls share.
    pub state: Value,
    /// The calls, the oldest first, without those that cannot be read.
    pub calls: Vec<RecentCall>,
}

/// A change of the recent calls of a session. The default value removes all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallChanges {
    /// The new shared state. `None` removes it.
    pub state: Option<Value>,
    /// New and changed calls.
    pub calls: Vec<RecentCall>,
    /// All calls that remain, including `calls`. The others are removed.
    pub remaining: Vec<CallNumber>,
}

/// A fetched page with its freshness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedPage {
    /// The requested URL.
    pub url: String,
    /// The URL that answered, after redirects.
    pub final_url: String,
    /// The HTTP status.
    pub status: u16,
    /// The `StoredContent-Type` header.
    pub content_type: Option<String>,
    /// The `ETag` header, byte for byte.
    pub etag: Option<String>,
    /// The `Last-Modified` header, as received.
    pub last_modified: Option<String>,
    /// The time until which the page is fresh.
    pub expires: Option<Timestamp>,
    /// The time at which the page was fetched or last found unchanged.
    pub checked: Timestamp,
    /// The handle of the body.
    pub body: Handle,
}

/// A change of a file that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWrite {
    /// The file, as the caller names it.
    pub path: String,
    /// The content before. `None` if there was no file.
    pub before: Option<Handle>,
    /// The content after. `None` if the file was removed.
    pub after: Option<Handle>,
    /// The time of the write.
    pub time: Timestamp,
}

/// A permission that the user gave for good: a tool and its subject, word for word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grant {
    /// The tool.
    pub tool: String,
    /// The path, the command or the URL.
    pub subject: String,
}

/// The combined notes on readers of several folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReaderNotes {
    /// The time of the last note of all, in any folder.
    pub last: NoteTime,
    /// The reader of the last request.
    pub reader: Option<String>,
    /// The time at which a prompt last lost content.
    pub prompt_cut: NoteTime,
}

/// An edit that the model made with a tool of the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientEdit {
    /// The hashes of the file before the edit and between its changes.
    pub before: Vec<ContentHash>,
    /// The hash of the file after the edit.
    pub after: ContentHash,
    /// The line ranges of the new content that the model wrote completely, from 1, ends included.
    pub lines: Vec<(u32, u32)>,
    /// Whether the model wrote the whole file.
    pub is_whole: bool,
}

/// The author of an edit with a tool of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditAuthor<'a> {
    /// The client's session.
    pub session: &'a str,
    /// The reader that belongs to the session.
    pub reader: &'a str,
}

/// A recorded edit of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientEditNote {
    /// The absolute path of the file.
    pub path: String,
    /// The edit.
    pub edit: ClientEdit,
    /// The time of the note, later than every earlier one.
    pub noted: NoteTime,
}

/// The limits of retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLimits {
    /// The stored bytes of contents and records of all sessions together.
    pub bytes_max: u64,
    /// The retention time of unused data, in milliseconds.
    pub age_max_ms: i64,
}

/// The totals of a garbage collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CollectionTotals {
    /// Removed sessions, with all their records.
    pub sessions: u64,
    /// Removed contents. Their handles no longer resolve.
    pub contents: u64,
    /// Removed pages and curations.
    pub cached: u64,
    /// The bytes of contents and records that remain. Above the limit only if pinned sessions hold
    /// them.
    pub bytes_left: u64,
}
