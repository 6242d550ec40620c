//! A conversation as it was recorded, append-only, the ground truth; and the content
//! addresses by which anything left out of a prompt can be fetched again.
//!
//! What every other crate names is here, and nothing behind it: no parser, no tokenizer.

mod handle;
mod line_span;
mod open_calls;
mod transcript;

pub use handle::*;
pub use line_span::LineSpan;
pub use open_calls::{OPEN_CALLS_MAX, OpenCalls};
pub use transcript::*;
