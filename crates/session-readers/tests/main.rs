//! Sessions of all formats, written, generated and recorded.

mod conversions;
mod corpora;
mod detection;
#[path = "../../protocols/tests/prompt/entries.rs"]
mod entries;
mod export;
mod gemini_histories;
mod malformed;
mod properties;
mod recorded;
mod samples;
mod session_files;
mod sessions;
