//! Settings of the engine's own profiles.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::base_tool_name;

use crate::reuse_score;
use crate::shaping::gutter::GutterNumbers;
use crate::views::{CurationAmount, ViewRequest};

/// The reductions that the engine may make, with their limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Whether pointers refer to content above. Otherwise every result is sent as if it were the
    /// first.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub pointers: bool,
    /// Tools whose results are sent as if they were the first, by name, with or without the
    /// server's prefix.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tools_without_pointers: BTreeSet<String>,
    /// Smallest block that a pointer replaces, in bytes of text.
    pub pointer_bytes_min: usize,
    /// Smallest block that a pointer replaces if it stands above as lines of another or an unknown
    /// file; also for a read whose content equals one of another file.
    pub pointer_bytes_min_elsewhere: usize,
    /// Whether pointers may refer to the model's own call arguments, where the text stands in a
    /// JSON string, line by line.
    pub arguments_count: bool,
    /// Whether JSON loses its white space and tables their padding in output that is certainly no
    /// file's text.
    #[serde(default)]
    pub compacts_layout: bool,
    /// The line numbers of a read's gutter that are kept.
    pub numbers: GutterNumbers,
    /// Output of runs beyond this many bytes is excerpted; `None`: never.
    pub run_bytes_max: Option<usize>,
    /// Results of searches and lists beyond this many bytes are excerpted; `None`: never.
    pub search_bytes_max: Option<usize>,
    /// Reads beyond this many bytes are excerpted; `None`: never.
    pub read_bytes_max: Option<usize>,
    /// Results without a known call, which some clients withhold, are excerpted beyond this many
    /// bytes; `None`: never.
    pub unknown_bytes_max: Option<usize>,
    /// Results of calls that neither look at files nor run anything, such as reports of sub-agents,
    /// are excerpted beyond this many bytes; `None`: never.
    pub other_bytes_max: Option<usize>,
    /// Lines beyond this many bytes keep head and tail; `None`: all of the line.
    pub line_bytes_max: Option<usize>,
    /// Runs of encoded bytes (base64, hexadecimal, control characters) beyond this many bytes are
    /// omitted; `None`: never.
    pub encoded_bytes_max: Option<usize>,
    /// Settings for the curation of first reads; `None`: never. Curation needs [`ViewSource`].
    ///
    /// [`ViewSource`]: crate::views::ViewSource
    pub curate: Option<CurateSettings>,
    /// Settings for rewrites of results that were already sent; `None`: never.
    pub rewrite: Option<RewriteSettings>,
    /// Whether results of foveal's own tools are shaped: for callers whose tools do not shape them.
    /// Otherwise they stay unchanged until they are old.
    #[serde(default)]
    pub shapes_own: bool,
}

/// Settings for the curation of first reads on arrival.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurateSettings {
    /// Reads with fewer lines are shown in full.
    pub lines_min: u32,
    /// The share of other reads that is kept.
    pub amount: CurationAmount,
    /// Smallest saving as a share of the lines' bytes, from 0 to 1; otherwise all is shown.
    pub saving_min: f64,
    /// Whether files that the conversation already knows are curated again.
    pub again: bool,
    /// Whether a note states the shown share; false for callers whose headings state it.
    #[serde(default)]
    pub states_share: bool,
}

/// Settings for the rewrite of old reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OldReadSettings {
    /// Reads with fewer lines become outlines.
    pub lines_min: u32,
    /// The form of all other reads.
    pub wanted: ViewRequest,
}

/// Settings for rewrites of results that were already sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RewriteSettings {
    /// A longer prompt makes a rewrite due, regardless of its cost.
    pub high: Tokens,
    /// A rewrite for size continues until the prompt is below this.
    pub low: Tokens,
    /// The longest prompt that the user allows; `None`: that of the model's window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_max: Option<Tokens>,
    /// Results of this many last requests are rewritten only where a prompt would otherwise exceed
    /// `tokens_max` or the model's window.
    pub recent_requests: u32,
    /// Weights of the reuse score; see [`crate::reuse_score`].
    pub weights: [f64; reuse_score::FEATURE_COUNT],
    /// A result is dead weight if fewer uses than this are expected per thousand of its tokens.
    pub uses_min: f64,
    /// Factor on `uses_min` while a rewrite is free.
    pub free_factor: f64,
    /// Factor on `uses_min` where nothing is ever cached: every request is a free moment and drops
    /// the results that earlier ones left.
    pub uncached_factor: f64,
    /// Where nothing is cached, the largest share (0 to 1) of all expected uses that reduced
    /// results may have: the expected loss is bounded, not the cost.
    pub loss_max: f64,
    /// Smaller results are not reduced.
    pub tokens_min: Tokens,
    /// Multiple of the rewrite's cost that the cost of carrying dead weight must reach.
    pub rental: f64,
    /// Settings for reads where [`ViewSource`] are available; `None`: outlines.
    ///
    /// [`ViewSource`]: crate::views::ViewSource
    pub old_reads: Option<OldReadSettings>,
    /// Settings for results that are reduced soon after the model has seen them; `None`: none
    /// before they are old.
    #[serde(default)]
    pub look_once: Option<EarlyReduction>,
}

/// Settings for results that are reduced soon after the model has seen them; see
/// `planner/rewrite_choice/early_reduction.rs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlyReduction {
    /// Number of requests that show output of commands, listings and echoes of edits before they
    /// are reduced.
    pub runs_after: u32,
    /// Number of requests that show hits before they are reduced.
    pub searches_after: u32,
    /// Settings for files; `None`: they wait until they are old. No profile sets it; it exists for
    /// measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<EarlyReadReduction>,
    /// Number of requests that are expected to follow.
    pub horizon: u32,
}

/// Settings for reads that are reduced soon after the model has seen them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlyReadReduction {
    /// Number of requests that show a read before it is reduced.
    pub after: u32,
    /// A read is reduced if fewer uses than this are expected per thousand of its tokens.
    pub uses_min: f64,
}

impl Settings {
    /// Disables pointers from the lines of a file to those of another or an unknown one.
    #[must_use]
    pub fn with_pointers_within_files(self) -> Self {
        Self { pointer_bytes_min_elsewhere: usize::MAX, ..self }
    }

    /// Disables all pointers.
    #[must_use]
    pub fn without_pointers(self) -> Self {
        Self { pointers: false, ..self }
    }

    /// Returns whether results of this tool may hold pointers.
    pub(crate) fn allows_pointers(&self, tool: &str) -> bool {
        let off = &self.tools_without_pointers;
        self.pointers && !off.contains(tool) && !off.contains(base_tool_name(tool))
    }

    /// Returns whether any results are reduced soon after the model has seen them.
    pub fn has_early_reduction(&self) -> bool {
        self.rewrite.as_ref().is_some_and(|rewrite| rewrite.look_once.is_some())
    }

    /// Returns the lossless settings: every shown line stays visible somewhere in the prompt, in its
    /// own spelling.
    pub fn lossless() -> Self {
        Self {
            pointers: true,
            tools_without_pointers: BTreeSet::new(),
            pointer_bytes_min: 80,
            pointer_bytes_min_elsewhere: 100,
            arguments_count: false,
            compacts_layout: false,
            numbers: GutterNumbers::All,
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

    /// Returns the default settings: cheaper than lossless, with hardly any loss.
    pub fn balanced() -> Self {
        Self {
            compacts_layout: true,
            numbers: GutterNumbers::Every(10),
            run_bytes_max: Some(4_000),
            search_bytes_max: Some(4_000),
            line_bytes_max: Some(1_000),
            encoded_bytes_max: Some(200),
            rewrite: Some(RewriteSettings {
                high: Tokens(150_000),
                low: Tokens(90_000),
                tokens_max: None,
                recent_requests: 4,
                weights: reuse_score::FEATURE_WEIGHTS,
                uses_min: 0.0028,
                free_factor: 8.0,
                uncached_factor: 8.0,
                loss_max: 0.05,
                tokens_min: Tokens(100),
                rental: 1.2,
                old_reads: summarized_old_reads(Tokens(200)),
                look_once: Some(EarlyReduction {
                    runs_after: 1,
                    searches_after: 2,
                    reads: None,
                    horizon: 20,
                }),
            }),
            ..Self::lossless()
        }
    }

    /// Returns the balanced settings with curation of long files on their first read.
    pub fn curated() -> Self {
        Self {
            curate: Some(CurateSettings {
                lines_min: 500,
                amount: CurationAmount::Adaptive,
                saving_min: 0.1,
                again: false,
                states_share: true,
            }),
            ..Self::balanced()
        }
    }

    /// Returns the cheapest settings that keep most of the needed content.
    pub fn max() -> Self {
        Self {
            arguments_count: true,
            compacts_layout: true,
            numbers: GutterNumbers::Every(10),
            run_bytes_max: Some(1_200),
            search_bytes_max: Some(1_200),
            line_bytes_max: Some(1_000),
            encoded_bytes_max: Some(200),
            rewrite: Some(RewriteSettings {
                high: Tokens(100_000),
                low: Tokens(50_000),
                tokens_max: None,
                recent_requests: 4,
                weights: reuse_score::FEATURE_WEIGHTS,
                uses_min: 0.035,
                free_factor: 4.0,
                uncached_factor: 0.4,
                loss_max: 0.3,
                tokens_min: Tokens(40),
                rental: 3.0,
                old_reads: summarized_old_reads(Tokens(100)),
                look_once: Some(EarlyReduction {
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

/// Old reads become summaries of at most `most` tokens.
fn summarized_old_reads(most: Tokens) -> Option<OldReadSettings> {
    Some(OldReadSettings { lines_min: 1, wanted: ViewRequest::Summary(most) })
}
