//! The `[gateway]` section of a settings file.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

use foveal_gateway::traces::TraceCollector;
use foveal_gateway::upstream_selection::{UpstreamConfig, UpstreamConfigError, is_upstream_name};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::gateway_choices::{CacheChoice, GatewayProfile, WebSocketChoice};
use crate::price_rule::PriceRule;
use crate::setting_values::{NumberOrText, deserialize_checked, deserialize_glob};

/// The port that a gateway listens at by default.
pub const LISTEN_PORT: u16 = 4117;

/// The largest time limit of a decision, in milliseconds.
const DECISION_TIME_MAX_MS: u64 = 60_000;

/// The gateway of `foveal serve` and `foveal wrap`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GatewaySection {
    /// The port of this machine, or the address, at which `foveal serve` listens.
    #[serde(deserialize_with = "deserialize_listen_address")]
    #[schemars(with = "NumberOrText", extend("default" = LISTEN_PORT))]
    pub listen: SocketAddr,
    /// The reduction of results in requests.
    pub profile: GatewayProfile,
    /// Whether marks for Claude's cache are set where the agent sets none.
    pub cache: CacheChoice,
    /// The handling of WebSockets to a model.
    pub websockets: WebSocketChoice,
    /// The time limit for shortening a request, in milliseconds. After that, the request is sent
    /// with only the replacements of earlier requests.
    #[serde(deserialize_with = "deserialize_decision_time")]
    #[schemars(range(min = 1, max = DECISION_TIME_MAX_MS))]
    pub decision_time_ms: u64,
    /// Names of this machine, beside its own, by which clients may address it.
    pub hosts: Vec<String>,
    /// Whether Claude's cache is refreshed before it expires.
    pub keep_warm: bool,
    /// The address of the collector that traces go to.
    #[serde(deserialize_with = "deserialize_collector")]
    #[schemars(with = "Option<String>")]
    pub otel: Option<TraceCollector>,
    /// Profiles of some requests, by `model` and `agent`; the first match wins.
    pub rules: Vec<GatewayRule>,
    /// Prices of models, by `model` and `upstream`; the first match wins.
    pub prices: Vec<PriceRule>,
    /// The server for all requests that name no other.
    #[serde(deserialize_with = "deserialize_upstream_address")]
    upstream: Option<String>,
    /// The address of a server that a path or a header names.
    #[schemars(extend("propertyNames" = { "title": "NAME" }))]
    upstreams: BTreeMap<UpstreamName, UpstreamAddress>,
}

impl Default for GatewaySection {
    fn default() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, LISTEN_PORT).into(),
            profile: GatewayProfile::Balanced,
            cache: CacheChoice::Auto,
            websockets: WebSocketChoice::Refuse,
            decision_time_ms: 300,
            hosts: Vec::new(),
            keep_warm: false,
            otel: None,
            rules: Vec::new(),
            prices: Vec::new(),
            upstream: None,
            upstreams: BTreeMap::new(),
        }
    }
}

impl GatewaySection {
    /// Returns the upstreams.
    pub fn upstream_config(&self) -> UpstreamConfig {
        let mut upstreams = UpstreamConfig::default();
        let checked = "names and addresses were checked during parsing";
        if let Some(address) = &self.upstream {
            upstreams.set_default(address).expect(checked);
        }
        for (name, address) in &self.upstreams {
            upstreams.add_named(&name.0, &address.0).expect(checked);
        }
        upstreams
    }
}

/// The profile of requests whose model and agent match the globs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GatewayRule {
    /// The models, as a glob over the whole name; all if not set.
    #[serde(default, deserialize_with = "deserialize_glob")]
    pub model: Option<String>,
    /// The agents, as a glob over the start of their name; all if not set.
    #[serde(default, deserialize_with = "deserialize_glob")]
    pub agent: Option<String>,
    /// The profile of requests that name none.
    pub profile: GatewayProfile,
}

/// The reason why a value is rejected.
#[derive(Debug, thiserror::Error)]
enum GatewayValueError {
    #[error(
        "`{0}` is not a valid listen address: give a port of this machine (0 to 65535), such \
         as 4117, or an address, such as \"0.0.0.0:4117\""
    )]
    Listen(String),
    #[error("{0} ms is out of range: a decision may take 1 to {DECISION_TIME_MAX_MS}")]
    DecisionTime(u64),
}

/// The error for a text that is not a listen address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a port from 0 to 65535, such as 8080, or an address with a port, such as \
     127.0.0.1:8080"
)]
pub struct ListenAddressError;

/// Parses a listen address; a port alone means the loopback interface.
///
/// # Errors
/// If the text is no address.
pub fn parse_listen_address(text: &str) -> Result<SocketAddr, ListenAddressError> {
    let local = text.replacen("localhost:", "127.0.0.1:", 1);
    match text.parse::<u16>() {
        Ok(port) => Ok((Ipv4Addr::LOCALHOST, port).into()),
        Err(_) => local.parse().map_err(|_| ListenAddressError),
    }
}

fn deserialize_listen_address<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<SocketAddr, D::Error> {
    let text = NumberOrText::deserialize(deserializer)?.into_text();
    parse_listen_address(&text).map_err(|_| D::Error::custom(GatewayValueError::Listen(text)))
}

fn deserialize_decision_time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    deserialize_checked(deserializer, |ms| match (1..=DECISION_TIME_MAX_MS).contains(ms) {
        true => Ok(()),
        false => Err(GatewayValueError::DecisionTime(*ms)),
    })
}

fn deserialize_collector<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<TraceCollector>, D::Error> {
    let address = String::deserialize(deserializer)?;
    TraceCollector::from_base_address(&address).map(Some).map_err(D::Error::custom)
}

fn deserialize_upstream_address<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    UpstreamAddress::deserialize(deserializer).map(|address| Some(address.0))
}

/// The address of an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct UpstreamAddress(String);

impl TryFrom<String> for UpstreamAddress {
    type Error = UpstreamConfigError;

    fn try_from(text: String) -> Result<Self, UpstreamConfigError> {
        UpstreamConfig::default().set_default(&text)?;
        Ok(Self(text))
    }
}

/// The name of an upstream.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct UpstreamName(String);

impl TryFrom<String> for UpstreamName {
    type Error = UpstreamConfigError;

    fn try_from(name: String) -> Result<Self, UpstreamConfigError> {
        if is_upstream_name(&name) {
            Ok(Self(name))
        } else {
            Err(UpstreamConfigError::InvalidName(name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse_listen_address;

    #[test]
    fn a_port_is_one_of_this_machine() {
        assert_eq!(parse_listen_address("4117").unwrap().to_string(), "127.0.0.1:4117");
        assert_eq!(parse_listen_address("localhost:1").unwrap().to_string(), "127.0.0.1:1");
        assert_eq!(parse_listen_address("0.0.0.0:1").unwrap().to_string(), "0.0.0.0:1");
        assert!(parse_listen_address("nowhere").is_err());
    }
}
