//! What is stored, as values.

use std::borrow::Cow;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::keys::{CallNumber, Moment, RecordNumber, SessionId};

/// What a session is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The folders it works in.
    pub roots: Vec<String>,
    /// The file in which its agent records it, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// A session as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Which one.
    pub id: SessionId,
    /// What it is about; nothing is said if that cannot be read.
    pub facts: SessionFacts,
    /// When it was first opened.
    pub started: Timestamp,
    /// When something was last stored for it.
    pub used: Timestamp,
    /// Kept whatever its age and size.
    pub pinned: bool,
    /// How many records its log has.
    pub events: u64,
    /// How much its records take, without the content it refers to.
    pub record_bytes: u64,
    /// How much the content it refers to takes as stored. Others may refer to it too.
    pub content_bytes: u64,
}

/// What was decided about one request of a conversation that a client sends whole each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The hash of the conversation up to the end of the request.
    pub end: ContentHash,
    /// The same of the request before it that it continues; of one that continues none, a hash
    /// that no request ends with.
    pub before: ContentHash,
    /// What was decided, as JSON.
    pub decided: String,
}

/// Content to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContent<'c> {
    /// The hash of the original.
    pub hash: ContentHash,
    /// What is stored: the original, or the same without its secrets.
    pub bytes: Cow<'c, [u8]>,
    /// How many secrets were removed.
    pub secrets: u32,
}

/// The contents that a turn leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut<'c> {
    /// Those that are stored or ready to be, as
    /// [`Store::contents_known`](crate::Store::contents_known) says.
    pub known: Vec<ContentHash>,
    /// The others.
    pub new: Vec<NewContent<'c>>,
}

/// Content that was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// The handle of the original, with its secrets.
    pub handle: Handle,
    /// How many secrets were left out of what is stored.
    pub secrets: u32,
}

/// Content as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The original, with `[secret removed: KIND]` in place of each secret.
    pub bytes: Vec<u8>,
    /// How many secrets were left out. Unless 0, these are not the bytes of the original, and
    /// must not be written to a file as if they were.
    pub secrets: u32,
}

/// One record of a session's log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its position.
    pub number: RecordNumber,
    /// When it was appended.
    pub time: Timestamp,
    /// What it says, without secrets; `null` if it cannot be read.
    pub payload: Value,
}

/// A part of a conversation that is taken up again later.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it says.
    pub payload: Value,
    /// What in it goes back to its provider byte for byte; `None` for what was left out, because
    /// there was a secret in it.
    pub sealed: Vec<Option<Sealed>>,
    /// Whether no secret was left out of what it says.
    pub is_whole: bool,
}

/// JSON that goes back to the provider it came from byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Byte for byte.
    pub json: String,
    /// The values in it that only the provider can read: signatures, what is encrypted. They may
    /// look like secrets and are none of anybody's. Not kept apart.
    pub closed: Vec<String>,
}

/// A message as it was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its position.
    pub number: RecordNumber,
    /// When it was appended.
    pub time: Timestamp,
    /// The message; `None` if it cannot be read.
    pub message: Option<Message>,
}

/// A call that may answer a later one.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Which one.
    pub number: CallNumber,
    /// What was asked, what it answered and what that depends on.
    pub payload: Value,
}

/// The recent calls of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct CallHistory {
    /// What is known of the session's calls as a whole.
    pub state: Value,
    /// The calls, the oldest first. Those that cannot be read are missing.
    pub calls: Vec<Call>,
}

/// What changed in the recent calls of a session. The default forgets all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallChanges {
    /// What is known of the session's calls as a whole; `None`: nothing any more.
    pub state: Option<Value>,
    /// Calls that are new, or were changed.
    pub calls: Vec<Call>,
    /// All calls that remain, those of `calls` among them. Others are removed.
    pub remaining: Vec<CallNumber>,
}

/// A page that was fetched, and how long it may be taken for fresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// The address that was asked for.
    pub url: String,
    /// The address that answered, after redirects.
    pub final_url: String,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `ETag`, byte for byte.
    pub etag: Option<String>,
    /// `Last-Modified`, as it was sent.
    pub last_modified: Option<String>,
    /// Until when it need not be asked for again.
    pub expires: Option<Timestamp>,
    /// When it was fetched or last found unchanged.
    pub checked: Timestamp,
    /// What it said.
    pub body: Handle,
}

/// A change of a file, so that it can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The file, as the caller names it.
    pub path: String,
    /// What it held; `None`: there was no file.
    pub before: Option<Handle>,
    /// What it holds now; `None`: there is no file.
    pub after: Option<Handle>,
    /// When.
    pub time: Timestamp,
}

/// What the person allowed for good: a tool and what it may touch, word for word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grant {
    /// The tool.
    pub tool: String,
    /// The path, command or address.
    pub subject: String,
}

/// What is noted at some places of who is sent the answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readers {
    /// The last note of all, at whatever place.
    pub last: Moment,
    /// Who asked last.
    pub reader: Option<String>,
    /// When a prompt was last cut.
    pub cut: Moment,
}

/// What the model itself made of a file, with a tool that is not ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnEdit {
    /// What the file held before, at the start and between its changes.
    pub before: Vec<ContentHash>,
    /// What it held afterwards.
    pub after: ContentHash,
    /// Lines of that which the model wrote from end to end, from 1, both ends included.
    pub lines: Vec<(u32, u32)>,
    /// Whether it wrote all of it.
    pub is_whole: bool,
}

/// An own edit as it was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedEdit {
    /// The file, from the root of the file system on.
    pub path: String,
    /// What was made of it.
    pub edit: OwnEdit,
    /// Later than every such note before.
    pub noted: Moment,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of content and records as stored, all sessions together.
    pub bytes_max: u64,
    /// How long what is not used is kept, in milliseconds.
    pub age_max_ms: i64,
}

/// What a collection removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Sessions with all their records.
    pub sessions: u64,
    /// Contents; their handles resolve no more.
    pub contents: u64,
    /// Pages and curations.
    pub cached: u64,
    /// Bytes of content and records that are left; above the limit only where pinned sessions
    /// hold them.
    pub bytes_left: u64,
}
