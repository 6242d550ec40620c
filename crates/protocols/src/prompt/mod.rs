//! Encodes conversations as request bodies; [`request_body`](crate::request_body) reads them.
//!
//! Pure: [`encode_prompt`] returns the same bytes for the same [`Prompt`], and each request of a
//! growing conversation begins with the messages of the previous one, byte for byte. Model output
//! that only its provider can read (signed thinking, encrypted reasoning) goes back unchanged.

mod answer_options;
mod api_dialect;
mod prompt_content;
mod prompt_encoding;
pub(crate) mod raw_part;

pub use answer_options::{AnswerOptions, encode_with_options};
pub use api_dialect::ApiDialect;
pub use prompt_content::{Prompt, ToolSpec};
pub use prompt_encoding::encode_prompt;
