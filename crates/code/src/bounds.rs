//! How much is read and kept of one file.

/// Bytes of a text up to which its syntax is read; longer ones become paragraphs.
pub const BYTES_PARSED_MAX: usize = 1 << 20;

/// Bytes of a line; a text with a longer one of code is not read by its syntax.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// Entities kept of one file.
pub const ENTITIES_MAX: usize = 20_000;

/// Statements kept of one file.
pub const BLOCKS_MAX: usize = 100_000;

/// Lines of a statement up to which it is one: a longer one is taken for the sum of its parts.
pub(crate) const STATEMENT_LINES_MAX: u32 = 30;

/// Uses of names kept of one file.
pub const MENTIONS_MAX: usize = 200_000;

/// Imports kept of one file.
pub const IMPORTS_MAX: usize = 5_000;

/// Lines of a text up to which some are chosen; of each a few hundred bytes are held meanwhile.
pub const LINES_CURATED_MAX: usize = 100_000;
