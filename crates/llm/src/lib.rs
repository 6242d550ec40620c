//! A client for three model APIs: Anthropic Messages, OpenAI Chat Completions and OpenAI Responses,
//! which hosted providers and local servers speak.
//!
//! [`LlmClient::stream_answer`] sends a body made by [`foveal_wire::prompt::encode_prompt`] and reports
//! the answer while it streams. It repeats requests that may succeed later. Everything is bounded:
//! the time to connect, to the first byte, between two bytes and in total, the number of retries,
//! and the bytes of an answer. Dropping the future ends the request. Keys are sent in one header
//! and appear in no message.

mod error;
mod error_classification;
mod exchange;
mod local_servers;
mod provider;
mod request_limits;
mod retrying_client;
mod server;
mod spec;

pub use error::LlmError;
pub use foveal_asking::ProxySettings;
pub use local_servers::{DiscoveredServer, LocalModelSpec, find_local_servers};
pub use provider::{PROVIDERS, Provider};
pub use request_limits::ModelRequestLimits;
pub use retrying_client::{LlmClient, ModelRequestEvent};
pub use server::ModelServer;
pub use spec::{KEY_VARIABLE, ModelSpec, ModelSpecError};
