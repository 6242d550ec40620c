//! How foveal's own agent works.

use foveal_context::retention::strategy::{Sampled, Strategy};

/// What the profile of foveal's own agent may be: nothing is left out with the first, and the last
/// three are strategies of design documents.
pub(crate) const PROFILES: [&str; 8] = [
    foveal_live::rules::OFF,
    "lossless",
    "balanced",
    "curated",
    "max",
    "first-last-sampled",
    "first-last-sampled-max5",
    "content-reset",
];

/// How foveal's own agent works.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AgentSettings {
    /// Files of a project that stand in its system prompt, where there are any.
    pub(crate) base_files: Vec<String>,
    /// By which rules its requests are decided about, where nothing else is said.
    pub(crate) profile: Option<String>,
    /// Limits of the strategies of design documents.
    pub(crate) history: HistoryLimits,
}

/// Limits of the strategies of design documents; what is `None` is as the document has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HistoryLimits {
    /// Most full reads of one file.
    pub(crate) max_file_reads: Option<usize>,
    /// Whether results of old edits stay.
    pub(crate) keep_all_edits: Option<bool>,
    /// Characters of run output beyond which only its ends stay.
    pub(crate) bash_truncate: Option<usize>,
}

impl HistoryLimits {
    /// A strategy with these limits.
    pub(crate) fn of(&self, strategy: Strategy) -> Strategy {
        match strategy {
            Strategy::FirstLastSampled(usual) => Strategy::FirstLastSampled(Sampled {
                file_reads_max: self.max_file_reads.unwrap_or(usual.file_reads_max),
                keeps_edits: self.keep_all_edits.unwrap_or(usual.keeps_edits),
                run_characters_max: self.bash_truncate.unwrap_or(usual.run_characters_max),
                ..usual
            }),
            Strategy::ContentReset(_) => strategy,
        }
    }
}
