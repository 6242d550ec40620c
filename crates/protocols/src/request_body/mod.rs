//! Request bodies as bytes with positions of the messages, the system prompt, the tools and the
//! texts of tool results. Texts can be replaced while all other bytes stay the same: nothing is
//! serialised again.
//!
//! [`RequestBody::scan`] passes over the bytes once and decodes almost nothing;
//! [`RequestBody::scan_after`] skips the messages that a [`RequestHistory`] covers.
//! [`RequestBody::decode_message`] decodes one message with the code that reads whole bodies.
//! [`splice`] replaces texts, [`splice_with_breakpoints`] also adds cache breakpoints, and
//! [`distribute_pieces`] computes the texts for a result with several parts.

mod answer_breakpoint;
pub(crate) mod body_field;
mod body_message;
mod body_scan;
mod cache_breakpoints;
mod canonical_strings;
mod error;
mod json_cursor;
pub(crate) mod json_lookup;
mod markable_blocks;
mod nested_json;
mod piece_distribution;
mod protocol_detection;
mod request_history;
pub(crate) mod result_strings;
mod splice;
mod string_encoding;

pub use answer_breakpoint::{LatestAnswerBreakpoint, MissingBreakpoint};
pub use body_message::{BodyMessage, TextSlot};
pub use body_scan::{PassThroughReason, RequestBody};
pub use cache_breakpoints::{BodyBreakpoint, BreakpointTarget};
pub use error::BodyError;
pub use markable_blocks::{CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H, MarkableBlocks};
pub use piece_distribution::{ContentPiece, OMITTED_PART_TEXT, distribute_pieces};
pub use protocol_detection::detect_protocol;
pub use request_history::{RequestHistory, SharedPrefix};
pub use splice::{EncodedString, splice, splice_with_breakpoints};
pub use string_encoding::StringEncoding;
