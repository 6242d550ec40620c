//! Request bodies as bytes with places: where each message, the system prompt, the tools and the
//! texts of tool results stand, so that some of these texts can be replaced and no other byte
//! changes. Nothing is serialised again.
//!
//! [`Body::scan`] goes once over the bytes and decodes next to nothing; [`Body::scan_after`] passes
//! over what a [`History`] of the same messages tells already. [`Body::message`] decodes
//! one message, with the code that reads whole bodies. [`splice`] puts texts in the places of
//! others, [`splice_and_mark`] sets marks for the provider's cache too, and [`divide`] says what these are where a result has several.

mod answer_mark;
mod cursor;
mod divide;
mod error;
mod field;
mod history;
mod inner;
mod markable;
mod marks;
mod message;
mod respelling;
mod scan;
mod slots;
mod splice;
mod spoken;
mod string_encoding;
mod walk;

pub use answer_mark::{AnswerMark, FreePlace};
pub use divide::{LEFT_OUT, Piece, divide};
pub use error::BodyError;
pub use history::{Alike, History};
pub use markable::{MARK, MARK_FOR_AN_HOUR, Markable};
pub use marks::{CacheMark, MarkPlace};
pub use message::{Message, Slot};
pub use scan::{Body, Inactive, model};
pub use splice::{Spelled, splice, splice_and_mark};
pub use spoken::spoken;
pub use string_encoding::StringEncoding;
