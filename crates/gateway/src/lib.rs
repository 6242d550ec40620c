//! The HTTP gateway in front of model APIs. An agent uses it as its base URL; the gateway forwards
//! each request to the API that the agent would have asked, and passes the response back unchanged.
//!
//! A [`Shaper`](shaper::Shaper) decides about the body of a request; the gateway itself knows
//! nothing of conversations. For a shaper, [`decision_recorder`] stores decisions and
//! [`parallel_views`] prepares views on other threads. If anything fails here, the client's own bytes
//! are forwarded, so the client gets the upstream's answer, or its error.

use foveal_providers::{body, client};

mod access_control;
mod cache_keep_alive;
mod compress_api;
mod connection_activity;
mod content_decoder;
mod credentials;
mod decision;
mod exchange_recorder;
mod first_byte_timeout;
mod headers;
mod metrics;
mod pages;
mod prefetcher;
mod refusal;
mod request_body;
mod request_head;
mod request_purpose;
mod response_body;
mod server;
mod service;
mod trace_parent;
mod websocket;

pub mod adaptive_keep_alive;
pub mod cost_ledger;
pub mod decision_recorder;
pub mod exchange;
pub mod gateway_totals;
pub mod keep_alive_policy;
pub mod parallel_views;
pub mod request_logger;
pub mod request_prices;
pub mod request_record;
pub mod settings;
pub mod shaper;
pub mod traces;
pub mod upstream_selection;

pub use foveal_http_guard::AccessToken;
pub use foveal_providers::ProxySettings;
pub use server::Gateway;
pub use settings::{GatewayLimits, ServeError, Settings, WebSocketPolicy};
pub use trace_parent::{SpanId, TraceId, TraceParent};
