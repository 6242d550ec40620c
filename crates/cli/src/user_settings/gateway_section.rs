//! The `[gateway]` section of a settings file.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use foveal_gateway::traces::{CollectorAddressError, TraceCollector};
use foveal_gateway::upstream_selection::{UpstreamConfig, UpstreamConfigError, is_upstream_name};
use serde::Deserialize;

use super::glob::GlobText;
use super::prices::PriceEntry;
use crate::gateway::{CacheChoice, GatewayProfile, GatewayRule, GatewaySettings, WebSocketChoice};
use crate::listen_options;

/// The largest time limit of a decision, in milliseconds.
const DECISION_TIME_MAX_MS: u64 = 60_000;

/// The settings of `foveal serve` and `foveal wrap`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct GatewaySection {
    /// A port of this machine, or an address.
    listen: Option<ListenAddress>,
    profile: Option<GatewayProfile>,
    cache: Option<CacheChoice>,
    websockets: Option<WebSocketChoice>,
    decision_time_ms: Option<DecisionTime>,
    hosts: Vec<String>,
    keep_warm: bool,
    /// The URL of the traces' collector.
    otel: Option<CollectorUrl>,
    /// The profiles for certain requests. The first match counts.
    rules: Vec<GatewayRuleEntry>,
    /// The prices of models. The first match counts.
    prices: Vec<PriceEntry>,
    /// The upstream of all requests that name no other.
    upstream: Option<UpstreamUrl>,
    /// The upstreams that a path or a header can name.
    upstreams: BTreeMap<UpstreamName, UpstreamUrl>,
}

impl From<GatewaySection> for GatewaySettings {
    fn from(written: GatewaySection) -> Self {
        Self {
            listen: written.listen.map(|listen| listen.0),
            profile: written.profile,
            cache: written.cache,
            websockets: written.websockets,
            decision_timeout: written.decision_time_ms.map(|time| Duration::from_millis(time.0)),
            allowed_hosts: written.hosts,
            rules: written.rules.into_iter().map(GatewayRule::from).collect(),
            // This setting applies to all of foveal, not only to the gateway.
            without_pointers: false,
            tools_without_pointers: BTreeSet::new(),
            keep_warm: written.keep_warm,
            prices: written.prices.into_iter().map(|price| price.0).collect(),
            trace_collector: written.otel.map(|address| address.0),
            upstreams: build_upstreams(written.upstream, written.upstreams)
                .expect("each name and address was looked at where it stands"),
        }
    }
}

fn build_upstreams(
    every: Option<UpstreamUrl>,
    named: BTreeMap<UpstreamName, UpstreamUrl>,
) -> Result<UpstreamConfig, UpstreamConfigError> {
    let mut given = UpstreamConfig::default();
    if let Some(every) = every {
        given.set_default(&every.0)?;
    }
    for (name, address) in named {
        given.add_named(&name.0, &address.0)?;
    }
    Ok(given)
}

/// A rule that assigns a profile to requests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GatewayRuleEntry {
    model: Option<GlobText>,
    agent: Option<GlobText>,
    profile: GatewayProfile,
}

impl From<GatewayRuleEntry> for GatewayRule {
    fn from(GatewayRuleEntry { model, agent, profile }: GatewayRuleEntry) -> Self {
        let [model, agent] = [model, agent].map(|glob| glob.map(|glob| glob.0));
        Self { model, agent, profile }
    }
}

/// The reason why a value is rejected.
#[derive(Debug, thiserror::Error)]
enum GatewayValueError {
    #[error(
        "`{0}` is no address to listen at: give a port of this machine, as 4117, or an address, as \
         \"0.0.0.0:4117\""
    )]
    Listen(String),
    #[error("{0} ms: a decision may take 1 to {DECISION_TIME_MAX_MS}")]
    DecisionTime(u64),
    #[error(transparent)]
    Given(#[from] UpstreamConfigError),
    #[error(transparent)]
    Collector(#[from] CollectorAddressError),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum PortOrText {
    Port(u16),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "PortOrText")]
struct ListenAddress(SocketAddr);

impl TryFrom<PortOrText> for ListenAddress {
    type Error = GatewayValueError;

    fn try_from(written: PortOrText) -> Result<Self, GatewayValueError> {
        let text = match written {
            PortOrText::Port(port) => port.to_string(),
            PortOrText::Text(text) => text,
        };
        listen_options::parse_listen_address(&text)
            .map(Self)
            .map_err(|_| GatewayValueError::Listen(text))
    }
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "u64")]
struct DecisionTime(u64);

impl TryFrom<u64> for DecisionTime {
    type Error = GatewayValueError;

    fn try_from(ms: u64) -> Result<Self, GatewayValueError> {
        match (1..=DECISION_TIME_MAX_MS).contains(&ms) {
            true => Ok(Self(ms)),
            false => Err(GatewayValueError::DecisionTime(ms)),
        }
    }
}

/// The URL of an upstream.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct UpstreamUrl(String);

impl TryFrom<String> for UpstreamUrl {
    type Error = GatewayValueError;

    fn try_from(text: String) -> Result<Self, GatewayValueError> {
        UpstreamConfig::default().set_default(&text)?;
        Ok(Self(text))
    }
}

/// The URL of a collector of traces.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct CollectorUrl(TraceCollector);

impl TryFrom<String> for CollectorUrl {
    type Error = GatewayValueError;

    fn try_from(text: String) -> Result<Self, GatewayValueError> {
        Ok(Self(TraceCollector::from_base_address(&text)?))
    }
}

/// The name of an upstream.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct UpstreamName(String);

impl TryFrom<String> for UpstreamName {
    type Error = GatewayValueError;

    fn try_from(name: String) -> Result<Self, GatewayValueError> {
        if is_upstream_name(&name) {
            Ok(Self(name))
        } else {
            Err(UpstreamConfigError::InvalidName(name).into())
        }
    }
}
