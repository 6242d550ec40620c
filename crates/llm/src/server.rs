//! A model behind a server, as it is asked.

use foveal_asking::ApiKey;
use foveal_wire::prompt::Dialect;

/// A model behind a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// What the server is called: the name of its provider.
    pub name: &'static str,
    /// The API that it speaks.
    pub dialect: Dialect,
    /// Where its API is, with the version and without a slash at the end.
    pub base: String,
    /// The key that it is shown.
    pub key: Option<ApiKey>,
    /// Where a user sets that key: the name of a variable.
    pub key_variable: &'static str,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Whether requests say that thinking whose prefix changed is left out.
    pub drops_bound_thinking: bool,
}

impl Server {
    /// Where questions go.
    pub fn url(&self) -> String {
        format!("{}{}", self.base, self.dialect.path())
    }

    /// Where it lists its models.
    pub(crate) fn models_url(&self) -> String {
        format!("{}/models", self.base)
    }
}
