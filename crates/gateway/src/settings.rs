//! The settings of the gateway, and the reasons why it cannot serve.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use foveal_http_guard::AccessToken;
use foveal_providers::ProxySettings;
use foveal_transcript::Timestamp;

use crate::exchange::ExchangeObserver;
use crate::keep_alive_policy::KeepAlivePolicy;
use crate::shaper::Shaper;
use crate::upstream_selection::Upstreams;

/// The settings of the gateway.
#[derive(Clone)]
pub struct Settings {
    /// The address to listen at.
    pub address: SocketAddr,
    /// The token that clients have to send in the header `x-foveal-token`; `None` for no token. An
    /// address that other machines reach requires one.
    pub token: Option<AccessToken>,
    /// Additional host names of the gateway, beside those of this machine for itself.
    pub hosts: Vec<String>,
    /// The servers that requests are forwarded to.
    pub upstreams: Upstreams,
    /// Shapes the bodies of requests.
    pub shaper: Arc<dyn Shaper>,
    /// Receives a report of every request.
    pub observer: Arc<dyn ExchangeObserver>,
    /// Returns the current time.
    pub now: fn() -> Timestamp,
    /// The policy for WebSockets to models, which cannot be shaped.
    pub websockets: WebSocketPolicy,
    /// The policy that keeps caches alive while clients pause; `None` for never.
    pub keep_alive: Option<Arc<dyn KeepAlivePolicy>>,
    /// The proxies for upstreams. This machine is asked directly.
    pub proxies: ProxySettings,
    /// The resource limits.
    pub limits: GatewayLimits,
}

/// The policy for WebSockets to models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WebSocketPolicy {
    /// They are refused at once, so that the client falls back to HTTP.
    #[default]
    Refused,
    /// They are forwarded unshaped.
    Forwarded,
}

/// The resource limits of the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Bytes of one body, received and decoded. A longer body is forwarded unshaped.
    pub body_bytes: usize,
    /// Bytes of all bodies in memory.
    pub all_bodies_bytes: usize,
    /// The number of open connections.
    pub connections: usize,
    /// The time for a decision. Afterwards the fallback is sent.
    pub decision_timeout: Duration,
    /// The time for the head of a request.
    pub head_timeout: Duration,
    /// The time that a client may send nothing while its body is expected.
    pub body_idle_timeout: Duration,
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self {
            body_bytes: 100 << 20,
            all_bodies_bytes: 512 << 20,
            connections: 2_048,
            decision_timeout: Duration::from_millis(300),
            head_timeout: Duration::from_secs(15),
            body_idle_timeout: Duration::from_secs(60),
        }
    }
}

/// The reasons why the gateway cannot serve.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ServeError {
    #[error(
        "other machines can reach {0}; listen on 127.0.0.1, or set FOVEAL_SERVE_TOKEN to a token \
         that clients must send in the header x-foveal-token"
    )]
    NoToken(SocketAddr),
    #[error("cannot listen on {address}; choose another port")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("cannot start the server: {0}")]
    Start(#[source] io::Error),
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}
