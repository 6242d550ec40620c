//! What stored things are found by.

use std::fmt;
use std::path::Path;

use foveal_transcript::Handle;
use serde::{Deserialize, Serialize};

/// Which session, as its client or its server names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The position of a record in its session's log, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordNumber(pub u64);

/// A call among the recent calls of its session; later calls have larger numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallNumber(pub u64);

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

/// Which page: a hash of its whole address, so that addresses that differ in a secret differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FetchKey(pub(crate) [u8; 32]);

impl FetchKey {
    /// The key of the page at `url`.
    pub fn of(url: &str) -> Self {
        Self(*blake3::hash(url.as_bytes()).as_bytes())
    }
}

/// For which roots a grant is: a path is another file in other roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RootsKey(pub(crate) Handle);

impl RootsKey {
    /// The key of these roots in this order.
    pub fn of<'p>(roots: impl IntoIterator<Item = &'p Path>) -> Self {
        let paths: Vec<&[u8]> =
            roots.into_iter().map(|root| root.as_os_str().as_encoded_bytes()).collect();
        Self(Handle::of(&paths.join(&0)))
    }
}

/// A folder, as it is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FolderKey(pub(crate) Handle);

impl FolderKey {
    /// The key of `folder`.
    pub fn of(folder: &Path) -> Self {
        Self(Handle::of(folder.as_os_str().as_encoded_bytes()))
    }
}

/// Whom a note on readers is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Who works in the folder, or below it.
    Below,
    /// Who works in the folder itself.
    At,
}

/// Where a note on readers is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReaderPlace {
    /// The folder.
    pub folder: FolderKey,
    /// Whom the note is for.
    pub reach: Reach,
}

/// Orders notes on readers: milliseconds, but later than every note before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);
