//! Text embeddings from a server.
//!
//! [`ServerEmbedder`] asks Ollama, or any server that speaks OpenAI's embeddings API, and is an
//! [`Embedder`](foveal_code::embedding::Embedder) like the built-in model. Texts leave the machine only
//! for the one address that an [`EmbeddingServerSpec`] names. Redirects are not followed.
//! Everything is bounded: the texts and bytes of a request, the bytes of an answer, the time, and
//! the number of retries.

mod answer;
mod connection;
mod error;
mod request_limits;
mod server;
mod spec;

pub use self::error::{EmbeddingServerError, EmbeddingSpecError};
pub use foveal_asking::ApiKey;

pub use self::error::KEY_VARIABLE;
pub use self::request_limits::EmbeddingRequestLimits;
pub use self::server::ServerEmbedder;
pub use self::spec::{EmbeddingProtocol, EmbeddingServerSpec};
