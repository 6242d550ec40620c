//! A model on a server, as requests address it.

use crate::ApiKey;
use foveal_protocols::prompt::ApiDialect;

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelServer {
    /// The name of the provider.
    pub name: &'static str,
    /// The API of the server.
    pub dialect: ApiDialect,
    /// The base address of the API, with the version and without a trailing slash.
    pub base: String,
    /// The API key.
    pub key: Option<ApiKey>,
    /// The environment variable in which the user sets the key.
    pub key_variable: &'static str,
    /// The name of the model on the server.
    pub model: String,
    /// Whether requests ask to drop thinking whose prefix changed.
    pub drops_bound_thinking: bool,
}

impl ModelServer {
    /// Returns the address for requests.
    pub fn url(&self) -> String {
        format!("{}{}", self.base, self.dialect.request_path())
    }

    /// Returns the address of the model list.
    pub(crate) fn models_url(&self) -> String {
        format!("{}/models", self.base)
    }
}
