//! What the program ends with.

/// The answer is no: a search finds nothing, as other programs that search have it, or something on
/// the machine is broken.
pub(crate) const NEGATIVE: u8 = 1;

/// A command that cannot be carried out.
pub(crate) const FAILED: u8 = 2;

/// What a shell expects of a program that Ctrl+C ended.
pub(crate) const INTERRUPTED: u8 = 130;
