//! Progress of a model that chooses views, and the listener that receives it.

use serde::{Deserialize, Serialize};

use foveal_transcript::Handle;

/// An event of a model that works on a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurationProgress {
    /// The request was sent, and no output came for a while.
    Waits,
    /// Another part of its thinking.
    Thinks(String),
    /// Another part of its answer.
    Answers(String),
    /// The model finished.
    Chose(Box<CurationRecord>),
    /// The model's answer is not used, for this reason; the fallback applies.
    LeftOut(String),
}

/// The model that chose a view, with its time, tokens and lines.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CurationRecord {
    /// The model, as the user names it.
    pub model: Box<str>,
    /// Milliseconds from the request to the answer.
    pub time_ms: u64,
    /// Tokens of all requests and answers, as billed; 0 if the server does not report them.
    pub tokens: u64,
    /// Lines of the read.
    pub lines: u32,
    /// The number of them that the model chose.
    pub lines_kept: u32,
    /// The handle of its thinking, if it returned any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Handle>,
}

/// Callbacks of a caller that waits for a view.
#[derive(Clone, Copy)]
pub struct ProgressListener<'a> {
    /// Receives each event.
    pub report: &'a (dyn Fn(CurationProgress) + Sync),
    /// Returns whether the caller stopped waiting; no further model is asked then.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl ProgressListener<'_> {
    /// A listener that ignores events and never cancels.
    pub const IGNORED: ProgressListener<'static> =
        ProgressListener { report: &|_| {}, is_cancelled: &|| false };
}

impl std::fmt::Debug for ProgressListener<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgressListener").finish_non_exhaustive()
    }
}
