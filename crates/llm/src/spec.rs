//! Which model is meant: `NAME:MODEL`, with `@URL` for another server than the usual one.

use std::fmt;
use std::str::FromStr;

use foveal_asking::{AddressProblem, ApiKey, problem_of};
use foveal_wire::prompt::Dialect;

use crate::provider::{PROVIDERS, Provider};
use crate::server::Server;

/// The variable of the environment in which users give the key for a server that they name by its
/// address. Keys of providers are shown to those alone.
pub const KEY_VARIABLE: &str = "FOVEAL_MODEL_KEY";

/// What comes after a provider's name where http to another machine is asked for.
const PLAIN_HTTP: &str = "+http";

/// A model as users write it: `NAME:MODEL[@URL]`, which is also how it is shown.
///
/// Unencrypted http is for this machine alone; `NAME+http:MODEL@http://HOST` says that another
/// machine is meant all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSpec {
    provider: &'static Provider,
    model: String,
    /// Without a slash at the end; `None` for the usual one.
    address: Option<String>,
    plain_http: bool,
    /// Whether the user names the server by its address, so that the provider's key is not for it.
    is_elsewhere: bool,
}

/// Why a text names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum SpecError {
    #[error(
        "`{0}` is no model: write NAME:MODEL, such as anthropic:claude-sonnet-4-5 or ollama:qwen3; \
         names are {names}", names = names()
    )]
    Unknown(String),
    #[error("`{0}` names no model: write it after the colon, such as ollama:qwen3")]
    NoModel(String),
    #[error("`{0}` does not say where the server is: write {0}@https://HOST/v1")]
    NoAddress(String),
    #[error("`{0}` is no address of a server: write http://HOST:PORT or https://HOST")]
    Address(String),
    #[error(
        "the address of a server must not hold a name, password, question or fragment: give a key \
         in {KEY_VARIABLE}"
    )]
    Secret,
    #[error(
        "`{address}` is another machine, and http would send your code there for everybody on the \
         way to read: use https, or write {name}+http:MODEL@{address} if you want that"
    )]
    Unencrypted { name: &'static str, address: String },
}

fn names() -> String {
    PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>().join(", ")
}

impl ModelSpec {
    /// A model of a provider at its usual address.
    pub fn new(provider: &'static Provider, model: &str) -> Self {
        Self {
            provider,
            model: model.to_owned(),
            address: None,
            plain_http: false,
            is_elsewhere: false,
        }
    }

    /// The same at another address, which the environment gives beside the key.
    ///
    /// # Errors
    /// [`SpecError`] for an address that nothing may be sent to.
    pub fn at(self, address: &str) -> Result<Self, SpecError> {
        let address = with_scheme(address, self.provider);
        refuse(self.provider, &address, self.plain_http)?;
        Ok(Self { address: Some(address), ..self })
    }

    /// Another model of the same server.
    #[must_use]
    pub fn with_model(&self, model: &str) -> Self {
        Self { model: model.to_owned(), ..self.clone() }
    }

    /// The provider.
    pub fn provider(&self) -> &'static Provider {
        self.provider
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether the user names the server by its address: then no key of a provider is for it.
    pub fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// The server as it is asked, with this key. An address without a path has the usual one.
    pub fn server(&self, key: Option<ApiKey>) -> Server {
        let provider = self.provider;
        let usual = provider.address.unwrap_or_default();
        let base = self.address.as_deref().unwrap_or(usual);
        let is_usual = base == usual || base == usual.trim_end_matches("/v1");
        let dialect = if is_usual { provider.dialect } else { provider.dialect_elsewhere };
        let has_path = base.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        // Anthropic's clients are given the address without the version.
        let has_version = match dialect {
            Dialect::Messages => base.ends_with("/v1"),
            Dialect::Chat | Dialect::Responses => has_path,
        };
        let base = if has_version { base.to_owned() } else { format!("{base}/v1") };
        let key_variable = match provider.key_variable {
            Some(variable) if !self.is_elsewhere => variable,
            _ => KEY_VARIABLE,
        };
        let (name, model) = (provider.name, self.model.clone());
        let drops_bound_thinking = false;
        Server { name, dialect, base, key, key_variable, model, drops_bound_thinking }
    }
}

/// An address as clients of Ollama write it: a host and a port will do.
fn with_scheme(address: &str, provider: &Provider) -> String {
    let address = address.trim().trim_end_matches('/');
    match address.contains("://") || !provider.is_local() {
        true => address.to_owned(),
        // Servers listen there at all addresses; they are asked at this one.
        false => format!("http://{}", address.replace("0.0.0.0", "127.0.0.1")),
    }
}

fn refuse(provider: &'static Provider, address: &str, plain_http: bool) -> Result<(), SpecError> {
    let (name, text) = (provider.name, || address.to_owned());
    Err(match problem_of(address, plain_http) {
        None => return Ok(()),
        Some(AddressProblem::Secret) => SpecError::Secret,
        Some(AddressProblem::Unreadable) => SpecError::Address(text()),
        Some(AddressProblem::Unencrypted) => SpecError::Unencrypted { name, address: text() },
    })
}

impl FromStr for ModelSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        // No message repeats what may be a password.
        let shown = || match text.contains("://") {
            true => text.split("://").next().unwrap_or_default().to_owned(),
            false => text.to_owned(),
        };
        let (name, rest) = text.split_once(':').ok_or_else(|| SpecError::Unknown(shown()))?;
        let (name, plain_http) = match name.strip_suffix(PLAIN_HTTP) {
            Some(name) => (name, true),
            None => (name, false),
        };
        let provider = Provider::named(name).ok_or_else(|| SpecError::Unknown(shown()))?;
        // Names of models may have an `@` themselves.
        let at = ["@http://", "@https://"].iter().filter_map(|mark| rest.find(mark)).min();
        let (model, address) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        if model.trim().is_empty() || model.contains(char::is_control) || model.contains("://") {
            return Err(SpecError::NoModel(shown()));
        }
        let address = address.map(|address| address.trim_end_matches('/').to_owned());
        match &address {
            Some(address) => refuse(provider, address, plain_http)?,
            None if provider.address.is_none() => return Err(SpecError::NoAddress(shown())),
            None => {}
        }
        let (model, is_elsewhere) = (model.to_owned(), address.is_some());
        Ok(Self { provider, model, address, plain_http, is_elsewhere })
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = if self.plain_http { PLAIN_HTTP } else { "" };
        write!(formatter, "{}{plain}:{}", self.provider.name, self.model)?;
        // What the environment says it says the next time, too.
        let address = self.address.as_ref().filter(|_| self.is_elsewhere);
        address.map_or(Ok(()), |address| write!(formatter, "@{address}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> String {
        let spec: ModelSpec = text.parse().expect("it is a model");
        assert_eq!(spec.to_string(), text.trim_end_matches('/'));
        spec.server(None).url()
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
            assert!(matches!(error(text), SpecError::Unknown(_)), "{text}");
        }
        for text in ["ollama:", "ollama:@http://127.0.0.1:1", "ollama:http://127.0.0.1:1"] {
            assert!(matches!(error(text), SpecError::NoModel(_)), "{text}");
        }
        assert_eq!(error("chat:m"), SpecError::NoAddress("chat:m".to_owned()));
        assert!(matches!(error("ollama:m@http://gpu:11434"), SpecError::Unencrypted { .. }));
        assert_eq!(error("ollama:m@http://"), SpecError::Address("http:".to_owned()));
        for text in ["chat:m@https://me:secret@a.example", "nobody:m@https://secret@a.example"] {
            assert!(!error(text).to_string().contains("secret"), "{text}");
        }
    }

    /// A provider's key goes to that provider alone.
    #[test]
    fn a_key_is_for_who_it_is_of() {
        let variable =
            |text: &str| text.parse::<ModelSpec>().expect("a model").server(None).key_variable;
        assert_eq!(variable("anthropic:m"), "ANTHROPIC_API_KEY");
        assert_eq!(variable("anthropic:m@https://a.example"), KEY_VARIABLE);
        assert_eq!(variable("ollama:m"), KEY_VARIABLE);
        let anthropic = Provider::named("anthropic").expect("it is known");
        let moved = ModelSpec::new(anthropic, "m").at("https://a.example").expect("an address");
        assert_eq!(moved.server(None).key_variable, "ANTHROPIC_API_KEY");
    }

    #[test]
    fn addresses_of_the_environment_are_read_as_their_clients_read_them() {
        let base = |provider: &str, address: &str| {
            let provider = Provider::named(provider).expect("it is known");
            ModelSpec::new(provider, "m").at(address).map(|spec| spec.server(None).base)
        };
        assert_eq!(base("ollama", "0.0.0.0:99"), Ok("http://127.0.0.1:99/v1".to_owned()));
        assert_eq!(base("ollama", "http://localhost:99/"), Ok("http://localhost:99/v1".to_owned()));
        assert!(matches!(base("ollama", "gpu:99"), Err(SpecError::Unencrypted { .. })));
        assert_eq!(base("anthropic", "https://a.example"), Ok("https://a.example/v1".to_owned()));
        assert!(matches!(base("anthropic", "a.example"), Err(SpecError::Address(_))));
    }
}
