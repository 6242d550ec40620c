//! The resolved options of a gateway, and the shaper and settings that follow from them.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use foveal_gateway::adaptive_keep_alive::{self, AdaptiveKeepAlive};
use foveal_gateway::cost_ledger::BillingContext;
use foveal_gateway::decision_recorder::StoreRecorder;
use foveal_gateway::exchange::ExchangeObserver;
use foveal_gateway::keep_alive_policy::KeepAlivePolicy;
use foveal_gateway::parallel_views::{ParallelViews, measure_entries};
use foveal_gateway::shaper::{CompressingShaper, NoopShaper, Shaper};
use foveal_gateway::upstream_selection::Upstreams;
use foveal_gateway::{GatewayLimits, ProxySettings, Settings};
use foveal_http_guard::AccessToken;
use foveal_proxy::profile_rules::{self, ProfileRule};
use foveal_proxy::recorder::Recorder;
use foveal_proxy::rules::OFF;
use foveal_proxy::rules::{PROFILES, ShapingRules};
use foveal_proxy::{Compressor, HandleStyle, RequestShaper};
use foveal_settings::{
    CacheChoice, GatewayProfile, GatewayRule, PriceRule, WebSocketChoice, build_price_overrides,
};
use foveal_store::Store;
use foveal_tools::clock::{Clock, SystemClock};

use crate::notice;

/// Whether the gateway keeps prompt caches alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepAliveMode {
    Off,
    /// Until the pauses of conversations show that it costs more than it saves; stays off
    /// afterwards.
    WhileProfitable,
    /// As [`KeepAliveMode::WhileProfitable`], but an earlier negative verdict is discarded.
    Restarted,
}

/// The options of a gateway, from the command line and the settings.
pub(crate) struct GatewayOptions {
    pub(crate) listen: SocketAddr,
    pub(crate) token: Option<AccessToken>,
    pub(crate) hosts: Vec<String>,
    pub(crate) upstreams: Upstreams,
    pub(crate) profile: GatewayProfile,
    /// Profiles for certain models and agents.
    pub(crate) rules: Vec<GatewayRule>,
    /// Whether results are sent whole that are already in the prompt, instead of a pointer to them.
    pub(crate) without_pointers: bool,
    /// Tools for whose results no pointers are used.
    pub(crate) tools_without_pointers: BTreeSet<String>,
    pub(crate) cache: CacheChoice,
    pub(crate) websockets: WebSocketChoice,
    /// The time-out of a decision.
    pub(crate) decision_time_out: Duration,
    pub(crate) keep_warm: KeepAliveMode,
    /// The prices and the keep-alive policy.
    pub(crate) billing: BillingContext,
    /// The user's own prices.
    pub(crate) price_rules: Vec<PriceRule>,
    /// The proxies through which upstreams are reached.
    pub(crate) proxies: ProxySettings,
}

impl GatewayOptions {
    /// Adds the parsed prices and, unless it is off, the keep-alive policy. `store` is the path of
    /// the store's database; the keep-alive verdict is a file beside it.
    ///
    /// # Errors
    /// If a price rule has an invalid glob.
    pub(crate) fn with_billing(mut self, store: Option<&Path>) -> anyhow::Result<Self> {
        let known: Vec<&str> = self.upstreams.all().map(|upstream| &*upstream.name).collect();
        for name in self.price_rules.iter().filter_map(|rule| rule.upstream.as_deref()) {
            if !known.contains(&name) {
                notice::print_notice(format_args!(
                    "the prices for the upstream `{name}` are not used: there is no such upstream"
                ));
            }
        }
        let prices = Arc::new(build_price_overrides(&self.price_rules)?);
        let now = SystemClock.now();
        let warmth = (self.keep_warm != KeepAliveMode::Off).then(|| {
            let anew = self.keep_warm == KeepAliveMode::Restarted;
            let warmth = AdaptiveKeepAlive::new(
                store.map(adaptive_keep_alive::keep_alive_verdict_path),
                anew,
                now,
                |text| notice::print_notice(text),
            );
            Arc::new(warmth.with_prices(&prices))
        });
        self.billing = BillingContext { keep_alive: warmth, prices };
        Ok(self)
    }

    /// Returns the settings of a gateway that records its decisions in `store` and reports each
    /// request to `observer`.
    ///
    /// # Errors
    /// If the profile is unknown, or a rule has an invalid glob.
    pub(crate) fn into_settings(
        self,
        store: Arc<dyn Store>,
        observer: Arc<dyn ExchangeObserver>,
    ) -> anyhow::Result<Settings> {
        let shaper = self.build_shaper(store)?;
        Ok(Settings {
            address: self.listen,
            token: self.token,
            hosts: self.hosts,
            upstreams: self.upstreams,
            shaper,
            observer,
            now: || SystemClock.now(),
            websockets: self.websockets.into(),
            keep_alive: self.billing.keep_alive.map(|warmth| warmth as Arc<dyn KeepAlivePolicy>),
            proxies: self.proxies,
            limits: GatewayLimits {
                decision_timeout: self.decision_time_out,
                ..GatewayLimits::default()
            },
        })
    }
    fn build_shaper(&self, store: Arc<dyn Store>) -> anyhow::Result<Arc<dyn Shaper>> {
        let choice = |rule: &GatewayRule| {
            let profile = rule.profile.engine_profile_name().unwrap_or(OFF);
            ProfileRule::new(rule.model.as_deref(), rule.agent.as_deref(), profile)
        };
        let all: Vec<ProfileRule> = self.rules.iter().map(choice).collect::<Result<_, _>>()?;
        let profile = match self.profile.engine_profile_name() {
            None if self.rules.is_empty() => return Ok(Arc::new(NoopShaper)),
            other => other,
        };
        let otherwise = profile.is_none().then(|| OFF.to_owned());
        let named = profile.unwrap_or(PROFILES[0]);
        let mut rules = ShapingRules::from_profile(named).context("the profile is unknown")?;
        rules.views = Some(Arc::new(ParallelViews::start()));
        rules.settings.pointers = !self.without_pointers;
        rules.settings.tools_without_pointers.clone_from(&self.tools_without_pointers);
        rules.token_counter = measure_entries;
        rules.handle_style = HandleStyle::Command;
        rules.breakpoint_mode = self.cache.into();
        rules.prices = Arc::clone(&self.billing.prices);
        let kept: Arc<dyn Recorder> = Arc::new(StoreRecorder::new(store));
        let tokenizer = rules.tokenizer;
        // The first count unpacks the vocabulary. Doing that here spares the first request the
        // wait.
        std::thread::spawn(move || tokenizer.count("a"));
        let requests = RequestShaper::new(rules.clone(), Arc::clone(&kept)).with_profile_rules(
            profile_rules::ProfileRules { rules: all, default_profile: otherwise },
        );
        if profile.is_none() {
            return Ok(Arc::new(requests));
        }
        Ok(Arc::new(CompressingShaper { messages: Compressor::new(rules, kept), requests }))
    }
}
