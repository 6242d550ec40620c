//! Readers that turn bytes into transcripts: sessions that coding agents record, and requests
//! that they send.
//!
//! Pure over [`std::io::BufRead`]: the caller opens the files. A reader emits each session as
//! soon as it is complete, so a long recording needs memory for one session (or for the
//! [`OPEN_SESSIONS_MAX`] whose lines may interleave). It reports broken parts as [`Problem`]s and
//! reads the rest. Messages are steps, counted from 1 as in ATIF; results follow the message that
//! called them, in the order of its calls. Opaque blocks hold the recorded value as compact JSON,
//! with the keys in recorded order.

mod atif_export;
mod conversation_builder;
mod format_detection;
mod framing;
mod json;
mod key_paths;
mod lenient_json;
mod problem;
pub mod prompt;
mod protocol;
mod record_reader;
pub mod request_body;
mod requests;
pub mod response;
mod session_format;
mod session_reading;
mod session_sink;
mod sessions;
mod timestamps;

pub use atif_export::{ATIF_VERSION, AtifExport, export_atif};
pub use format_detection::{DETECT_BYTES, detect_format};
pub use framing::line_reader::LINE_BYTES_MAX;
pub use problem::{PROBLEMS_MAX, Problem, ProblemKind};
pub use protocol::Protocol;
pub use session_format::{SessionFormat, UnknownFormat};
pub use session_reading::{ReadError, detect_and_read_sessions, read_all_sessions, read_sessions};
pub use sessions::claude_code::{LiveBranch, OPEN_SESSIONS_MAX, find_live_branch};
pub use timestamps::{format_timestamp, parse_timestamp};
