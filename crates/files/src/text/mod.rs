//! Files as text: which encoding, which line endings, and back to the same bytes.
//!
//! A text has `\n` at the end of each line whatever the file has there, so that it can be shown,
//! matched and edited; what the file had is kept beside it and put back, line by line.

mod decode;
mod encode;
mod encoding;
mod endings;
mod text_file;

pub(crate) use self::decode::decoded;
pub use self::encoding::{EncodeError, Encoding, NotText};
pub use self::endings::LineEnding;
pub use self::text_file::TextFile;

#[cfg(test)]
mod tests;
