//! What a tool found, as values. Text is made of it once, when the answer is given.

mod changes;
mod content;
mod file;
mod headed;
mod heading;
mod lines;
mod search;
mod text;

pub(crate) use self::changes::{Change, Changes};
pub(crate) use self::content::{Content, Earlier, Findings};
pub(crate) use self::content::{Output, Page, ReadAnswer};
pub(crate) use self::file::{
    Beginning, FileSize, FileText, LineRange, NoText, RangeEnd, Reach, ReadKey, Structure,
    Unchanged,
};
pub(crate) use self::headed::heading;
pub(crate) use self::lines::{NumberedLine, NumberedLines, numbered};
pub(crate) use self::search::{CodeHits, Entries, Hits, Paths};
pub(crate) use self::text::{AnswerText, printed};
