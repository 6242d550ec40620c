//! Texts as lines of styled words that fit a width.

mod code;
mod diff;
mod markdown;
mod table;
mod wrap;

pub(crate) use self::code::code;
pub use self::diff::of_call;
pub(crate) use self::diff::{diff, size};
pub(crate) use self::markdown::markdown;
pub(crate) use self::wrap::{Break, cut, plain, width, wrap};
