//! Values of options that are chosen by name.

use clap::ValueEnum;
use foveal_gateway::WebSocketPolicy;
use foveal_proxy::rules::BreakpointMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reduction that is applied to requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GatewayProfile {
    /// Nothing is shortened: requests pass unchanged, and are counted.
    Off,
    /// Everything visible stays visible somewhere in the prompt.
    Lossless,
    /// Long output is cut, and old results are reduced in rare batches.
    Balanced,
    /// Like balanced, and only the important parts of long files when they are first read.
    Curated,
    /// Like balanced, but earlier and more.
    Max,
}

impl GatewayProfile {
    /// Returns the name of the engine's profile; `None` for [`Off`](Self::Off).
    pub fn engine_profile_name(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Lossless => Some("lossless"),
            Self::Balanced => Some("balanced"),
            Self::Curated => Some("curated"),
            Self::Max => Some("max"),
        }
    }
}

/// Whether prompts are marked for the provider's cache beside what their agent marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheChoice {
    /// Where that saves money.
    Auto,
    /// Never.
    Off,
}

impl From<CacheChoice> for BreakpointMode {
    fn from(choice: CacheChoice) -> Self {
        match choice {
            CacheChoice::Auto => Self::Auto,
            CacheChoice::Off => Self::Off,
        }
    }
}

/// The treatment of WebSocket connections to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebSocketChoice {
    /// They are refused, so that the agent uses HTTP.
    Refuse,
    /// They pass unchanged.
    Pass,
}

impl From<WebSocketChoice> for WebSocketPolicy {
    fn from(choice: WebSocketChoice) -> Self {
        match choice {
            WebSocketChoice::Refuse => Self::Refused,
            WebSocketChoice::Pass => Self::Forwarded,
        }
    }
}
