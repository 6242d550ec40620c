//! Clients of model servers and of embedding servers.
//!
//! [`LlmClient`] streams answers from three model APIs: Anthropic Messages, OpenAI Chat Completions
//! and OpenAI Responses, which hosted providers and local servers speak. [`ServerEmbedder`] gets
//! vectors from Ollama or from any server that speaks OpenAI's embeddings API. The gateway uses the
//! HTTP client below them.
//!
//! Everything is bounded: the time of each step, the number of retries, and the bytes of requests
//! and answers. Keys are sent in one header and appear in no message. Redirects are not followed.

mod address;
mod backoff;
pub mod body;
pub mod client;
mod embedding;
mod key;
mod model;
mod proxy;
mod server_message;

pub use embedding::{
    EMBEDDINGS_KEY_VARIABLE, EmbeddingProtocol, EmbeddingRequestLimits, EmbeddingServerError,
    EmbeddingServerSpec, EmbeddingSpecError, ServerEmbedder,
};
pub use key::ApiKey;
pub use model::{
    DiscoveredServer, LlmClient, LlmError, LocalModelSpec, MODEL_KEY_VARIABLE, ModelRequestEvent,
    ModelRequestLimits, ModelServer, ModelSpec, ModelSpecError, PROVIDERS, Provider,
    find_local_servers,
};
pub use proxy::ProxySettings;
pub use server_message::ServerMessage;
