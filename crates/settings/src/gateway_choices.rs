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
    /// Nothing: requests pass as they are, and are counted.
    Off,
    /// Everything visible stays visible somewhere in the prompt.
    Lossless,
    /// Long output is cut, and old results are reduced in rare batches.
    Balanced,
    /// As balanced, and of long files only what matters when they are first read.
    Curated,
    /// As balanced, sooner and further.
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
    /// Where that pays.
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
    /// They are refused, so that the agent speaks HTTP.
    Refuse,
    /// They pass as they are.
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
