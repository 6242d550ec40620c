//! A gateway of choices: what it decides by, and where it keeps what it decided.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use foveal_gateway::exchange::Observer;
use foveal_gateway::shaper::{Shaper, Untouched, WithCompressor};
use foveal_gateway::upstream::Upstreams;
use foveal_gateway::warm::KeepsWarm;
use foveal_gateway::{Limits, Settings};
use foveal_listening::Token;
use foveal_live::choices::{self, Choice};
use foveal_live::conversations::OFF;
use foveal_live::recorder::Recorder;
use foveal_live::rules::{PROFILES, Rules};
use foveal_live::{Compressor, Conversations};
use foveal_store::Store;
use foveal_tools::clock::{Clock, SystemClock};

use super::kept::Kept;
use super::warm::{Warmth, verdict_file};
use crate::gateway::{CacheChoice, Profile, ProfileRule, Spread, WebSocketChoice, weigh};

/// Whether caches are kept warm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepWarm {
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
    /// Which profile requests get that name none.
    pub(crate) rules: Vec<ProfileRule>,
    pub(crate) cache: CacheChoice,
    pub(crate) websockets: WebSocketChoice,
    /// How long a decision may take.
    pub(crate) decision: Duration,
    pub(crate) keep_warm: KeepWarm,
    /// Who keeps caches warm.
    pub(crate) warmth: Option<Arc<Warmth>>,
    /// Whether requests are given a tool for what is left out of them.
    pub(crate) expand: bool,
}

impl Choices {
    /// Makes who keeps caches warm, if anybody is to. `store` is where the store is.
    pub(crate) fn with_warmth(mut self, store: Option<&Path>) -> Self {
        let anew = self.keep_warm == KeepWarm::Anew;
        self.warmth = (self.keep_warm != KeepWarm::No)
            .then(|| Arc::new(Warmth::new(store.map(verdict_file), anew, SystemClock.now())));
        self
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
            keep_warm: self.warmth.map(|warmth| warmth as Arc<dyn KeepsWarm>),
            limits: Limits { decision: self.decision, ..Limits::default() },
        })
    }
    fn shaper(&self, store: Arc<dyn Store>) -> anyhow::Result<Arc<dyn Shaper>> {
        let choice = |rule: &ProfileRule| {
            let profile = rule.profile.name().unwrap_or(OFF);
            Choice::new(rule.model.as_deref(), rule.agent.as_deref(), profile)
        };
        let all: Vec<Choice> = self.rules.iter().map(choice).collect::<Result<_, _>>()?;
        let profile = match self.profile.name() {
            None if all.is_empty() => return Ok(Arc::new(Untouched)),
            other => other,
        };
        let otherwise = profile.is_none().then(|| OFF.to_owned());
        let named = profile.unwrap_or(PROFILES[0]);
        let mut rules = Rules::named(named).context("the profile is not known")?;
        rules.views = Some(Arc::new(Spread::start()));
        rules.weigh = weigh;
        rules.marks = self.cache.into();
        let kept: Arc<dyn Recorder> = Arc::new(Kept::new(store));
        let tokenizer = rules.tokenizer;
        // The first count unpacks the vocabulary. Nobody waits for that but a first request.
        std::thread::spawn(move || tokenizer.count("a"));
        let requests = Conversations::new(rules.clone(), Arc::clone(&kept))
            .offering(self.expand)
            .choosing(choices::Choices { all, otherwise });
        if profile.is_none() {
            return Ok(Arc::new(requests));
        }
        Ok(Arc::new(WithCompressor { messages: Compressor::new(rules, kept), requests }))
    }
}
