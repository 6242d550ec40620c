//! A journal of writes that outlives a kill.
//!
//! Every writing process has a file of its own in one folder, its record, and holds it locked while
//! it lives. For each write, the record names the files, digests of their content before and after,
//! and the names of the new files beside them. A process that can lock the record of another one
//! knows that it is dead, and rolls back its unfinished writes.

mod interrupted_write;
mod journal_entry;
mod journal_line;
mod preserved_content;
mod process_record;
mod recovery;
mod rollback;
mod temporary_names;

pub use self::interrupted_write::{RecoveredWrite, RecoveryOutcome};
pub(super) use self::journal_entry::JournalEntry;
pub(super) use self::journal_line::PlannedWrite;
pub use self::process_record::Journal;
pub(super) use self::temporary_names::TemporaryNames;
