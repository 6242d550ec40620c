//! What the tools may do, and how far they go: made once by whoever starts them.

use foveal_calls::CallSettings;
use foveal_context::settings::CurateSettings;
use foveal_context::settings::Settings;
use foveal_context::shaping::gutter::Numbers;
use foveal_context::views::Amount;
use foveal_store::Limits;

/// How much of all sessions a store keeps, and how long: 2 GiB, 30 days.
pub const KEPT: Limits = Limits { bytes_max: 2 << 30, age_max_ms: 30 * 24 * 3_600_000 };

/// How often what is more than is kept, or older, is removed from a store, in milliseconds.
pub const COLLECT_EVERY_MS: i64 = 3_600_000;

/// The most tokens that an answer may be set to have. A prompt that is asked for again with every
/// request pays for each of them many times.
pub const ANSWER_TOKENS_MAX: u32 = 20_000;

/// Settings of all tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSettings {
    /// Files of at most so many lines are read in full.
    pub read_small_lines: u32,
    /// Limits for paths that match a glob; the first that matches counts.
    pub line_limits_by_glob: Vec<(String, LineLimits)>,
    /// Tokens of an answer, about; what there is no room for is given by the piece.
    pub answer_tokens: u32,
    /// Bytes of an answer, where the user knows better than the table of clients.
    pub answer_bytes: Option<usize>,
    /// Milliseconds after which a command is ended, where the call says nothing.
    pub run_time_out_ms: u64,
    /// The most milliseconds a call may ask for.
    pub run_time_out_max_ms: u64,
    /// Terminals open at once in a session.
    pub terminals_max: usize,
    /// Milliseconds after which, again and again, a call that takes long tells that it goes on.
    pub progress_ms: u64,
    /// Whether a call like an earlier one may be answered from it, how many are remembered and
    /// for how long; also for single tools.
    pub calls: CallSettings,
    /// Hosts that may be fetched from although their addresses are private.
    pub private_hosts: Vec<String>,
}

/// By their lines, what is shown of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineLimits {
    /// Of at most so many lines all.
    pub small: u32,
    /// Of more than so many lines no more than a fifth of them; `None`: as much as is demanded.
    pub large: Option<u32>,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            read_small_lines: 100,
            line_limits_by_glob: Vec::new(),
            answer_tokens: 8_000,
            answer_bytes: None,
            run_time_out_ms: 120_000,
            run_time_out_max_ms: 3_600_000,
            terminals_max: 8,
            progress_ms: 1_000,
            calls: CallSettings::default(),
            private_hosts: Vec::new(),
        }
    }
}

/// Share of the lines of a large file that are shown at most.
pub(crate) const LARGE_SHARE_MAX: f64 = 0.2;

/// Share of a file that a view must leave out; else all is shown.
const SAVING_MIN: f64 = 0.2;

/// What the engine may do with answers: as in `balanced`, but nothing that was sent is ever
/// taken back, and files are curated when they are first read.
pub(crate) fn shaping() -> Settings {
    Settings {
        rewrite: None,
        // Whoever edits or asks for lines needs the number of each.
        numbers: Numbers::All,
        // How long a file has to be is asked of the views, by its path.
        curate: Some(CurateSettings {
            lines_min: 1,
            amount: Amount::Adaptive,
            saving_min: SAVING_MIN,
            again: true,
        }),
        shapes_own: true,
        ..Settings::balanced()
    }
}
