//! Recorded conversations, append-only, the ground truth; and the content addresses by which
//! omitted content can be fetched again.
//!
//! This crate holds the types that all other crates share, without a parser or a tokenizer.

mod cancellation;
mod handle;
mod line_span;
mod open_calls;
mod transcript;

pub use cancellation::CancelToken;
pub use handle::*;
pub use line_span::LineSpan;
pub use open_calls::{OPEN_CALLS_MAX, OpenCalls};
pub use transcript::*;
