//! Request bodies, answers and prompts of all protocols.

mod answer_invariants;
mod answers;
mod body;
mod decoding;
mod prompt;
#[path = "../../session-readers/tests/session_files.rs"]
mod session_files;
