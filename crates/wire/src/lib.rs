//! Bytes to transcripts: readers for the sessions that coding agents record, and for the
//! requests that they send.
//!
//! Pure over [`std::io::BufRead`]: the caller opens the files. A reader hands over each
//! session as soon as it is complete, so a long recording needs memory for one session
//! (or for the [`OPEN_SESSIONS_MAX`] whose lines may interleave), and reports what is
//! broken as [`Problem`]s while it reads the rest. Messages are the steps, counted from 1
//! as ATIF does; results stand behind the message that called them, in the order of its
//! calls. Opaque blocks hold the recorded value as compact JSON, keys in recorded order.

pub mod body;
mod decode;
mod detect;
mod draft;
mod export;
mod format;
mod head;
mod input;
mod json;
mod output;
mod problem;
pub mod prompt;
mod protocol;
mod read;
mod reader;
mod requests;
pub mod response;
mod sessions;
mod time;

pub use detect::{DETECT_BYTES, detect};
pub use export::{ATIF_VERSION, Exported, to_atif};
pub use format::{Format, UnknownFormat};
pub use input::lines::LINE_BYTES_MAX;
pub use problem::{PROBLEMS_MAX, Problem, ProblemKind};
pub use protocol::Protocol;
pub use read::{ReadError, read, read_all, read_detected};
pub use sessions::claude_code::{LiveBranch, OPEN_SESSIONS_MAX, live_branch};
pub use time::{parse_timestamp, spell_timestamp};
