//! Sessions of all formats, written, generated and recorded.

mod broken;
mod corpora;
mod detection;
#[path = "../../protocols/tests/prompt/entries.rs"]
mod entries;
mod export;
mod gemini_histories;
mod properties;
mod recorded;
mod samples;
mod session_files;
mod sessions;
mod twins;
