//! What a tool found, as values. Text is made of it once, when the answer is given.

mod changes;
mod content;
mod file;
mod headed;
mod heading;
mod lines;
mod search;
mod typed;

pub(crate) use self::changes::{Change, ChangeKind, Changes, NoWayBack, WayBack, WayBackKind};
pub use self::content::{Content, Earlier, Findings};
pub(crate) use self::content::{Output, ReadAnswer};
pub(crate) use self::file::{
    Beginning, FileSize, FileText, LineRange, NoText, RangeEnd, Reach, ReadKey, Structure,
    Unchanged,
};
pub(crate) use self::headed::headed;
pub(crate) use self::lines::{NumberedLine, NumberedLines, numbered};
pub(crate) use self::search::{CodeHits, Entries, Hits, Paths};
pub(crate) use self::typed::TypedLines;
