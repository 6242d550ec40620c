//! Settings of the engine's own profiles.

use serde::{Deserialize, Serialize};

use crate::shaping::gutter::Numbers;
use crate::tokens::Tokens;

/// What the engine may do, and how far it may go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Smallest block, in bytes of text, that is replaced by a pointer.
    pub pointer_bytes_min: usize,
    /// Which line numbers of a read's gutter are kept.
    pub numbers: Numbers,
    /// Output of runs beyond this many bytes is excerpted; `None`: never.
    pub run_bytes_max: Option<usize>,
    /// Results of searches and lists beyond this many bytes are excerpted; `None`: never.
    pub search_bytes_max: Option<usize>,
    /// Reads beyond this many bytes are excerpted; `None`: never.
    pub read_bytes_max: Option<usize>,
    /// Of a line beyond this many bytes head and tail are kept; `None`: all of it.
    pub line_bytes_max: Option<usize>,
    /// Runs of encoded bytes (base64, hexadecimal, control characters) beyond this many bytes
    /// are left out; `None`: never.
    pub encoded_bytes_max: Option<usize>,
    /// When and how results that were already sent are rewritten; `None`: never.
    pub rewrite: Option<RewriteSettings>,
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
    /// Requests a result must have been idle before a read of it is reduced.
    pub read_idle: u32,
    /// The same for runs, searches and other results.
    pub other_idle: u32,
    /// Results smaller than this are left alone.
    pub tokens_min: Tokens,
    /// Factor on the idle times at moments when rewriting is free.
    pub free_idle: f64,
    /// Share of the rewrite's cost that the carried dead weight must have reached.
    pub rental: f64,
    /// Whether files that were edited in this conversation keep their reads.
    pub keep_edited: bool,
}

impl Settings {
    /// Everything visible stays visible somewhere in the prompt.
    pub fn lossless() -> Self {
        Self {
            pointer_bytes_min: 80,
            numbers: Numbers::All,
            run_bytes_max: None,
            search_bytes_max: None,
            read_bytes_max: None,
            line_bytes_max: None,
            encoded_bytes_max: None,
            rewrite: None,
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
                read_idle: 30,
                other_idle: 10,
                tokens_min: Tokens(150),
                free_idle: 1.0,
                rental: 1.0,
                keep_edited: true,
            }),
            ..Self::lossless()
        }
    }

    /// As cheap as it gets while most of what is needed stays.
    pub fn max() -> Self {
        Self {
            numbers: Numbers::Every(10),
            run_bytes_max: Some(2_500),
            search_bytes_max: Some(2_500),
            line_bytes_max: Some(1_000),
            encoded_bytes_max: Some(200),
            rewrite: Some(RewriteSettings {
                high: Tokens(100_000),
                low: Tokens(50_000),
                recent_requests: 3,
                read_idle: 12,
                other_idle: 5,
                tokens_min: Tokens(100),
                free_idle: 1.0,
                rental: 0.7,
                keep_edited: false,
            }),
            ..Self::lossless()
        }
    }
}
