//! Files as text: encoding, line endings, and the way back to the same bytes.
//!
//! A decoded text has `\n` at the end of each line, so that it can be shown, matched and edited.
//! The file's own endings are kept beside it and restored line by line.

mod decode;
mod encode;
mod encoding;
mod line_endings;
mod text_file;

pub(crate) use self::decode::decode_bytes;
pub use self::encoding::{EncodeError, NotText, TextEncoding};
pub use self::line_endings::NewlineStyle;
pub use self::text_file::TextFile;

#[cfg(test)]
mod tests;
