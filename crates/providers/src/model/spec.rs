//! Model specifications of users: `NAME:MODEL`, with `@URL` for another server than the usual one.

use std::fmt;
use std::str::FromStr;

use foveal_protocols::prompt::ApiDialect;
use hyper::Uri;

use crate::ApiKey;
use crate::address::{AddressProblem, PLAIN_HTTP, find_address_problem, is_this_machine};

use crate::model::provider::{PROVIDERS, Provider};
use crate::model::server::ModelServer;

/// The environment variable of the key for a server that the user names by its address. Keys of
/// providers are sent to those providers only.
pub const MODEL_KEY_VARIABLE: &str = "FOVEAL_MODEL_KEY";

/// A model as users write it: `NAME:MODEL[@URL]`, which is also its display form.
///
/// Unencrypted HTTP is accepted for this machine only; `NAME+http:MODEL@http://HOST` allows it for
/// another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpec {
    provider: &'static Provider,
    model: String,
    /// Without a trailing slash; `None` for the usual address.
    address: Option<String>,
    plain_http: bool,
    /// Whether the user names the server by its address, so that the provider's key is not sent to
    /// it.
    has_custom_address: bool,
}

/// The reason why a text is not a model specification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ModelSpecError {
    #[error(
        "`{0}` is not a valid model: use NAME:MODEL, such as anthropic:claude-sonnet-4-5 or \
         ollama:qwen3; NAME is one of {names}", names = names()
    )]
    Unknown(String),
    #[error("`{0}` has no model: add it after the colon, as in ollama:qwen3")]
    NoModel(String),
    #[error("`{0}` has no server address: use {0}@https://HOST/v1")]
    NoAddress(String),
    #[error("`{0}` is not a valid server address: use http://HOST:PORT or https://HOST")]
    Address(String),
    #[error("the port of `{0}` is not valid: use a number up to 65535")]
    Port(String),
    #[error(
        "a server address must not contain a user name, password, query or fragment: set the key \
         in {MODEL_KEY_VARIABLE}"
    )]
    Secret,
    #[error(
        "`{address}` is another machine, and http would send your code there unencrypted: use \
         https, or {name}+http:MODEL@{address} to allow that"
    )]
    Unencrypted { name: &'static str, address: String },
}

fn names() -> String {
    PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>().join(", ")
}

impl ModelSpec {
    /// Creates the specification of a model of a provider at its usual address.
    pub fn new(provider: &'static Provider, model: &str) -> Self {
        Self {
            provider,
            model: model.to_owned(),
            address: None,
            plain_http: false,
            has_custom_address: false,
        }
    }

    /// Sets another address, which the environment gives beside the key.
    ///
    /// # Errors
    /// [`ModelSpecError`] if nothing may be sent to the address.
    pub fn with_address(self, address: &str) -> Result<Self, ModelSpecError> {
        let address = with_scheme(address, self.provider);
        check_address(self.provider, &address, self.plain_http)?;
        Ok(Self { address: Some(address), ..self })
    }

    /// Returns the specification of another model on the same server.
    #[must_use]
    pub fn with_model(&self, model: &str) -> Self {
        Self { model: model.to_owned(), ..self.clone() }
    }

    /// Returns the provider.
    pub fn provider(&self) -> &'static Provider {
        self.provider
    }

    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns whether the user names the server by its address; then no provider's key is sent to
    /// it.
    pub fn has_custom_address(&self) -> bool {
        self.has_custom_address
    }

    /// Returns whether the model has no price, since it runs on this machine: the provider usually
    /// does, and the user names no address elsewhere.
    pub fn is_free(&self) -> bool {
        let is_here = |address: &str| {
            address.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(is_this_machine))
        };
        let address = self.address.as_deref().filter(|_| self.has_custom_address);
        self.provider.is_local() && address.is_none_or(is_here)
    }

    /// Resolves the specification to a server with this key. An address without a path gets the
    /// usual path.
    pub fn to_server(&self, key: Option<ApiKey>) -> ModelServer {
        let provider = self.provider;
        let usual = provider.address.unwrap_or_default();
        let base = self.address.as_deref().unwrap_or(usual);
        let is_usual = base == usual || base == usual.trim_end_matches("/v1");
        let dialect = if is_usual { provider.dialect } else { provider.custom_address_dialect };
        let has_path = base.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        // Clients of Anthropic take the address without the version.
        let has_version = match dialect {
            ApiDialect::Messages => base.ends_with("/v1"),
            ApiDialect::Chat | ApiDialect::Responses => has_path,
        };
        let base = if has_version { base.to_owned() } else { format!("{base}/v1") };
        let key_variable = match provider.key_variable {
            Some(variable) if !self.has_custom_address => variable,
            _ => MODEL_KEY_VARIABLE,
        };
        let (name, model) = (provider.name, self.model.clone());
        let drops_bound_thinking = false;
        ModelServer { name, dialect, base, key, key_variable, model, drops_bound_thinking }
    }
}

/// Adds a scheme to an address of a local server: clients of Ollama accept a host and a port.
fn with_scheme(address: &str, provider: &Provider) -> String {
    let address = address.trim().trim_end_matches('/');
    match address.contains("://") || !provider.is_local() {
        true => address.to_owned(),
        // A server listens at `0.0.0.0`; requests go to the loopback address.
        false => format!("http://{}", address.replace("0.0.0.0", "127.0.0.1")),
    }
}

fn check_address(
    provider: &'static Provider,
    address: &str,
    plain_http: bool,
) -> Result<(), ModelSpecError> {
    let (name, text) = (provider.name, || address.to_owned());
    Err(match find_address_problem(address, plain_http) {
        None => return Ok(()),
        Some(AddressProblem::Secret) => ModelSpecError::Secret,
        Some(AddressProblem::Port) => ModelSpecError::Port(text()),
        Some(AddressProblem::Unreadable) => ModelSpecError::Address(text()),
        Some(AddressProblem::Unencrypted) => ModelSpecError::Unencrypted { name, address: text() },
    })
}

impl FromStr for ModelSpec {
    type Err = ModelSpecError;

    fn from_str(text: &str) -> Result<Self, ModelSpecError> {
        // No message repeats a text that may be a password.
        let shown = || match text.contains("://") {
            true => text.split("://").next().unwrap_or_default().to_owned(),
            false => text.to_owned(),
        };
        let (name, rest) = text.split_once(':').ok_or_else(|| ModelSpecError::Unknown(shown()))?;
        let (name, plain_http) = match name.strip_suffix(PLAIN_HTTP) {
            Some(name) => (name, true),
            None => (name, false),
        };
        let provider =
            Provider::find_by_name(name).ok_or_else(|| ModelSpecError::Unknown(shown()))?;
        // Model names may contain `@` themselves.
        let at = ["@http://", "@https://"].iter().filter_map(|mark| rest.find(mark)).min();
        let (model, address) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        if model.trim().is_empty() || model.contains(char::is_control) || model.contains("://") {
            return Err(ModelSpecError::NoModel(shown()));
        }
        let address = address.map(|address| address.trim_end_matches('/').to_owned());
        match &address {
            Some(address) => check_address(provider, address, plain_http)?,
            None if provider.address.is_none() => return Err(ModelSpecError::NoAddress(shown())),
            None => {}
        }
        let (model, is_elsewhere) = (model.to_owned(), address.is_some());
        Ok(Self { provider, model, address, plain_http, has_custom_address: is_elsewhere })
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = if self.plain_http { PLAIN_HTTP } else { "" };
        write!(formatter, "{}{plain}:{}", self.provider.name, self.model)?;
        // An address of the environment is left out: the environment gives it the next time, too.
        let address = self.address.as_ref().filter(|_| self.has_custom_address);
        address.map_or(Ok(()), |address| write!(formatter, "@{address}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> String {
        let spec: ModelSpec = text.parse().expect("it is a model");
        assert_eq!(spec.to_string(), text.trim_end_matches('/'));
        spec.to_server(None).url()
    }

    #[test]
    fn models_are_asked_where_they_are() {
        for (text, expected) in [
            ("anthropic:claude-sonnet-4-5", "https://api.anthropic.com/v1/messages"),
            ("anthropic:x@https://a.example", "https://a.example/v1/messages"),
            ("anthropic:x@https://a.example/anthropic", "https://a.example/anthropic/v1/messages"),
            ("anthropic:x@https://a.example/v1", "https://a.example/v1/messages"),
            ("openai:gpt-5", "https://api.openai.com/v1/responses"),
            ("openai:gpt-5@https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
            ("openai:m@https://a.example/api", "https://a.example/api/chat/completions"),
            ("openrouter:a/b:free", "https://openrouter.ai/api/v1/chat/completions"),
            ("ollama:qwen3:8b", "http://127.0.0.1:11434/v1/chat/completions"),
            ("vllm:Q/m@http://localhost:9000", "http://localhost:9000/v1/chat/completions"),
            ("chat:@cf/m@https://a.example", "https://a.example/v1/chat/completions"),
            ("responses:m@http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/responses"),
            ("ollama+http:m@http://gpu:11434", "http://gpu:11434/v1/chat/completions"),
        ] {
            assert_eq!(url(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let error = |text: &str| text.parse::<ModelSpec>().expect_err(text);
        for text in ["", "gpt-5", "nobody:x", "https://a.example"] {
            assert!(matches!(error(text), ModelSpecError::Unknown(_)), "{text}");
        }
        for text in ["ollama:", "ollama:@http://127.0.0.1:1", "ollama:http://127.0.0.1:1"] {
            assert!(matches!(error(text), ModelSpecError::NoModel(_)), "{text}");
        }
        assert_eq!(error("chat:m"), ModelSpecError::NoAddress("chat:m".to_owned()));
        assert!(matches!(error("ollama:m@http://gpu:11434"), ModelSpecError::Unencrypted { .. }));
        assert_eq!(error("ollama:m@http://"), ModelSpecError::Address("http:".to_owned()));
        for text in ["chat:m@https://me:secret@a.example", "nobody:m@https://secret@a.example"] {
            assert!(!error(text).to_string().contains("secret"), "{text}");
        }
    }

    /// A provider's key goes to that provider alone.
    #[test]
    fn a_key_is_for_who_it_is_of() {
        let variable =
            |text: &str| text.parse::<ModelSpec>().expect("a model").to_server(None).key_variable;
        assert_eq!(variable("anthropic:m"), "ANTHROPIC_API_KEY");
        assert_eq!(variable("anthropic:m@https://a.example"), MODEL_KEY_VARIABLE);
        assert_eq!(variable("ollama:m"), MODEL_KEY_VARIABLE);
        let anthropic = Provider::find_by_name("anthropic").expect("it is known");
        let moved =
            ModelSpec::new(anthropic, "m").with_address("https://a.example").expect("an address");
        assert_eq!(moved.to_server(None).key_variable, "ANTHROPIC_API_KEY");
    }

    #[test]
    fn addresses_of_the_environment_are_read_as_their_clients_read_them() {
        let base = |provider: &str, address: &str| {
            let provider = Provider::find_by_name(provider).expect("it is known");
            ModelSpec::new(provider, "m")
                .with_address(address)
                .map(|spec| spec.to_server(None).base)
        };
        assert_eq!(base("ollama", "0.0.0.0:99"), Ok("http://127.0.0.1:99/v1".to_owned()));
        assert_eq!(base("ollama", "http://localhost:99/"), Ok("http://localhost:99/v1".to_owned()));
        assert!(matches!(base("ollama", "gpu:99"), Err(ModelSpecError::Unencrypted { .. })));
        assert_eq!(base("anthropic", "https://a.example"), Ok("https://a.example/v1".to_owned()));
        assert!(matches!(base("anthropic", "a.example"), Err(ModelSpecError::Address(_))));
    }
}
