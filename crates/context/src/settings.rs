//! Settings of the engine's own profiles.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use foveal_effects::base_name;

use crate::score;
use crate::shaping::gutter::Numbers;
use crate::tokens::Tokens;
use crate::views::{Amount, Wanted};

/// What the engine may do, and how far it may go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Whether what stands above is pointed at. Otherwise every result comes as if it were the first.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub pointers: bool,
    /// Tools whose results come as if they were the first, by name, with or without that of their
    /// server.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tools_without_pointers: BTreeSet<String>,
    /// Smallest block, in bytes of text, that is replaced by a pointer.
    pub pointer_bytes_min: usize,
    /// The same for a block of a file that stands above as lines of another file, or of an unknown
    /// one; also for a read that has the same content as one of another file.
    pub pointer_bytes_min_elsewhere: usize,
    /// Whether results are pointed at the model's own call arguments where these hold the same
    /// text. It stands there as part of a JSON string, one line after the other.
    pub arguments_count: bool,
    /// Which line numbers of a read's gutter are kept.
    pub numbers: Numbers,
    /// Output of runs beyond this many bytes is excerpted; `None`: never.
    pub run_bytes_max: Option<usize>,
    /// Results of searches and lists beyond this many bytes are excerpted; `None`: never.
    pub search_bytes_max: Option<usize>,
    /// Reads beyond this many bytes are excerpted; `None`: never.
    pub read_bytes_max: Option<usize>,
    /// Results whose calls are not there, because whoever sends them keeps the calls back, are
    /// excerpted beyond this many bytes; `None`: never.
    pub unknown_bytes_max: Option<usize>,
    /// Results of calls that neither look at files nor run anything, such as what a sub-agent found,
    /// are excerpted beyond this many bytes; `None`: never.
    pub other_bytes_max: Option<usize>,
    /// Of a line beyond this many bytes head and tail are kept; `None`: all of it.
    pub line_bytes_max: Option<usize>,
    /// Runs of encoded bytes (base64, hexadecimal, control characters) beyond this many bytes
    /// are left out; `None`: never.
    pub encoded_bytes_max: Option<usize>,
    /// When first reads of files are curated; `None`: never. Needs [`Views`] to ask.
    ///
    /// [`Views`]: crate::views::Views
    pub curate: Option<CurateSettings>,
    /// When and how results that were already sent are rewritten; `None`: never.
    pub rewrite: Option<RewriteSettings>,
    /// Whether answers of foveal's own tools are shaped: for callers whose tools do not do it
    /// themselves. Else they stay as they are until they are old.
    #[serde(default)]
    pub shapes_own: bool,
}

/// When first reads of files are curated as they arrive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurateSettings {
    /// Reads of fewer lines are shown in full.
    pub lines_min: u32,
    /// How much is kept of others.
    pub amount: Amount,
    /// Share of the lines' bytes that must be saved, from 0 to 1; else all is shown.
    pub saving_min: f64,
    /// Whether files are curated again that the conversation knows already.
    pub again: bool,
}

/// What old reads are rewritten to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OldReads {
    /// Reads of fewer lines are outlined.
    pub lines_min: u32,
    /// What others become.
    pub wanted: Wanted,
}

/// When results that were already sent are rewritten, and which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RewriteSettings {
    /// Above this many tokens a rewrite is due whatever it costs.
    pub high: Tokens,
    /// A rewrite that is due for size goes on until the prompt is below this.
    pub low: Tokens,
    /// Results of the last so many requests are never rewritten.
    pub recent_requests: u32,
    /// Weights of the expected use of a result; see [`crate::score`].
    pub weights: [f64; score::FEATURES],
    /// A result is dead weight when fewer uses than this are expected of a thousand of its
    /// tokens.
    pub uses_min: f64,
    /// Factor on `uses_min` at moments when rewriting is free.
    pub free_factor: f64,
    /// The same where nothing is ever cached: every request is such a moment, and drops what those
    /// before it have left.
    pub uncached_factor: f64,
    /// There, of all uses that are expected of results, the share (0 to 1) that those may have of
    /// which less goes: what may be missed is the bound, not what it costs.
    pub loss_max: f64,
    /// Results, and texts of edits, smaller than this are left alone.
    pub tokens_min: Tokens,
    /// Share of the rewrite's cost that the carried dead weight must have reached.
    pub rental: f64,
    /// How the model's own edits are told in a few words; `None`: never.
    pub edits: Option<EditSettings>,
    /// What reads are rewritten to where [`Views`] can be asked; `None`: to an outline.
    ///
    /// [`Views`]: crate::views::Views
    pub old_reads: Option<OldReads>,
    /// Which results are reduced soon after the model has seen them; `None`: none before they are
    /// old.
    #[serde(default)]
    pub look_once: Option<LookOnce>,
}

/// Which results are reduced soon after the model has seen them; see [`crate::look_once`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookOnce {
    /// Requests that show output of commands, listings and echoes of edits before they go.
    pub runs_after: u32,
    /// The same of hits.
    pub searches_after: u32,
    /// The same of files; `None`: they wait until they are old. No profile has it: it is there to be
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<ReadsOnce>,
    /// Requests that are expected to follow.
    pub horizon: u32,
}

/// Which files that were shown are reduced soon after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadsOnce {
    /// Requests that show them before they go.
    pub after: u32,
    /// They go when fewer uses than this are expected of a thousand of their tokens.
    pub uses_min: f64,
}

/// When the texts of the model's own edits are dead weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EditSettings {
    /// Factor on the expected uses of what an edit took out of a file.
    pub old_factor: f64,
    /// Factor on the expected uses of what it put there.
    pub new_factor: f64,
}

impl Settings {
    /// The same, with no pointer from the lines of a file to those of another or of an unknown one.
    #[must_use]
    pub fn within_files(self) -> Self {
        Self { pointer_bytes_min_elsewhere: usize::MAX, ..self }
    }

    /// The same, with no pointer to what stands above.
    #[must_use]
    pub fn without_pointers(self) -> Self {
        Self { pointers: false, ..self }
    }

    /// Whether a result of this tool may be pointed from.
    pub(crate) fn points_in(&self, tool: &str) -> bool {
        let off = &self.tools_without_pointers;
        self.pointers && !off.contains(tool) && !off.contains(base_name(tool))
    }

    /// Whether any results are reduced soon after the model has seen them.
    pub fn looks_once(&self) -> bool {
        self.rewrite.as_ref().is_some_and(|rewrite| rewrite.look_once.is_some())
    }

    /// Everything visible stays visible somewhere in the prompt.
    pub fn lossless() -> Self {
        Self {
            pointers: true,
            tools_without_pointers: BTreeSet::new(),
            pointer_bytes_min: 80,
            pointer_bytes_min_elsewhere: 100,
            arguments_count: false,
            numbers: Numbers::All,
            run_bytes_max: None,
            search_bytes_max: None,
            read_bytes_max: None,
            unknown_bytes_max: None,
            other_bytes_max: None,
            line_bytes_max: None,
            encoded_bytes_max: None,
            curate: None,
            rewrite: None,
            shapes_own: false,
        }
    }

    /// The default: cheaper than lossless, with hardly anything missed.
    pub fn balanced() -> Self {
        Self {
            numbers: Numbers::Every(10),
            run_bytes_max: Some(4_000),
            search_bytes_max: Some(4_000),
            line_bytes_max: Some(1_000),
            encoded_bytes_max: Some(200),
            rewrite: Some(RewriteSettings {
                high: Tokens(150_000),
                low: Tokens(90_000),
                recent_requests: 4,
                weights: score::WEIGHTS,
                uses_min: 0.0028,
                free_factor: 8.0,
                uncached_factor: 8.0,
                loss_max: 0.05,
                tokens_min: Tokens(100),
                rental: 1.2,
                edits: None,
                old_reads: summaries(Tokens(200)),
                look_once: Some(LookOnce {
                    runs_after: 1,
                    searches_after: 2,
                    reads: None,
                    horizon: 20,
                }),
            }),
            ..Self::lossless()
        }
    }

    /// As balanced, with long files curated when they are first read.
    pub fn curated() -> Self {
        Self {
            curate: Some(CurateSettings {
                lines_min: 500,
                amount: Amount::Adaptive,
                saving_min: 0.1,
                again: false,
            }),
            ..Self::balanced()
        }
    }

    /// As cheap as it gets while most of what is needed stays.
    pub fn max() -> Self {
        Self {
            arguments_count: true,
            numbers: Numbers::Every(10),
            run_bytes_max: Some(1_200),
            search_bytes_max: Some(1_200),
            line_bytes_max: Some(1_000),
            encoded_bytes_max: Some(200),
            rewrite: Some(RewriteSettings {
                high: Tokens(100_000),
                low: Tokens(50_000),
                recent_requests: 4,
                weights: score::WEIGHTS,
                uses_min: 0.035,
                free_factor: 4.0,
                uncached_factor: 0.4,
                loss_max: 0.3,
                tokens_min: Tokens(40),
                rental: 3.0,
                edits: Some(EditSettings { old_factor: 0.1, new_factor: 15.0 }),
                old_reads: summaries(Tokens(100)),
                look_once: Some(LookOnce {
                    runs_after: 1,
                    searches_after: 2,
                    reads: None,
                    horizon: 2,
                }),
            }),
            ..Self::lossless()
        }
    }
}

fn yes() -> bool {
    true
}

fn is_yes(flag: &bool) -> bool {
    *flag
}

/// Old reads are told in so many tokens.
fn summaries(most: Tokens) -> Option<OldReads> {
    Some(OldReads { lines_min: 1, wanted: Wanted::Summary(most) })
}
