//! A gateway of choices: what it decides by, and where it keeps what it decided.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use foveal_gateway::exchange::Observer;
use foveal_gateway::shaper::{Shaper, Untouched, WithCompressor};
use foveal_gateway::upstream::Upstreams;
use foveal_gateway::warm::KeepsWarm;
use foveal_gateway::{Limits, ProxySettings, Settings};
use foveal_listening::Token;
use foveal_live::choices::{self, Choice};
use foveal_live::recorder::Recorder;
use foveal_live::rules::OFF;
use foveal_live::rules::{PROFILES, Rules};
use foveal_live::{Compressor, Conversations, Way};
use foveal_store::Store;
use foveal_tools::clock::{Clock, SystemClock};

use super::kept::Kept;
use super::learners::Learners;
use super::warm::{self, Warmth};
use crate::gateway::{
    CacheChoice, GatewayRule, PriceRule, Profile, Spread, WebSocketChoice, own_prices, weigh,
};
use crate::notice;

/// Whether something is done that stops where it does not pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WherePaid {
    No,
    /// As long as that has paid.
    Yes,
    /// Whether or not it has paid before.
    Anew,
}

/// How a gateway is to serve.
pub(crate) struct Choices {
    pub(crate) listen: SocketAddr,
    pub(crate) token: Option<Token>,
    pub(crate) hosts: Vec<String>,
    pub(crate) upstreams: Upstreams,
    pub(crate) profile: Profile,
    /// What is done to which requests.
    pub(crate) rules: Vec<GatewayRule>,
    /// Whether results come whole that stand above.
    pub(crate) without_pointers: bool,
    /// Tools whose results come whole although they stand above.
    pub(crate) tools_without_pointers: BTreeSet<String>,
    pub(crate) cache: CacheChoice,
    pub(crate) websockets: WebSocketChoice,
    /// How long a decision may take.
    pub(crate) decision: Duration,
    pub(crate) keep_warm: WherePaid,
    /// Who learns from requests.
    pub(crate) learners: Learners,
    /// What the user says of prices.
    pub(crate) prices: Vec<PriceRule>,
    /// The proxies through which upstreams are asked.
    pub(crate) proxies: ProxySettings,
}

impl Choices {
    /// Makes who learns from requests, if anybody is to. `store` is where the store is.
    ///
    /// # Errors
    /// If prices have a glob that is none.
    pub(crate) fn with_learners(mut self, store: Option<&Path>) -> anyhow::Result<Self> {
        let known: Vec<&str> = self.upstreams.all().map(|upstream| &*upstream.name).collect();
        for name in self.prices.iter().filter_map(|rule| rule.upstream.as_deref()) {
            if !known.contains(&name) {
                notice::say(format_args!("prices for the upstream `{name}`: there is none"));
            }
        }
        let prices = Arc::new(own_prices(&self.prices)?);
        let now = SystemClock.now();
        let warmth = (self.keep_warm != WherePaid::No).then(|| {
            let anew = self.keep_warm == WherePaid::Anew;
            let warmth = Warmth::new(store.map(warm::verdict_file), anew, now);
            Arc::new(warmth.with_prices(&prices))
        });
        self.learners = Learners { warmth, prices };
        Ok(self)
    }

    /// A gateway that keeps what it decides in `store`, and tells `observer` of each request.
    ///
    /// # Errors
    /// If the profile is not known, or a rule has a glob that is none.
    pub(crate) fn settings(
        self,
        store: Arc<dyn Store>,
        observer: Arc<dyn Observer>,
    ) -> anyhow::Result<Settings> {
        let shaper = self.shaper(store)?;
        Ok(Settings {
            address: self.listen,
            token: self.token,
            hosts: self.hosts,
            upstreams: self.upstreams,
            shaper,
            observer,
            now: || SystemClock.now(),
            websockets: self.websockets.into(),
            keep_warm: self.learners.warmth.map(|warmth| warmth as Arc<dyn KeepsWarm>),
            proxies: self.proxies,
            limits: Limits { decision: self.decision, ..Limits::default() },
        })
    }
    fn shaper(&self, store: Arc<dyn Store>) -> anyhow::Result<Arc<dyn Shaper>> {
        let choice = |rule: &GatewayRule| {
            let profile = rule.profile.name().unwrap_or(OFF);
            Choice::new(rule.model.as_deref(), rule.agent.as_deref(), profile)
        };
        let all: Vec<Choice> = self.rules.iter().map(choice).collect::<Result<_, _>>()?;
        let profile = match self.profile.name() {
            None if self.rules.is_empty() => return Ok(Arc::new(Untouched)),
            other => other,
        };
        let otherwise = profile.is_none().then(|| OFF.to_owned());
        let named = profile.unwrap_or(PROFILES[0]);
        let mut rules = Rules::named(named).context("the profile is not known")?;
        rules.views = Some(Arc::new(Spread::start()));
        rules.settings.pointers = !self.without_pointers;
        rules.settings.tools_without_pointers.clone_from(&self.tools_without_pointers);
        rules.weigh = weigh;
        rules.way = Way::Command;
        rules.marks = self.cache.into();
        rules.prices = Arc::clone(&self.learners.prices);
        let kept: Arc<dyn Recorder> = Arc::new(Kept::new(store));
        let tokenizer = rules.tokenizer;
        // The first count unpacks the vocabulary. Nobody waits for that but a first request.
        std::thread::spawn(move || tokenizer.count("a"));
        let requests = Conversations::new(rules.clone(), Arc::clone(&kept))
            .choosing(choices::Choices { all, otherwise });
        if profile.is_none() {
            return Ok(Arc::new(requests));
        }
        Ok(Arc::new(WithCompressor { messages: Compressor::new(rules, kept), requests }))
    }
}
