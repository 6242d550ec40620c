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
    #[error("the request asks the provider to drop parts of the prompt itself ({0})")]
    ServerEdits(String),
    #[error("turned off by `x-foveal: off` or by a rule in the settings")]
    SwitchedOff,
    #[error("x-foveal names an unknown profile; use off, {}", PROFILES.join(", "))]
    UnknownProfile,
    #[error("the client requests a summary, which needs the whole conversation")]
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
