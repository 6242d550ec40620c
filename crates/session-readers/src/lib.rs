//! Readers that turn recorded sessions of coding agents into transcripts, and the export of a
//! transcript as ATIF.
//!
//! Pure over [`std::io::BufRead`]: the caller opens the files. A reader emits each session as
//! soon as it is complete, so a long recording needs memory for one session (or for the
//! [`OPEN_SESSIONS_MAX`] whose lines may interleave). It reports broken parts as
//! [`Problem`](foveal_protocols::problem::Problem)s and reads the rest. Messages are steps, counted
//! from 1 as in ATIF; results follow the message that called them, in the order of its calls.

mod atif_export;
mod format_detection;
mod framing;
mod key_paths;
mod record_reader;
mod session_format;
mod session_reading;
mod session_sink;
mod sessions;
mod timestamps;

pub use atif_export::{ATIF_VERSION, AtifExport, export_atif};
pub use format_detection::{StreamHead, detect_format};
pub use framing::line_reader::LINE_BYTES_MAX;
pub use session_format::{SessionFormat, UnknownFormat};
pub use session_reading::{ReadError, detect_and_read_sessions, read_all_sessions, read_sessions};
pub use sessions::claude_code::{LiveBranch, OPEN_SESSIONS_MAX, find_live_branch};
pub use sessions::model_name::is_local_provider;
pub use timestamps::{format_timestamp, parse_timestamp};
