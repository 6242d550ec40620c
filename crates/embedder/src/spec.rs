//! Which server and which model: `ollama:MODEL`, `openai:MODEL@https://HOST/v1`.

use std::fmt;
use std::str::FromStr;

use foveal_asking::{AddressProblem, problem_of};
use foveal_code::embed::ModelId;
use ureq::http::Uri;

use crate::error::SpecError;

/// What comes after a protocol's name where http to another machine is asked for.
const PLAIN_HTTP: &str = "+http";

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `POST /v1/embeddings`, which many servers offer: <https://platform.openai.com/docs/api-reference/embeddings>.
    OpenAi,
    /// `POST /api/embed`: <https://github.com/ollama/ollama/blob/main/docs/api.md>.
    Ollama,
}

impl Protocol {
    /// `openai` or `ollama`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }

    fn usual_address(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// A model behind a server. Written `PROTOCOL:MODEL[@URL]`, which is also how it is read.
///
/// Unencrypted http is for this machine alone; `PROTOCOL+http:MODEL@http://HOST` says that
/// another machine is meant all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    protocol: Protocol,
    model: String,
    /// Without a slash at the end; `None` for the usual one.
    address: Option<String>,
    plain_http: bool,
}

impl ServerSpec {
    /// How it is asked.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The model's name as the server knows it.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The model as an index knows it. The server is no part of it: what a model is known by
    /// beside its name is what it answers.
    pub fn identity(&self) -> ModelId {
        ModelId::new(format!("{}:{}", self.protocol.name(), self.model))
    }

    /// Whether requests go to the same scheme, host and port as those of `other`: to a server
    /// that may have the same key.
    pub fn is_at_server_of(&self, other: &Self) -> bool {
        let (one, other) = (origin(&self.url()), origin(&other.url()));
        one.is_some() && one == other
    }

    /// Where requests go.
    pub(crate) fn url(&self) -> String {
        let base = self.address.as_deref().unwrap_or(self.protocol.usual_address());
        let has_path = base.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        match self.protocol {
            Protocol::OpenAi if base.ends_with("/embeddings") => base.to_owned(),
            Protocol::OpenAi if has_path => format!("{base}/embeddings"),
            Protocol::OpenAi => format!("{base}/v1/embeddings"),
            Protocol::Ollama if base.ends_with("/api/embed") => base.to_owned(),
            Protocol::Ollama => format!("{base}/api/embed"),
        }
    }
}

impl FromStr for ServerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let unknown = || SpecError::Unknown(text.to_owned());
        let (name, rest) = text.split_once(':').ok_or_else(unknown)?;
        let (name, plain_http) =
            name.strip_suffix(PLAIN_HTTP).map_or((name, false), |name| (name, true));
        let protocols = [Protocol::OpenAi, Protocol::Ollama];
        let protocol = protocols.into_iter().find(|one| one.name() == name).ok_or_else(unknown)?;
        // Names of models may hold `@` and `:` themselves.
        let at = ["@http://", "@https://"].iter().filter_map(|mark| rest.rfind(mark)).max();
        let (model, address) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        if model.trim().is_empty() || model.contains(char::is_control) {
            return Err(SpecError::NoModel(text.to_owned()));
        }
        if let Some((_, address)) = model.split_once('@').filter(|_| model.contains("://")) {
            return Err(SpecError::Address(address.to_owned()));
        }
        match address {
            Some(address) => refuse(address, protocol, plain_http)?,
            None => refuse_host(model, text)?,
        }
        let address = address.map(|address| address.trim_end_matches('/').to_owned());
        Ok(Self { protocol, model: model.to_owned(), address, plain_http })
    }
}

impl fmt::Display for ServerSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = if self.plain_http { PLAIN_HTTP } else { "" };
        write!(formatter, "{}{plain}:{}", self.protocol.name(), self.model)?;
        self.address.as_ref().map_or(Ok(()), |address| write!(formatter, "@{address}"))
    }
}

/// Refuses what is no address of a server, or none that texts may be sent to.
fn refuse(address: &str, protocol: Protocol, plain_http: bool) -> Result<(), SpecError> {
    let (text, protocol) = (|| address.to_owned(), protocol.name());
    Err(match problem_of(address, plain_http) {
        None => return Ok(()),
        Some(AddressProblem::Secret) => SpecError::Secret,
        Some(AddressProblem::Unreadable) => SpecError::Address(text()),
        Some(AddressProblem::Unencrypted) => SpecError::Unencrypted { address: text(), protocol },
    })
}

/// Refuses a model whose name ends with what looks like a server: a key meant for that one
/// would go to the usual one. Names such as `@cf/b` and `m@001` are none.
fn refuse_host(model: &str, text: &str) -> Result<(), SpecError> {
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
    // No message repeats what may be a password.
    if before.trim_start_matches('@').contains('@') || host.contains(['?', '#']) {
        return Err(SpecError::Secret);
    }
    let begin = text.strip_suffix(host).unwrap_or_default().to_owned();
    Err(SpecError::NoScheme { begin, host: host.trim_start_matches('/').to_owned() })
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> Option<(String, String, u16)> {
    let uri: Uri = url.parse().ok()?;
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let usual = if scheme == "https" { 443 } else { 80 };
    Some((scheme, uri.host()?.to_ascii_lowercase(), uri.port_u16().unwrap_or(usual)))
}

#[cfg(test)]
mod tests;
