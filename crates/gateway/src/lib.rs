//! The engine in front of model APIs: an agent is pointed here by its base URL, its requests go on
//! to the API that it would have asked, and the answers come back as they are.
//!
//! What becomes of a request's body a [`Shaper`](shaper::Shaper) decides; the gateway knows nothing
//! of conversations. Whatever fails on our side, the client's own bytes go: the answer is the
//! upstream's, or its error.

use foveal_asking::{body, client};

mod activity;
mod answer;
mod compressing;
mod credentials;
mod decoding;
mod gate;
mod getting_ready;
mod head;
mod headers;
mod incoming;
mod listen;
mod pages;
mod refusal;
mod route;
mod service;
mod speaking;
mod told;
mod trace_parent;
mod warmer;
mod websocket;

pub mod exchange;
pub mod settings;
pub mod shaper;
pub mod traces;
pub mod upstream;
pub mod warm;

pub use foveal_asking::ProxySettings;
pub use foveal_listening::Token;
pub use listen::Gateway;
pub use settings::{Limits, ServeError, Settings, WebSockets};
pub use trace_parent::{SpanId, TraceId, TraceParent};
