//! Which server and which model: `ollama:MODEL`, `openai:MODEL@https://HOST/v1`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use foveal_index::embed::ModelId;
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
        if let Some(address) = address {
            refuse(address, protocol, plain_http)?;
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
    let wrong = || SpecError::Address(address.to_owned());
    // Before anything else, so that no message repeats it.
    if address.contains(['@', '?', '#']) {
        return Err(SpecError::Secret);
    }
    let uri: Uri = address.parse().map_err(|_| wrong())?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
    if uri.scheme_str() == Some("http") && !plain_http && !is_this_machine(host) {
        let (address, protocol) = (address.to_owned(), protocol.name());
        return Err(SpecError::Unencrypted { address, protocol });
    }
    Ok(())
}

fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let spec: Result<ServerSpec, SpecError> = text.parse();
        let told = match spec {
            Ok(spec) => {
                assert_eq!(spec.to_string().parse(), Ok(spec.clone()), "{text}");
                format!("{} at {}", spec.identity(), spec.url())
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn servers_and_models() {
        check(
            "ollama:nomic-embed-text",
            "ollama:nomic-embed-text at http://127.0.0.1:11434/api/embed",
        );
        check("ollama:a:latest@http://[::1]:80/", "ollama:a:latest at http://[::1]:80/api/embed");
        check("openai:te-3", "openai:te-3 at https://api.openai.com/v1/embeddings");
        check("openai:@cf/b@https://h/x/v1", "openai:@cf/b at https://h/x/v1/embeddings");
        check("openai:m@http://localhost:8080", "openai:m at http://localhost:8080/v1/embeddings");
        check("openai:m@https://h/v1/embeddings", "openai:m at https://h/v1/embeddings");
        check("ollama+http:m@http://lan:1", "ollama:m at http://lan:1/api/embed");
    }

    #[test]
    fn what_is_refused() {
        let unknown = |text: &str| {
            format!(
                "`{text}` is no embedder: write built-in, none, ollama:MODEL or openai:MODEL, with \
                 @URL after the model for another server than the usual one"
            )
        };
        check("http://localhost:1", &unknown("http://localhost:1"));
        check("nomic", &unknown("nomic"));
        check(
            "ollama:@https://h",
            "`ollama:@https://h` names no model: write it after the colon, such as \
             ollama:nomic-embed-text",
        );
        for address in ["http://", "ftp://h", "https:///v1"] {
            let none = "is no address of a server: write http://HOST:PORT or https://HOST";
            check(&format!("openai:m@{address}"), &format!("`{address}` {none}"));
        }
        let secret = "the address of a server must not hold a name, password, question or \
                      fragment: give a key in FOVEAL_EMBEDDINGS_KEY";
        check("openai:m@https://me:secret@h", secret);
        check("openai:m@https://h/v1?key=secret", secret);
        for host in ["lan:1", "10.0.0.7", "localhost.evil.example", "127.0.0.1.evil.example"] {
            check(
                &format!("ollama:m@http://{host}"),
                &format!(
                    "`http://{host}` is another machine, and http would send your code there for \
                     everybody on the way to read: use https, or write ollama+http:MODEL@http://\
                     {host} if you want that"
                ),
            );
        }
    }
}
