//! Asks a model, as often as it takes.

use std::time::Duration;

use foveal_asking::ProxySettings;
use foveal_asking::client::{self, Upward};
use foveal_wire::response::{Said, SaidEvent};
use hyper::body::Bytes;

use crate::attempt::attempt;
use crate::error::AskError;
use crate::patience::Patience;
use crate::server::Server;

/// Asks models. Cheap to clone; clones share connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) upward: Upward,
    pub(crate) patience: Patience,
}

/// What is told while a model is asked.
#[derive(Debug)]
pub enum AskEvent {
    /// More of the answer.
    Said(SaidEvent),
    /// The request is sent again after `wait`: what was told of its answer so far does not count.
    Again {
        /// What went wrong.
        why: AskError,
        /// How long it waits.
        wait: Duration,
    },
}

impl Client {
    /// A client with this much patience, which asks through these proxies.
    ///
    /// # Errors
    /// If TLS cannot be spoken.
    pub fn new(patience: Patience, proxies: &ProxySettings) -> Result<Self, rustls::Error> {
        Ok(Self { upward: client::client(Some(patience.connect_time), proxies)?, patience })
    }

    /// Asks `server` with a body that is in its dialect, and tells what comes of the answer.
    /// `number` is another one for each question of a conversation. Needs a runtime of tokio with
    /// time and network. To end it, drop it: the connection is closed.
    ///
    /// # Errors
    /// [`AskError`], once nothing helps any more.
    pub async fn ask(
        &self,
        server: &Server,
        body: impl Into<Bytes>,
        number: u64,
        on_event: &mut (dyn FnMut(AskEvent) + Send),
    ) -> Result<Said, AskError> {
        let (body, mut next) = (body.into(), 1);
        loop {
            let how = (&self.upward, &self.patience);
            let mut on_said = |event| on_event(AskEvent::Said(event));
            let error = match attempt(how, server, &body, number, &mut on_said).await {
                Ok(said) => return Ok(said),
                Err(error) => error,
            };
            let may_pass = error.may_pass().filter(|passing| next <= passing.retries_max);
            let wait = may_pass.and_then(|passing| self.patience.wait(next, passing.asked));
            let Some(wait) = wait else { return Err(error) };
            on_event(AskEvent::Again { why: error, wait });
            tokio::time::sleep(wait).await;
            next += 1;
        }
    }
}
