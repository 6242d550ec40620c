//! Settings of the HTTP transport, and why they are refused.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use foveal_http_guard::AccessToken;

/// The path of the endpoint.
pub const MCP_PATH: &str = "/mcp";

/// Settings of the HTTP transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// The address to listen at.
    pub address: SocketAddr,
    /// Whether other machines may reach the address. This requires a token.
    pub is_public: bool,
    /// The bearer token that clients must send; `None`: no authentication.
    pub token: Option<AccessToken>,
    /// Host names that the server answers to, beside those of the local machine at its own port. A
    /// name with a port matches only that port.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call (`https://a.example`); others are refused.
    pub origins: Vec<String>,
    /// Connections at once. A new one beyond that closes an idle one.
    pub connections_max: usize,
    /// Time-outs for clients.
    pub timeouts: HttpTimeouts,
}

/// Time-outs for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpTimeouts {
    /// To send the head of a request.
    pub head: Duration,
    /// To send the body.
    pub body: Duration,
    /// To send the body while new connections wait for admission.
    pub body_crowded: Duration,
    /// Without reading, while output is waiting.
    pub write_stall: Duration,
}

impl Default for HttpTimeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            body_crowded: Duration::from_secs(1),
            write_stall: Duration::from_secs(30),
        }
    }
}

impl HttpSettings {
    /// Local clients only, at `address`.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            is_public: false,
            token: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            connections_max: 256,
            timeouts: HttpTimeouts::default(),
        }
    }
}

/// Why HTTP clients cannot be served.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum HttpError {
    /// Other machines could reach the address, which is not wanted.
    #[error(
        "other machines can reach {0}; listen on 127.0.0.1, or use --public and set \
         FOVEAL_MCP_TOKEN"
    )]
    Public(SocketAddr),
    /// Other machines could reach the address without a token.
    #[error("other machines can reach {0}; set FOVEAL_MCP_TOKEN to a token that clients must send")]
    NoToken(SocketAddr),
    /// No other machine could reach the address, although that is wanted.
    #[error(
        "other machines cannot reach {0}; to serve them, use an address that they can reach, such \
         as 0.0.0.0:{port}", port = .0.port()
    )]
    NotPublic(SocketAddr),
    #[error(
        "`{0}` is not a valid host name; use one such as box.example, box.example:8080 or \
         [::1]:8080"
    )]
    Host(String),
    #[error("cannot listen on {address}; choose another port")]
    Listen { address: SocketAddr, source: io::Error },
    /// The operating system refused a resource.
    #[error("cannot start the server: {0}")]
    Start(#[source] io::Error),
}
