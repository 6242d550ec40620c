//! The reasons why a request is passed on unchanged.

use foveal_protocols::request_body::{self, BodyError};

use crate::recorder::RecorderError;
use crate::rules::PROFILES;

/// The reason why a request was not shaped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InactiveReason {
    #[error("{0}")]
    Body(#[from] BodyError),
    #[error("{0}")]
    RecorderFailed(#[from] RecorderError),
    #[error("{0}")]
    History(request_body::PassThroughReason),
    #[error("the provider is told to leave out parts of the prompt itself ({0})")]
    ServerEdits(String),
    #[error("it was asked for: x-foveal: off, or a rule in the settings")]
    SwitchedOff,
    #[error("x-foveal names no profile; there are off, {}", PROFILES.join(", "))]
    UnknownProfile,
    #[error("the client has the conversation summed up, and a summary is made of all of it")]
    Summary,
}

/// The kind of the reason that decisions cannot be recorded.
pub(crate) const RECORDER_FAILED_KIND: &str = "unrecorded";

impl InactiveReason {
    /// Returns the kind of the reason in one word, by which figures count it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Body(_) => "unreadable",
            Self::RecorderFailed(_) => RECORDER_FAILED_KIND,
            Self::History(_) => "history",
            Self::ServerEdits(_) => "server_edits",
            Self::SwitchedOff => "wished",
            Self::UnknownProfile => "unknown_wish",
            Self::Summary => "summary",
        }
    }
}
