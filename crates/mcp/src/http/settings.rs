//! How clients over HTTP are served, and why they may not be.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use foveal_listening::Token;

/// Where the protocol is spoken.
pub const PATH: &str = "/mcp";

/// Who may come in over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Where to listen.
    pub address: SocketAddr,
    /// Whether the address may be one that other machines reach. Then a token is needed.
    pub is_public: bool,
    /// What clients have to show as a bearer token; `None`: nothing.
    pub token: Option<Token>,
    /// Names under which the server may be addressed, beside those of this machine for itself at
    /// its own port. One with a port is meant with that port alone.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call (`https://a.example`); pages of others are refused.
    pub origins: Vec<String>,
    /// Connections at once. For a new one another is closed that only waits.
    pub connections_max: usize,
    /// How long clients may take.
    pub patience: Patience,
}

/// How long clients may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request.
    pub head: Duration,
    /// For its body.
    pub body: Duration,
    /// For its body while there is no room for others.
    pub body_crowded: Duration,
    /// Without taking anything of what they are sent.
    pub stuck: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            body_crowded: Duration::from_secs(1),
            stuck: Duration::from_secs(30),
        }
    }
}

impl HttpSettings {
    /// This machine alone, at `address`.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            is_public: false,
            token: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            connections_max: 256,
            patience: Patience::default(),
        }
    }
}

/// Why clients over HTTP are not served.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum HttpError {
    /// Other machines could reach it, and nobody wanted that.
    #[error(
        "other machines can reach {0}; listen at 127.0.0.1, or say that this is wanted and set a \
         token"
    )]
    Public(SocketAddr),
    /// Other machines could reach it without a token.
    #[error("other machines can reach {0}; set a token that clients have to show")]
    NoToken(SocketAddr),
    /// No other machine could reach it, although that is wanted.
    #[error(
        "other machines cannot reach {0}; to serve them name an address that they can, as \
         0.0.0.0:{port}", port = .0.port()
    )]
    NotPublic(SocketAddr),
    #[error("`{0}` is no name of a host; name one as box.example, box.example:8080 or [::1]:8080")]
    Host(String),
    #[error("cannot listen at {address}; choose another port")]
    Listen { address: SocketAddr, source: io::Error },
    /// The machine has no means for it.
    #[error("cannot begin to serve: {0}")]
    Start(#[source] io::Error),
}
