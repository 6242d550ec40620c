//! Streaming requests to model APIs.
//!
//! [`LlmClient::stream_answer`] sends a body made by [`foveal_protocols::prompt::encode_prompt`] and
//! reports the answer while it streams. It repeats requests that may succeed later. Dropping the
//! future ends the request.

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
pub use local_servers::{DiscoveredServer, LocalModelSpec, find_local_servers};
pub use provider::{PROVIDERS, Provider};
pub use request_limits::ModelRequestLimits;
pub use retrying_client::{LlmClient, ModelRequestEvent};
pub use server::ModelServer;
pub use spec::{MODEL_KEY_VARIABLE, ModelSpec, ModelSpecError};
