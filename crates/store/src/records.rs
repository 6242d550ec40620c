//! What is stored, as values.

use std::fmt;

use foveal_transcript::Handle;
use foveal_transcript::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which session, as its client or its server names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a session is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFacts {
    /// The program that asks, as it names itself.
    pub client: String,
    /// The folders it works in.
    pub roots: Vec<String>,
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
    /// How many records its log of events has.
    pub events: u64,
    /// How much its records take, without the content it refers to.
    pub record_bytes: u64,
    /// How much the content it refers to takes as stored. Others may refer to it too.
    pub content_bytes: u64,
}

/// Content that was taken.
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

/// The two kinds of records that a session appends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Log {
    /// Calls with their results and decisions, as they happened.
    Events,
    /// What the engine decided: a step of the engine each.
    Steps,
}

/// Where a record stands in its log, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordNumber(pub u64);

/// One record of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Where it stands.
    pub number: RecordNumber,
    /// When it was appended.
    pub time: Timestamp,
    /// What it says, without secrets; `null` if it cannot be read.
    pub payload: Value,
}

/// Of which content, for which question and by which curator a curation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CurationKey(pub(crate) [u8; 32]);

impl CurationKey {
    /// The key of what `curator` (its name and version) chooses of `content` for `question`.
    pub fn of(content: &[u8], question: &str, curator: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [content, question.as_bytes(), curator.as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }
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

/// A file that was written, so that it can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The file, as the caller names it.
    pub path: String,
    /// What it held; `None` if it did not exist.
    pub before: Option<Handle>,
    /// What it holds now.
    pub after: Handle,
    /// When.
    pub time: Timestamp,
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
