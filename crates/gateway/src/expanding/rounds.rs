//! What the model's turns lead to: their calls answered, and the request that goes on with them.

use std::sync::Arc;

use foveal_listening::Share;
use foveal_live::offered::{Given, Place, Round};
use foveal_wire::body::{Answered, Body, going_on, marked_at_end};
use foveal_wire::response::Turn;
use hyper::body::Bytes;

use super::next::Next;
use crate::shaper::{Asked, Shaper};

/// How often the model is given something back in one answer. Then it is told to go on.
const GIVEN_MAX: usize = 4;

/// After so many rounds the turn is over, whatever the model calls.
const ROUNDS_MAX: usize = 6;

/// What a call is told after [`GIVEN_MAX`] rounds.
const NO_MORE: &str = "no more can be given back in this answer; go on with what there is";

/// A request that has the tool.
pub(crate) struct Offering {
    /// As the client sent it, with the tool.
    pub(crate) asked: Asked,
    /// What its answer is kept under.
    pub(crate) place: Place,
    /// The body that went.
    pub(crate) sent: Bytes,
}

/// The rounds of one answer.
pub(crate) struct Rounds {
    shaper: Arc<dyn Shaper>,
    pub(super) offering: Offering,
    pub(super) next: Next,
    rounds: Vec<Round>,
    is_kept: bool,
    /// The bytes that are held as long as the answer may go on.
    share: Arc<Share>,
}

/// What a turn leads to.
pub(super) enum After {
    /// This body goes, and what is answered goes on behind the turn.
    Ask(Bytes),
    /// The answer is over. Where `ends`, nothing comes of calls that the model waits for.
    Over { ends: bool },
    /// It cannot go on.
    Failed(&'static str),
}

impl Rounds {
    pub(crate) fn new(
        shaper: Arc<dyn Shaper>,
        offering: Offering,
        next: Next,
        share: Arc<Share>,
    ) -> Self {
        Self { shaper, offering, next, rounds: Vec::new(), is_kept: false, share }
    }

    /// Holds its bytes among those of answers that may go on, so that the next requests do not wait
    /// for their ends; where these are too many, among those of requests as before.
    pub(crate) fn answering(&mut self, mut share: Share, bytes_max: usize) {
        let Offering { asked, sent, .. } = &self.offering;
        let is_one = asked.body.as_ptr() == sent.as_ptr();
        let both = asked.body.len() + if is_one { 0 } else { sent.len() };
        if share.take(both, bytes_max) {
            self.share = Arc::new(share);
        }
    }

    /// How many answers of the model there were before this one.
    pub(super) fn before(&self) -> u64 {
        self.rounds.len() as u64
    }

    /// Decides what comes of a turn that has ended. What is hidden of the answer is kept before the
    /// client sees its end.
    pub(super) async fn after(&mut self, mut turn: Turn) -> After {
        let waits = turn.waits && self.rounds.len() < ROUNDS_MAX;
        if !waits && !turn.waits_for_client {
            self.keep(Round { shown: turn.shown, calls: Vec::new() }).await;
            return After::Over { ends: turn.waits };
        }
        if turn.waits_for_client {
            // What cannot be put together is not put back later.
            turn.calls.retain(|called| !called.spelled.is_empty());
        } else if turn.said.is_none() {
            return After::Failed("the model's turn has parts that cannot be sent back to it");
        }
        let said = turn.said.unwrap_or_default();
        let Some(given) = self.give(turn.calls).await else {
            return After::Failed("what was left out could not be given back");
        };
        let (answered, kept): (Vec<Answered>, Vec<_>) =
            given.into_iter().map(|given| (given.answered, given.kept)).unzip();
        let round = Round { shown: turn.shown, calls: kept };
        if turn.waits_for_client {
            self.keep(round).await;
            return After::Over { ends: false };
        }
        self.rounds.push(round);
        let sent = &self.offering.sent;
        let Ok(body) = Body::scan(self.offering.asked.protocol, sent) else {
            return After::Failed("the request could not be read again");
        };
        let body = Bytes::from(going_on(&body, sent, &said, &answered));
        self.offering.sent = body.clone();
        // Only that of the last round stays: there may be few.
        let asked = &self.offering.asked;
        let scan = |bytes: &[u8]| Body::scan(asked.protocol, bytes).ok();
        let marked = scan(&body)
            .zip(scan(&asked.body))
            .and_then(|(scanned, client)| marked_at_end(&scanned, &body, &client));
        After::Ask(marked.map_or(body, Bytes::from))
    }

    /// Answers calls, on a thread that may block; `None` where that panicked.
    async fn give(&self, calls: Vec<foveal_wire::response::Called>) -> Option<Vec<Given>> {
        if self.rounds.len() >= GIVEN_MAX {
            return Some(calls.iter().map(|called| Given::failed(called, NO_MORE)).collect());
        }
        let (shaper, asked) = (Arc::clone(&self.shaper), self.offering.asked.clone());
        let giving = tokio::task::spawn_blocking(move || {
            calls.iter().map(|called| shaper.give(&asked, called)).collect()
        });
        giving.await.ok()
    }

    /// Keeps what was shown of the first answer of a conversation, where nothing was hidden in it;
    /// nothing of one that broke off.
    pub(super) async fn keep_first(&mut self, shown: Vec<String>) {
        if self.offering.place.is_first() && !self.is_kept {
            self.rounds.clear();
            self.keep(Round { shown, calls: Vec::new() }).await;
        }
    }

    /// Keeps the rounds, if anything was hidden in them, or the conversation is to be known by them. Where that cannot be, later requests go
    /// without them.
    async fn keep(&mut self, last: Round) {
        self.rounds.push(last);
        self.is_kept = true;
        let is_first = self.offering.place.is_first();
        if !is_first && self.rounds.iter().all(|round| round.calls.is_empty()) {
            return;
        }
        let (shaper, rounds) = (Arc::clone(&self.shaper), std::mem::take(&mut self.rounds));
        let (place, now) = (self.offering.place.clone(), self.offering.asked.now);
        let keeping = tokio::task::spawn_blocking(move || shaper.keep_rounds(&place, rounds, now));
        // A panic or an error costs the prefix, and nothing else.
        drop(keeping.await);
    }
}
