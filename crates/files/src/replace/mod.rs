//! Files written so that nothing is lost: only over the bytes that were expected, all at once,
//! one writer at a time.
//!
//! A new file is written beside the old one, brought to the device and changes places with it,
//! so that a reader or a power cut finds one or the other. Whoever writes through here holds a
//! lock of the folder from the comparison to the end. Where a program that writes without it was
//! faster, its file is found under the other name and put back.
//! Of several files all are replaced or none: a journal says what was being done, and whoever
//! comes after a kill takes it back.

mod attributes;
mod create;
mod error;
mod extent;
mod folders;
mod held;
mod journal;
mod lock;
mod remove;
mod several;
mod temporary;
mod writer;
mod written;

pub use self::error::WriteError;
pub use self::journal::{Journal, Recovered, RecoveredHow};
pub use self::several::Replacement;
pub use self::writer::Writer;
pub use self::written::{Note, Written};
