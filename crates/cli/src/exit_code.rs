//! What the program ends with.

/// The answer is no, or there is less of it than was asked for: a search finds nothing, as other
/// programs that search have it, something on the machine is broken, or an index is
/// without vectors.
pub(crate) const NEGATIVE: u8 = 1;

/// A command that cannot be carried out: what it was given cannot be used, or its
/// output not be written.
pub(crate) const FAILED: u8 = 2;

/// What a shell expects of a program that Ctrl+C ended.
pub(crate) const INTERRUPTED: u8 = 130;
