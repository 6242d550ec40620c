//! A gateway in front of an upstream, and what it told of requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use foveal_gateway::exchange::{Exchange, Observer};
use foveal_gateway::shaper::Untouched;
use foveal_gateway::upstream::{Upstream, Upstreams};
use foveal_gateway::{Gateway, Limits, ProxySettings, Settings, WebSockets};
use foveal_transcript::Timestamp;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::peer::Client;

/// Keeps what it is told.
#[derive(Default)]
pub(crate) struct Noted(Mutex<Vec<Exchange>>);

impl Observer for Noted {
    fn ended(&self, exchange: &Exchange) {
        self.0.lock().expect("a lock").push(exchange.clone());
    }
}

/// A gateway that serves until this is dropped.
pub(crate) struct World {
    pub(crate) address: SocketAddr,
    noted: Arc<Noted>,
    _stop: DropGuard,
}

/// A gateway before `upstream`.
pub(crate) async fn world(upstream: SocketAddr) -> World {
    World::start(upstream, |_| {}).await
}

impl World {
    /// The same with other settings.
    pub(crate) async fn start(upstream: SocketAddr, change: impl FnOnce(&mut Settings)) -> Self {
        let noted = Arc::new(Noted::default());
        let every = Upstream::new("upstream", &format!("http://{upstream}")).expect("an address");
        let mut settings = Settings {
            address: "127.0.0.1:0".parse().expect("a number or an address"),
            token: None,
            hosts: Vec::new(),
            upstreams: Upstreams::new().with_every(every),
            shaper: Arc::new(Untouched),
            observer: Arc::clone(&noted) as Arc<dyn Observer>,
            now: || Timestamp(1_000),
            websockets: WebSockets::Refused,
            keep_warm: None,
            proxies: ProxySettings::default(),
            // A machine that is busy is no reason to wait no longer.
            limits: Limits { decision: Duration::from_secs(20), ..Limits::default() },
        };
        change(&mut settings);
        let gateway = Gateway::bind(settings).await.expect("an open connection");
        let address = gateway.address();
        let stop = CancellationToken::new();
        tokio::spawn(gateway.serve(stop.clone()));
        Self { address, noted, _stop: stop.drop_guard() }
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(self.address).await
    }

    /// What was told once `count` requests have ended.
    pub(crate) async fn told(&self, count: usize) -> Vec<Exchange> {
        loop {
            let told = self.noted.0.lock().expect("a lock").clone();
            if told.len() >= count {
                return told;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}
