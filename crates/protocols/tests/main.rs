//! Request bodies, answers and prompts of all protocols.

mod answered;
mod answers;
mod body;
mod prompt;
mod said;
#[path = "../../session-readers/tests/session_files.rs"]
mod session_files;
