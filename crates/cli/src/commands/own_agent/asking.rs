//! Asks the model: what of a request goes is decided first, as a gateway does it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use foveal_agent::Event;
use foveal_live::Conversations;
use foveal_live::request::{About, Asked, Reduced, Wait};
use foveal_llm::{AskError, AskEvent, Client, Server};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_wire::response::{ContextOverflow, Said, StopReason};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::opening::NO_UPSTREAM;
use crate::debug::{Debug, Topic};
use crate::explained::explain;
use crate::side_agents::{SideBill, Waiting};

/// What is told where the person changed what is sent, and that cannot be done any more.
const UNCHANGED: &str = "a change that you wanted of the prompt could not be made any more: the model has \
                         thought on behind it, or it would save nothing now";

/// Why what had gone changes where a session goes on by other rules.
const DECIDED_ANEW: &str = "the session goes on by another profile, other limits or another API";

/// How often a prompt that is too long is made shorter before its oldest messages are left out.
const SHRINKS_MAX: u32 = 3;

/// A prompt that keeps more of its tokens than this share does not become shorter.
const SHRINK_SHARE_MAX: f64 = 0.98;

/// What is said of a prompt that leaves no room for an answer.
const NO_ROOM: &str = "the prompt leaves no room for an answer";

/// Asks one model, one request at a time.
pub(crate) struct Asking {
    runtime: Handle,
    asker: Asker,
    /// Whether what models beside this one cost is the agent's to count.
    pays: bool,
    running: Option<AbortHandle>,
}

/// What a request needs.
#[derive(Clone)]
struct Asker {
    client: Client,
    server: Arc<Server>,
    shaper: Arc<Conversations>,
    /// Who the models wait for that help to decide.
    waiting: Arc<Waiting>,
    /// What models cost that are asked beside this one, and how far all may go together.
    bill: Arc<SideBill>,
    events: SyncSender<Event>,
    debug: Debug,
    /// Whether all is decided anew with the next request, whatever went before.
    is_decided_anew: Arc<AtomicBool>,
}

impl Asking {
    /// Asks `server`, with what `shaper` makes of requests, and says why if that is wanted.
    pub(crate) fn new(
        runtime: Handle,
        (client, server): (Client, Server),
        (shaper, waiting): (Arc<Conversations>, Arc<Waiting>),
        bill: Arc<SideBill>,
        (events, debug): (SyncSender<Event>, Debug),
    ) -> Self {
        let server = Arc::new(server);
        let is_decided_anew = Arc::default();
        let asker = Asker { client, server, shaper, waiting, bill, events, debug, is_decided_anew };
        Self { runtime, asker, pays: false, running: None }
    }

    /// The same where the first request goes on with a session about which other rules decided.
    pub(crate) fn deciding_anew(self, is_decided_anew: bool) -> Self {
        self.asker.is_decided_anew.store(is_decided_anew, Ordering::SeqCst);
        self
    }

    /// The same for the agent that counts what models beside it cost; of several with one bill that
    /// is one, and with its end none of them is asked any more.
    pub(crate) fn paying(mut self) -> Self {
        self.pays = true;
        self
    }

    /// What models cost that are asked beside this one, where that is the agent's to count.
    pub(super) fn bill(&self) -> Option<Arc<SideBill>> {
        self.pays.then(|| Arc::clone(&self.asker.bill))
    }

    /// Sends a request. What comes of it are events.
    pub(crate) fn ask(&mut self, number: u64, body: Vec<u8>) {
        let asker = self.asker.clone();
        let task = self.runtime.spawn(async move { asker.ask(number, body).await });
        self.running = Some(task.abort_handle());
    }

    /// Ends the request that is under way.
    pub(crate) fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            self.asker.waiting.stop();
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if self.pays {
            self.asker.bill.close();
        }
    }
}

impl Asker {
    /// Asks, and makes the prompt shorter where the model cannot hold it.
    async fn ask(self, number: u64, body: Vec<u8>) {
        self.waiting.begin(number);
        let mut sent_last = u64::MAX;
        for left in (0..=SHRINKS_MAX).rev() {
            let Some((sent, about)) = self.decided(number, body.clone()).await else { return };
            if about.tokens_sent as f64 > sent_last as f64 * SHRINK_SHARE_MAX {
                return self.fail_too_long(number, "nothing more of it can be left out");
            }
            sent_last = about.tokens_sent;
            self.tell_of_sent(number, &about);
            let (message, overflow) = match self.answered(number, sent).await {
                Ok(said) if said.stop == StopReason::Window && said.calls().next().is_none() => {
                    (NO_ROOM.to_owned(), ContextOverflow::default())
                }
                Ok(said) => {
                    self.learn_usage(&about, &said);
                    return self.tell(Event::Said { number, said });
                }
                Err(AskError::TooLong { model, status, said, overflow }) => {
                    let error = AskError::TooLong { model, status, said, overflow };
                    (error.to_string(), overflow)
                }
                Err(error) => {
                    let (message, is_too_long) = (error.to_string(), false);
                    return self.tell(Event::Failed { number, message, is_too_long });
                }
            };
            self.shaper.learn_overflow(NO_UPSTREAM, &about, overflow);
            if left == 0 {
                return self.fail_too_long(number, &message);
            }
            let why = format!("{message}: it goes again, shorter");
            self.tell(Event::Again { number, why, wait_ms: 0 });
        }
    }

    fn fail_too_long(&self, number: u64, message: &str) {
        let message = format!("the conversation is longer than the model can hold: {message}");
        self.tell(Event::Failed { number, message, is_too_long: true });
    }

    /// The body as it goes, and what is known of it; `None` where it does not go, which is told.
    async fn decided(&self, number: u64, body: Vec<u8>) -> Option<(Vec<u8>, About)> {
        let shaping = self.clone();
        let shaped = tokio::task::spawn_blocking(move || shaping.shaped(body)).await;
        let Ok((body, mut about)) = shaped else {
            let message = "what of the conversation goes could not be decided".to_owned();
            self.tell(Event::Failed { number, message, is_too_long: false });
            return None;
        };
        // Models may have helped to decide that.
        if let Some(limit) = self.bill.limit() {
            self.tell(Event::OverLimit { number, limit });
            return None;
        }
        if self.is_decided_anew.swap(false, Ordering::SeqCst) {
            about.rewrite = Some(DECIDED_ANEW);
        }
        Some((body, about))
    }

    /// Tells what of a request goes.
    fn tell_of_sent(&self, number: u64, about: &About) {
        tell_why(self.debug, number, about);
        let About { tokens_asked, tokens_sent, rewrite, inactive, unchanged, reduced, .. } =
            about.clone();
        // It was possible when it was wanted, and is no longer.
        let inactive = inactive.or_else(|| (unchanged > 0).then(|| UNCHANGED.to_owned()));
        self.tell(Event::Sent { number, tokens_asked, tokens_sent, rewrite, inactive });
        for Reduced { call: id, kind, points: cached, bytes, bytes_sent, .. } in reduced {
            self.tell(Event::Reduced { number, id, kind, cached, bytes, bytes_sent });
        }
    }

    /// What the model says.
    async fn answered(&self, number: u64, body: Vec<u8>) -> Result<Said, AskError> {
        let mut on_event = |event| match event {
            AskEvent::Said(event) => self.tell(Event::Streamed { number, event }),
            AskEvent::Again { why, wait } => {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                self.tell(Event::Again { number, why: why.to_string(), wait_ms });
            }
        };
        self.client.ask(&self.server, body, number, &mut on_event).await
    }

    fn learn_usage(&self, about: &About, said: &Said) {
        if let Some(prompt) = said.answer.billed.prompt().filter(|prompt| *prompt > 0) {
            let protocol = self.server.dialect.protocol();
            self.shaper.learn_usage(NO_UPSTREAM, protocol, about, prompt);
        }
    }

    /// The body as it goes. Where nothing can be decided, all of it goes.
    fn shaped(&self, body: Vec<u8>) -> (Vec<u8>, About) {
        let shaped = self.shaper.shape(&Asked {
            protocol: self.server.dialect.protocol(),
            counts: false,
            model: None,
            upstream: NO_UPSTREAM,
            body: &body,
            now: SystemClock.now(),
            wish: None,
            wait: &Wait::default(),
        });
        (shaped.body.unwrap_or(body), shaped.about)
    }

    fn tell(&self, event: Event) {
        // Who no longer listens has ended.
        drop(self.events.send(event));
    }
}

/// Says what of a request goes, and why.
fn tell_why(debug: Debug, number: u64, about: &About) {
    let About { tokens_asked, tokens_sent, rewrite, inactive, reduced, .. } = about;
    explain(debug, Topic::Plan, || {
        let mut text = format!("request {number}: {tokens_sent} of {tokens_asked} tokens go");
        for why in rewrite.iter() {
            text.push_str(&format!("; what had gone changes: {why}"));
        }
        for why in inactive.iter() {
            text.push_str(&format!("; nothing is left out: {why}"));
        }
        text
    });
    for Reduced { call, kind, bytes, bytes_sent, .. } in reduced {
        explain(debug, Topic::Plan, || {
            let kind = kind.word();
            format!(
                "request {number}: {kind} for the result of {call}, {bytes_sent} of {bytes} bytes"
            )
        });
    }
}
