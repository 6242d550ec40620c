//! Vectors of texts from an embedding server.
//!
//! [`ServerEmbedder`] asks Ollama, or any server that speaks OpenAI's embeddings API, and
//! is an [`Embedder`](foveal_code::embed::Embedder) like the built-in model. Texts leave
//! the machine only for the one address that a [`ServerSpec`] names; nothing is followed
//! elsewhere, and everything has a bound: texts and bytes of a request, bytes of an
//! answer, time, and how often it is asked again.

mod answer;
mod connection;
mod error;
mod patience;
mod server;
mod spec;

pub use self::error::{ServerError, SpecError};
pub use foveal_asking::ApiKey;

pub use self::error::KEY_VARIABLE;
pub use self::patience::Patience;
pub use self::server::ServerEmbedder;
pub use self::spec::{Protocol, ServerSpec};
