//! The settings of a gateway, from flags and the user's file.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use foveal_gateway::traces::TraceCollector;
use foveal_gateway::upstream_selection::UpstreamConfig;
use foveal_proxy::price_overrides::{PriceOverride, PriceOverrideRule, PriceOverrides};

use super::option_values::{CacheChoice, GatewayProfile, WebSocketChoice};

/// The port that a gateway listens at by default.
pub(crate) const LISTEN_PORT: u16 = 4117;

/// The gateway's part of the user's settings. Absent values mean the defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct GatewaySettings {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) profile: Option<GatewayProfile>,
    pub(crate) cache: Option<CacheChoice>,
    pub(crate) websockets: Option<WebSocketChoice>,
    pub(crate) decision_timeout: Option<Duration>,
    pub(crate) allowed_hosts: Vec<String>,
    /// Rules that choose a profile for a request; the first that matches applies.
    pub(crate) rules: Vec<GatewayRule>,
    /// Whether repeated results stay whole, without pointers.
    pub(crate) without_pointers: bool,
    /// Tools whose repeated results stay whole.
    pub(crate) tools_without_pointers: BTreeSet<String>,
    /// Whether the gateway keeps provider caches alive.
    pub(crate) keep_warm: bool,
    /// Rules for prices; the first that matches applies.
    pub(crate) prices: Vec<PriceRule>,
    /// The collector that traces are sent to.
    pub(crate) trace_collector: Option<TraceCollector>,
    pub(crate) upstreams: UpstreamConfig,
}

/// A rule that chooses the profile of requests whose model and agent match the globs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GatewayRule {
    pub(crate) model: Option<String>,
    pub(crate) agent: Option<String>,
    /// The profile of requests that name none.
    pub(crate) profile: GatewayProfile,
}

/// A rule for the prices of requests whose model matches the glob, sent to the upstream of this
/// name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PriceRule {
    pub(crate) model: Option<String>,
    pub(crate) upstream: Option<String>,
    pub(crate) prices: PriceOverride,
}

impl PriceRule {
    /// Compiles the rule.
    ///
    /// # Errors
    /// Returns an error if the glob is invalid.
    fn to_override_rule(&self) -> Result<PriceOverrideRule, globset::Error> {
        PriceOverrideRule::new(self.model.as_deref(), self.upstream.as_deref(), self.prices.clone())
    }
}

/// Compiles all rules.
///
/// # Errors
/// Returns an error if a glob is invalid.
pub(crate) fn build_price_overrides(rules: &[PriceRule]) -> Result<PriceOverrides, globset::Error> {
    Ok(PriceOverrides(rules.iter().map(PriceRule::to_override_rule).collect::<Result<_, _>>()?))
}
