//! Why nothing is done about a request.

use foveal_wire::body::{self, BodyError};

use crate::recorder::Unrecorded;
use crate::rules::PROFILES;

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Inactive {
    #[error("{0}")]
    Body(#[from] BodyError),
    #[error("{0}")]
    Unrecorded(#[from] Unrecorded),
    #[error("{0}")]
    History(body::Inactive),
    #[error("the provider is told to leave out parts of the prompt itself ({0})")]
    ServerEdits(String),
    #[error("it was asked for: x-foveal: off, or a rule in the settings")]
    Wished,
    #[error("x-foveal names no profile; there are off, {}", PROFILES.join(", "))]
    UnknownWish,
    #[error("the client has the conversation summed up, and a summary is made of all of it")]
    Summary,
}

/// The kind of inactivity where decisions cannot be kept.
pub(crate) const UNRECORDED: &str = "unrecorded";

impl Inactive {
    /// The kind of it, in one word: what is counted by.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Body(_) => "unreadable",
            Self::Unrecorded(_) => UNRECORDED,
            Self::History(_) => "history",
            Self::ServerEdits(_) => "server_edits",
            Self::Wished => "wished",
            Self::UnknownWish => "unknown_wish",
            Self::Summary => "summary",
        }
    }
}
