//! Exit codes of the program.

/// A negative or incomplete result: a search without hits, as in other search programs, a defect of
/// the machine, or an index without vectors.
pub(crate) const NEGATIVE: u8 = 1;

/// A command that failed: unusable arguments, or output that cannot be written.
pub(crate) const FAILED: u8 = 2;

/// The code that shells expect of a program that Ctrl+C ended.
pub(crate) const INTERRUPTED: u8 = 130;
