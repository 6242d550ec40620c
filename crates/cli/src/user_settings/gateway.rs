//! `[gateway]` as it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use foveal_gateway::traces::{BadCollector, Collector};
use serde::Deserialize;

use super::glob::GlobText;
use super::prices::WrittenPrice;
use crate::gateway::{
    BadGiven, CacheChoice, GatewayRule, GatewaySettings, Given, Profile, WebSocketChoice, is_name,
};
use crate::listening;

/// The longest time that a decision may take, in milliseconds.
const DECISION_TIME_MAX_MS: u64 = 60_000;

/// How `foveal serve` and `foveal wrap` serve.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenGateway {
    /// A port of this machine, or an address.
    listen: Option<Listen>,
    profile: Option<Profile>,
    cache: Option<CacheChoice>,
    websockets: Option<WebSocketChoice>,
    decision_time_ms: Option<DecisionTime>,
    hosts: Vec<String>,
    keep_warm: bool,
    /// Where traces go.
    otel: Option<CollectorAddress>,
    /// What is done to which requests; the first that matches counts.
    rules: Vec<WrittenRule>,
    /// What requests cost; the first that matches counts.
    prices: Vec<WrittenPrice>,
    /// Takes all that names no other.
    upstream: Option<Address>,
    /// Names and addresses of servers that a path or a header names.
    upstreams: BTreeMap<Name, Address>,
}

impl From<WrittenGateway> for GatewaySettings {
    fn from(written: WrittenGateway) -> Self {
        Self {
            listen: written.listen.map(|listen| listen.0),
            profile: written.profile,
            cache: written.cache,
            websockets: written.websockets,
            decision: written.decision_time_ms.map(|time| Duration::from_millis(time.0)),
            hosts: written.hosts,
            rules: written.rules.into_iter().map(GatewayRule::from).collect(),
            // That is said for all surfaces together.
            without_pointers: false,
            tools_without_pointers: BTreeSet::new(),
            keep_warm: written.keep_warm,
            prices: written.prices.into_iter().map(|price| price.0).collect(),
            otel: written.otel.map(|address| address.0),
            upstreams: given(written.upstream, written.upstreams)
                .expect("each name and address was looked at where it stands"),
        }
    }
}

fn given(every: Option<Address>, named: BTreeMap<Name, Address>) -> Result<Given, BadGiven> {
    let mut given = Given::default();
    if let Some(every) = every {
        given.set_every(&every.0)?;
    }
    for (name, address) in named {
        given.add(&name.0, &address.0)?;
    }
    Ok(given)
}

/// A rule about requests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    model: Option<GlobText>,
    agent: Option<GlobText>,
    profile: Profile,
}

impl From<WrittenRule> for GatewayRule {
    fn from(WrittenRule { model, agent, profile }: WrittenRule) -> Self {
        let [model, agent] = [model, agent].map(|glob| glob.map(|glob| glob.0));
        Self { model, agent, profile }
    }
}

/// Why a value is refused.
#[derive(Debug, thiserror::Error)]
enum WrongValue {
    #[error(
        "`{0}` is no address to listen at: give a port of this machine, as 4117, or an address, as \
         \"0.0.0.0:4117\""
    )]
    Listen(String),
    #[error("{0} ms: a decision may take 1 to {DECISION_TIME_MAX_MS}")]
    DecisionTime(u64),
    #[error(transparent)]
    Given(#[from] BadGiven),
    #[error(transparent)]
    Collector(#[from] BadCollector),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum PortOrText {
    Port(u16),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "PortOrText")]
struct Listen(SocketAddr);

impl TryFrom<PortOrText> for Listen {
    type Error = WrongValue;

    fn try_from(written: PortOrText) -> Result<Self, WrongValue> {
        let text = match written {
            PortOrText::Port(port) => port.to_string(),
            PortOrText::Text(text) => text,
        };
        listening::address(&text).map(Self).map_err(|_| WrongValue::Listen(text))
    }
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "u64")]
struct DecisionTime(u64);

impl TryFrom<u64> for DecisionTime {
    type Error = WrongValue;

    fn try_from(ms: u64) -> Result<Self, WrongValue> {
        match (1..=DECISION_TIME_MAX_MS).contains(&ms) {
            true => Ok(Self(ms)),
            false => Err(WrongValue::DecisionTime(ms)),
        }
    }
}

/// The address of a server.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Address(String);

impl TryFrom<String> for Address {
    type Error = WrongValue;

    fn try_from(text: String) -> Result<Self, WrongValue> {
        Given::default().set_every(&text)?;
        Ok(Self(text))
    }
}

/// The address of a collector.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct CollectorAddress(Collector);

impl TryFrom<String> for CollectorAddress {
    type Error = WrongValue;

    fn try_from(text: String) -> Result<Self, WrongValue> {
        Ok(Self(Collector::at(&text)?))
    }
}

/// The name of a server.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = WrongValue;

    fn try_from(name: String) -> Result<Self, WrongValue> {
        if is_name(&name) { Ok(Self(name)) } else { Err(BadGiven::Name(name).into()) }
    }
}
