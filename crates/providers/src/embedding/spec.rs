//! Embedder specifications of users: `ollama:MODEL`, `openai:MODEL@https://HOST/v1`.

use std::fmt;
use std::str::FromStr;

use foveal_relevance::embedding::ModelId;
use ureq::http::Uri;

use crate::address::{AddressProblem, PLAIN_HTTP, find_address_problem};

use crate::embedding::error::EmbeddingSpecError;

/// The API of an embedding server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingProtocol {
    /// `POST /v1/embeddings`, which many servers offer: <https://platform.openai.com/docs/api-reference/embeddings>.
    OpenAi,
    /// `POST /api/embed`: <https://github.com/ollama/ollama/blob/main/docs/api.md>.
    Ollama,
}

impl EmbeddingProtocol {
    /// Returns `openai` or `ollama`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }

    fn default_address(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// A model on a server, written `PROTOCOL:MODEL[@URL]`, which is also its display form.
///
/// Unencrypted HTTP is accepted for this machine only; `PROTOCOL+http:MODEL@http://HOST` allows it
/// for another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingServerSpec {
    protocol: EmbeddingProtocol,
    model: String,
    /// Without a trailing slash; `None` for the usual address.
    address: Option<String>,
    plain_http: bool,
}

impl EmbeddingServerSpec {
    /// Returns the protocol.
    pub fn protocol(&self) -> EmbeddingProtocol {
        self.protocol
    }

    /// Returns the name of the model on the server.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the identity of the model in an index. The server is not part of it: beside its
    /// name, a model is recognised by its vectors.
    pub fn identity(&self) -> ModelId {
        ModelId::new(format!("{}:{}", self.protocol.name(), self.model))
    }

    /// Returns whether requests go to the same scheme, host and port as those of `other`, so that
    /// both may use the same key.
    pub fn has_same_origin(&self, other: &Self) -> bool {
        let (one, other) = (origin(&self.url()), origin(&other.url()));
        one.is_some() && one == other
    }

    /// Returns the address for requests.
    pub(crate) fn url(&self) -> String {
        let base = self.address.as_deref().unwrap_or(self.protocol.default_address());
        let has_path = base.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        match self.protocol {
            EmbeddingProtocol::OpenAi if base.ends_with("/embeddings") => base.to_owned(),
            EmbeddingProtocol::OpenAi if has_path => format!("{base}/embeddings"),
            EmbeddingProtocol::OpenAi => format!("{base}/v1/embeddings"),
            EmbeddingProtocol::Ollama if base.ends_with("/api/embed") => base.to_owned(),
            EmbeddingProtocol::Ollama => format!("{base}/api/embed"),
        }
    }
}

impl FromStr for EmbeddingServerSpec {
    type Err = EmbeddingSpecError;

    fn from_str(text: &str) -> Result<Self, EmbeddingSpecError> {
        let unknown = || EmbeddingSpecError::Unknown(text.to_owned());
        let (name, rest) = text.split_once(':').ok_or_else(unknown)?;
        let (name, plain_http) =
            name.strip_suffix(PLAIN_HTTP).map_or((name, false), |name| (name, true));
        let protocols = [EmbeddingProtocol::OpenAi, EmbeddingProtocol::Ollama];
        let protocol = protocols.into_iter().find(|one| one.name() == name).ok_or_else(unknown)?;
        // Model names may contain `@` and `:` themselves.
        let at = ["@http://", "@https://"].iter().filter_map(|mark| rest.rfind(mark)).max();
        let (model, address) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        if model.trim().is_empty() || model.contains(char::is_control) {
            return Err(EmbeddingSpecError::NoModel(text.to_owned()));
        }
        if let Some((_, address)) = model.split_once('@').filter(|_| model.contains("://")) {
            return Err(EmbeddingSpecError::Address(address.to_owned()));
        }
        match address {
            Some(address) => check_address(address, protocol, plain_http)?,
            None => check_model_name(model, text)?,
        }
        let address = address.map(|address| address.trim_end_matches('/').to_owned());
        Ok(Self { protocol, model: model.to_owned(), address, plain_http })
    }
}

impl fmt::Display for EmbeddingServerSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = if self.plain_http { PLAIN_HTTP } else { "" };
        write!(formatter, "{}{plain}:{}", self.protocol.name(), self.model)?;
        self.address.as_ref().map_or(Ok(()), |address| write!(formatter, "@{address}"))
    }
}

/// Rejects a text that is not an address of a server, or an address that may not receive texts.
fn check_address(
    address: &str,
    protocol: EmbeddingProtocol,
    plain_http: bool,
) -> Result<(), EmbeddingSpecError> {
    let (text, protocol) = (|| address.to_owned(), protocol.name());
    Err(match find_address_problem(address, plain_http) {
        None => return Ok(()),
        Some(AddressProblem::Secret) => EmbeddingSpecError::Secret,
        Some(AddressProblem::Port) => EmbeddingSpecError::Port(text()),
        Some(AddressProblem::Unreadable) => EmbeddingSpecError::Address(text()),
        Some(AddressProblem::Unencrypted) => {
            EmbeddingSpecError::Unencrypted { address: text(), protocol }
        }
    })
}

/// Rejects a model whose name ends with a text that looks like a server: a key meant for that
/// server would go to the usual one. Accepts names such as `@cf/b` and `m@001`.
fn check_model_name(model: &str, text: &str) -> Result<(), EmbeddingSpecError> {
    let Some((before, host)) = model.rsplit_once('@').filter(|(before, _)| !before.is_empty())
    else {
        return Ok(());
    };
    let server = host.split(['/', '?', '#']).next().unwrap_or_default();
    let (name, port) = server.rsplit_once(':').unwrap_or((server, ""));
    let is_host = host.starts_with("//")
        || server.starts_with('[')
        || server.contains('.')
        || name.eq_ignore_ascii_case("localhost")
        || port.parse::<u16>().is_ok();
    if !is_host {
        return Ok(());
    }
    // No message repeats a text that may be a password.
    if before.trim_start_matches('@').contains('@') || host.contains(['?', '#']) {
        return Err(EmbeddingSpecError::Secret);
    }
    let begin = text.strip_suffix(host).unwrap_or_default().to_owned();
    Err(EmbeddingSpecError::NoScheme { begin, host: host.trim_start_matches('/').to_owned() })
}

/// Returns scheme, host and port of an address.
fn origin(url: &str) -> Option<(String, String, u16)> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let usual = if scheme == "https" { 443 } else { 80 };
    Some((scheme, uri.host()?.to_ascii_lowercase(), uri.port_u16().unwrap_or(usual)))
}

#[cfg(test)]
mod tests;
