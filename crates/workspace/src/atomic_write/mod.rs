//! File writes that lose nothing: compare-and-replace, atomic, one writer at a time.
//!
//! A new file is written beside the old one, synced to the device and exchanged with it, so that a
//! reader or a power cut finds one or the other. Each writer of this module holds a lock on the
//! folder from the comparison to the end. If a program without the lock writes in between, its file
//! is found under the other name and put back. Several files are replaced all or none: a journal
//! records the write, and the next process rolls it back after a kill.

mod content_digest;
mod error;
mod extended_attributes;
mod file_creation;
mod file_removal;
mod file_writer;
mod folder_lock;
mod journal;
mod locked_file;
mod multi_replace;
mod parent_folders;
mod temporary_file;
mod write_outcome;

pub use self::error::WriteError;
pub use self::file_writer::FileWriter;
pub use self::journal::{Journal, RecoveredWrite, RecoveryOutcome};
pub use self::multi_replace::FileReplacement;
pub use self::write_outcome::{WriteNotice, WriteOutcome};
