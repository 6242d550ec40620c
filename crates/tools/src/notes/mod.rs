//! Notes in answers of tools, on what a tool did and found. Notes in place of results that the
//! engine reduces are those of [`foveal_engine::note`].
//!
//! The text of a note is rendered once, by `Display`, and is never parsed again.

mod answer;
mod change;
mod file;
mod run;
mod search;

pub(crate) use self::answer::{AnswerNote, FileDisplayMode};
pub(crate) use self::change::{
    FileChangeKind, FileChangeNote, UndoPoint, UndoStorage, UndoUnavailable,
};
pub(crate) use self::file::{ContinuationTool, FileNote, OmissionReason};
pub(crate) use self::run::RunNote;
pub(crate) use self::search::{SearchNote, SearchResultKind};

#[cfg(test)]
mod tests;
