//! Files written so that nothing is lost: only over the bytes that were expected, all at once,
//! one writer at a time.
//!
//! A new file is written beside the old one, brought to the device and takes its name, so that
//! a reader or a power cut finds one or the other. Whoever writes through here holds a lock of
//! the folder from the comparison to the end. Where a program that writes without it was faster,
//! its file is found under the other name and put back; only where the file system cannot
//! exchange two names is it overtaken.

mod error;
mod folders;
mod held;
mod lock;
mod temporary;
mod write;
mod written;

pub use self::error::WriteError;
pub use self::write::{create, remove_if, replace_if};
pub use self::written::{Note, Written};
