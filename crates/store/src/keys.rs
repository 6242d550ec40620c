//! The keys of stored records.

use std::fmt;
use std::path::Path;

use foveal_transcript::Handle;
use serde::{Deserialize, Serialize};

/// The name of a session, given by its client or its server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionId(pub String);

impl SessionId {
    /// Splits the id into its kind, such as `shell` or the name of a hook's agent, and its name.
    /// Ids without a kind are names.
    pub fn kind_and_name(&self) -> (Option<&str>, &str) {
        match self.0.split_once(' ') {
            Some((kind, name)) => (Some(kind), name),
            None => (None, &self.0),
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The position of a record in the log of its session, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordNumber(pub u64);

/// The number of a call among the recent calls of its session. Later calls have larger numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallNumber(pub u64);

/// The key of a curation: content, question and curator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CurationKey(pub(crate) [u8; 32]);

impl CurationKey {
    /// Creates the key of the curation that `curator` (name and version) makes of `content` for
    /// `question`.
    pub fn new(content: &[u8], question: &str, curator: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [content, question.as_bytes(), curator.as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }
}

/// The key of a page: a hash of the complete URL, so that URLs that differ only in a secret have
/// different keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageKey(pub(crate) [u8; 32]);

impl PageKey {
    /// Creates the key of the page at `url`.
    pub fn from_url(url: &str) -> Self {
        Self(*blake3::hash(url.as_bytes()).as_bytes())
    }
}

/// The key of the roots that a grant holds for. The same path means another file in other roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RootsKey(pub(crate) Handle);

impl RootsKey {
    /// Creates the key of these roots in this order.
    pub fn from_roots<'p>(roots: impl IntoIterator<Item = &'p Path>) -> Self {
        let paths: Vec<&[u8]> =
            roots.into_iter().map(|root| root.as_os_str().as_encoded_bytes()).collect();
        Self(Handle::from_content(&paths.join(&0)))
    }
}

/// The key of a folder, as its path is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FolderKey(pub(crate) Handle);

impl FolderKey {
    /// Creates the key of `folder`.
    pub fn from_path(folder: &Path) -> Self {
        Self(Handle::from_content(folder.as_os_str().as_encoded_bytes()))
    }
}

/// The scope of a note on readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FolderScope {
    /// Sessions in the folder or below it.
    Subtree,
    /// Sessions in the folder itself.
    FolderOnly,
}

/// The key of a note on readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReaderNoteKey {
    /// The folder.
    pub folder: FolderKey,
    /// The scope of the note.
    pub scope: FolderScope,
}

/// The time of a note in milliseconds, always later than every earlier note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoteTime(pub i64);
