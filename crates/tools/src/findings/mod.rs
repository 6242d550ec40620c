//! The findings of tools as values. They are rendered as text once, when the answer is given.

mod answer_heading;
mod answer_text;
mod changes;
mod content;
mod file;
mod heading_notes;
mod numbered_lines;
mod search;

pub(crate) use self::answer_heading::render_heading;
pub(crate) use self::answer_text::{AnswerText, render_output};
pub(crate) use self::changes::{FileChange, FileChanges};
pub(crate) use self::content::{FetchedPage, ReadAnswer, TextOutput};
pub(crate) use self::content::{FindingContent, Findings, ReusedAnswer};
pub(crate) use self::file::{
    FileBeginning, FileLines, FileSize, FileStructure, FileText, NonTextFile, RangeEnd, ReadKey,
    TruncationReason, UnchangedFile,
};
pub(crate) use self::numbered_lines::{NumberedLine, NumberedLines, number_lines};
pub(crate) use self::search::{FolderEntries, GlobPaths, GrepHits, IndexHits};
