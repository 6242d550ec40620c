//! How the gateway serves, and why it may not.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use foveal_asking::ProxySettings;
use foveal_listening::Token;
use foveal_transcript::Timestamp;

use crate::exchange::Observer;
use crate::shaper::Shaper;
use crate::upstream::Upstreams;
use crate::warm::KeepsWarm;

/// How the gateway serves.
#[derive(Clone)]
pub struct Settings {
    /// Where to listen.
    pub address: SocketAddr,
    /// What clients have to show in the header `x-foveal-token`; `None`: nothing. An address that
    /// other machines reach needs one.
    pub token: Option<Token>,
    /// Names under which it may be addressed, beside those of this machine for itself.
    pub hosts: Vec<String>,
    /// Where requests go.
    pub upstreams: Upstreams,
    /// Decides what goes.
    pub shaper: Arc<dyn Shaper>,
    /// Is told of every request.
    pub observer: Arc<dyn Observer>,
    /// Tells the time.
    pub now: fn() -> Timestamp,
    /// What becomes of connections over which a client would speak on its own terms, and where
    /// nothing can be done for it.
    pub websockets: WebSockets,
    /// Whether and when caches are kept warm while clients pause; `None`: never.
    pub keep_warm: Option<Arc<dyn KeepsWarm>>,
    /// The proxies through which upstreams are asked. This machine is asked directly.
    pub proxies: ProxySettings,
    /// What may be used.
    pub limits: Limits,
}

/// What becomes of WebSockets to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WebSockets {
    /// They are refused at once, so that the client speaks HTTP.
    #[default]
    Refused,
    /// They are passed through, and nothing is done for them.
    Passed,
}

/// What may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one body, as it comes and decoded. What is longer is passed on as it comes.
    pub body_bytes: usize,
    /// Bytes of all bodies together that are held at the same time.
    pub all_bodies_bytes: usize,
    /// Connections at once.
    pub connections: usize,
    /// How long a decision may take. Then the client's own bytes go.
    pub decision: Duration,
    /// How long a client may take for the head of a request.
    pub head: Duration,
    /// How long a client may send nothing while its body is expected.
    pub body_pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 100 << 20,
            all_bodies_bytes: 512 << 20,
            connections: 2_048,
            decision: Duration::from_millis(300),
            head: Duration::from_secs(15),
            body_pause: Duration::from_secs(60),
        }
    }
}

/// Why the gateway cannot serve.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ServeError {
    #[error(
        "other machines can reach {0}; listen at 127.0.0.1, or set a token that clients have to \
         show in the header x-foveal-token"
    )]
    NoToken(SocketAddr),
    #[error("cannot listen at {address}; choose another port")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("cannot begin to serve: {0}")]
    Start(#[source] io::Error),
    #[error("cannot speak TLS: {0}")]
    Tls(#[from] rustls::Error),
}
