//! A gateway in front of an upstream, and its reports.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use foveal_gateway::exchange::{Exchange, ExchangeObserver};
use foveal_gateway::shaper::NoopShaper;
use foveal_gateway::upstream_selection::{Upstream, Upstreams};
use foveal_gateway::{Gateway, GatewayLimits, ProxySettings, Settings, WebSocketPolicy};
use foveal_transcript::Timestamp;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::peer::Client;

/// Collects reports.
#[derive(Default)]
pub(crate) struct Noted(Mutex<Vec<Exchange>>);

impl ExchangeObserver for Noted {
    fn on_exchange(&self, exchange: &Exchange) {
        self.0.lock().expect("a lock").push(exchange.clone());
    }
}

/// A gateway that serves until this is dropped.
pub(crate) struct World {
    pub(crate) address: SocketAddr,
    noted: Arc<Noted>,
    _stop: DropGuard,
}

/// Starts a gateway in front of `upstream`.
pub(crate) async fn world(upstream: SocketAddr) -> World {
    World::start(upstream, |_| {}).await
}

impl World {
    /// Starts it with other settings.
    pub(crate) async fn start(upstream: SocketAddr, change: impl FnOnce(&mut Settings)) -> Self {
        let noted = Arc::new(Noted::default());
        let every = Upstream::new("upstream", &format!("http://{upstream}")).expect("an address");
        let mut settings = Settings {
            address: "127.0.0.1:0".parse().expect("a number or an address"),
            token: None,
            hosts: Vec::new(),
            upstreams: Upstreams::new().with_default(every),
            shaper: Arc::new(NoopShaper),
            observer: Arc::clone(&noted) as Arc<dyn ExchangeObserver>,
            now: || Timestamp(1_000),
            websockets: WebSocketPolicy::Refused,
            keep_alive: None,
            proxies: ProxySettings::default(),
            // A busy machine must not cause a time-out.
            limits: GatewayLimits {
                decision_timeout: Duration::from_secs(20),
                ..GatewayLimits::default()
            },
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

    /// Returns the reports once `count` requests have ended.
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
