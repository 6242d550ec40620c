//! A conversation as the body of a request: the other direction of [`body`](crate::body).
//!
//! Pure: [`encode`] gives the same bytes for the same [`Prompt`], and each request of a growing
//! conversation begins with the messages of the one before it, byte for byte. What a model said
//! that only its provider can read (signed thinking, encrypted reasoning) goes back as it came.

mod chat;
mod dialect;
mod encode;
mod messages;
mod part;
mod responses;
mod value;
mod wish;

pub use dialect::Dialect;
pub use encode::encode;
pub use value::{Prompt, ToolSpec};
pub use wish::{Wish, encode_wish};
