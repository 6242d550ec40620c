//! Text embeddings from a server.
//!
//! [`ServerEmbedder`] is an [`Embedder`](foveal_relevance::embedding::Embedder) like the built-in model.
//! Texts leave the machine only for the one address that an [`EmbeddingServerSpec`] names.

mod answer;
mod connection;
mod error;
mod request_limits;
mod server;
mod spec;

pub use self::error::{EMBEDDINGS_KEY_VARIABLE, EmbeddingServerError, EmbeddingSpecError};
pub use self::request_limits::EmbeddingRequestLimits;
pub use self::server::ServerEmbedder;
pub use self::spec::{EmbeddingProtocol, EmbeddingServerSpec};
