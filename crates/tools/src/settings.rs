//! The settings of the tools, made once by the program that starts them.

use crate::duplicate_calls::CallSettings;
use foveal_engine::settings::CurateSettings;
use foveal_engine::settings::Settings;
use foveal_engine::shaping::gutter::GutterNumbers;
use foveal_engine::views::CurationAmount;
use foveal_store::RetentionLimits;

/// The retention limits of a store over all sessions: 2 GiB, 30 days.
pub const RETENTION_LIMITS: RetentionLimits =
    RetentionLimits { bytes_max: 2 << 30, age_max_ms: 30 * 24 * 3_600_000 };

/// The interval, in milliseconds, at which a store removes content beyond the retention limits.
pub const COLLECT_EVERY_MS: i64 = 3_600_000;

/// The largest answer, in tokens, that can be set. The model pays for each of them again with every
/// further request.
pub const ANSWER_TOKENS_MAX: u32 = 20_000;

/// The settings of all tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSettings {
    /// The most lines of a file that is read in full.
    pub read_small_lines: u32,
    /// Limits for paths that match a glob; the first match applies.
    pub line_limits_by_glob: Vec<(String, ReadLineLimits)>,
    /// The output budget in tokens, approximately. Content beyond it is given in parts.
    pub answer_tokens: u32,
    /// The output budget in bytes, if the user overrides the table of clients.
    pub answer_bytes: Option<usize>,
    /// The time-out of a command in milliseconds, if the call gives none.
    pub run_time_out_ms: u64,
    /// The longest time-out in milliseconds that a call may ask for.
    pub run_time_out_max_ms: u64,
    /// Most terminals that a session may have open.
    pub terminals_max: usize,
    /// The interval in milliseconds at which long calls report progress.
    pub progress_ms: u64,
    /// Duplicate detection: whether earlier calls may answer, how many are remembered and for how
    /// long; also for single tools.
    pub calls: CallSettings,
    /// Hosts that may be fetched from although their addresses are private.
    pub private_hosts: Vec<String>,
}

/// Limits on the shown part of a file, by its number of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLineLimits {
    /// The most lines of a file that is shown in full.
    pub small: u32,
    /// The number of lines beyond which at most a fifth of a file is shown; `None`: no such limit.
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

/// The largest share of a large file's lines that a view shows.
pub(crate) const LARGE_SHARE_MAX: f64 = 0.2;

/// The share of a file that a view must omit; otherwise the whole file is shown.
const SAVING_MIN: f64 = 0.2;

/// Returns the engine's settings for answers: `balanced`, but without rewrites of sent content, and
/// with curation at the first read.
pub(crate) fn shaping_settings() -> Settings {
    Settings {
        rewrite: None,
        // Edits and requests for lines need the number of each line.
        numbers: GutterNumbers::All,
        // The views check the length of the file, by its path.
        curate: Some(CurateSettings {
            lines_min: 1,
            amount: CurationAmount::Adaptive,
            saving_min: SAVING_MIN,
            again: true,
            states_share: false,
        }),
        shapes_own: true,
        ..Settings::balanced()
    }
}
