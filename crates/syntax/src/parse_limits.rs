//! Limits for the parsing of one file.

/// The largest text, in bytes, that is parsed; longer ones are divided into paragraphs.
pub const BYTES_PARSED_MAX: usize = 1 << 20;

/// The longest line of code, in bytes; a text with a longer one is not parsed.
pub(crate) const LINE_BYTES_MAX: usize = 64 << 10;

/// Entities per file.
pub(crate) const ENTITIES_MAX: usize = 20_000;

/// Statements per file.
pub(crate) const STATEMENTS_MAX: usize = 100_000;

/// The longest statement, in lines, that counts as a unit; a longer one counts as the sum of its
/// parts.
pub const STATEMENT_LINES_MAX: u32 = 30;

/// Uses of names per file.
pub(crate) const MENTIONS_MAX: usize = 200_000;

/// Imports per file.
pub(crate) const IMPORTS_MAX: usize = 5_000;
