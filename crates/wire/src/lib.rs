//! Bytes to transcripts: readers for the sessions that coding agents record.
//!
//! Pure over [`std::io::BufRead`]: who opens files is the caller. A reader hands over each
//! session as soon as it is complete, so a long recording needs memory for one session
//! (or for the [`OPEN_SESSIONS_MAX`] whose lines may interleave), and reports what is
//! broken as [`Problem`]s while it reads the rest. Messages are the steps, counted from 1
//! as ATIF does; results stand behind the message that called them, in the order of its
//! calls. Opaque blocks hold the recorded value as compact JSON, keys in recorded order.

mod anthropic;
mod atif;
mod claude_code;
mod codex;
mod detect;
mod documents;
mod draft;
mod format;
mod json;
mod lines;
mod mini_swe_agent;
mod openai_chat;
mod opencode;
mod openhands;
mod openhands_kinds;
mod pi;
mod problem;
mod read;
mod responses;
mod swe_agent;
mod time;

pub use detect::{DETECT_BYTES, detect};
pub use format::{Format, UnknownFormat};
pub use lines::LINE_BYTES_MAX;
pub use problem::{PROBLEMS_MAX, Problem, ProblemKind};
pub use read::{OPEN_SESSIONS_MAX, ReadError, read, read_all, read_detected};
pub use time::parse_timestamp;
