//! The decision about a request: on one thread that may block its body is decoded, scanned and
//! shaped, within one time limit.

use std::sync::{Arc, OnceLock};

use foveal_http_guard::{MemoryBudget, MemoryReservation};
use foveal_protocols::Protocol;
use foveal_proxy::request::{
    DecisionSlot, PrefetchTicket, RequestReport, ShapeOutcome, ShapeRequest,
};
use foveal_transcript::Timestamp;
use hyper::body::Bytes;
use tokio::task::JoinError;

use crate::exchange::FailedOpen;
use crate::headers;
use crate::request_body::{self, BodyReadError};
use crate::request_head::RoutedRequest;
use crate::request_purpose::{self, RequestRoute};
use crate::settings::{GatewayLimits, Settings};
use crate::shaper::Shaper;

/// The number of additional decision time-outs to wait for a fallback, for the first decision about
/// a long conversation, or for the first one that finds it uncached.
const FALLBACK_WAITS: usize = 6;

/// The memory of a decision, as a multiple of the body: the decoded parts, and the new body.
const DECISION_COPIES: usize = 3;

/// A decision under way. The task that waits for it shares it with the thread that makes it.
pub(crate) struct PendingDecision {
    request: Arc<RoutedRequest>,
    protocol: Protocol,
    /// The body as it was received.
    body: Bytes,
    /// Its share of the memory budget. A late decision holds it too.
    share: Arc<MemoryReservation>,
    now: Timestamp,
    /// The decoded body; `None` if the waiting task gave up before.
    decoded: OnceLock<Option<Bytes>>,
    slot: DecisionSlot,
}

/// The outcome for the request.
#[derive(Default)]
pub(crate) struct Decision {
    /// The body to send; `None` for the received one.
    pub(crate) body: Option<Bytes>,
    /// The length of the received body without its encoding; 0 if it was not decoded.
    pub(crate) bytes_decoded: usize,
    pub(crate) report: RequestReport,
    /// The ticket to prepare the conversation's next request.
    pub(crate) prefetch: Option<PrefetchTicket>,
    /// The reason why only earlier decisions, or the client's own bytes, are sent.
    pub(crate) failed_open: Option<FailedOpen>,
}

/// The reasons why a body was not shaped.
enum UndecidedReason {
    FailedOpen(FailedOpen),
    Unread(BodyReadError),
}

impl PendingDecision {
    /// Prepares the decision about a request with this body.
    pub(crate) fn new(
        request: Arc<RoutedRequest>,
        protocol: Protocol,
        body: Bytes,
        share: Arc<MemoryReservation>,
        now: Timestamp,
    ) -> Self {
        let (decoded, slot) = (OnceLock::new(), DecisionSlot::default());
        Self { request, protocol, body, share, now, decoded, slot }
    }

    /// Decides within the time limit. Afterwards the earlier decisions are sent: without them the
    /// provider's cache is lost, and newer models refuse their own thinking.
    ///
    /// # Errors
    /// [`BodyReadError::Busy`] if there is no memory for the decoded body.
    pub(crate) async fn decide(
        self: Arc<Self>,
        settings: &Settings,
        budget: &MemoryBudget,
    ) -> Result<Decision, BodyReadError> {
        let (shaper, limits) = (Arc::clone(&settings.shaper), settings.limits);
        let (pending, budget) = (Arc::clone(&self), budget.clone());
        let mut deciding = tokio::task::spawn_blocking(move || {
            pending.decode_and_shape(&*shaper, &limits, &budget)
        });
        for _ in 0..=FALLBACK_WAITS {
            let decided = tokio::time::timeout(limits.decision_timeout, &mut deciding).await;
            if let Ok(decided) = decided {
                return self.conclude(decided);
            }
            if self.slot.may_stop_waiting() {
                break;
            }
        }
        match self.abandon() {
            Some(fallback) => Ok(self.fail_open(FailedOpen::Late, fallback)),
            // The decision is made and may be recorded already, so the rest takes no time.
            None => self.conclude(deciding.await),
        }
    }

    /// Decodes and shapes the body. Blocks.
    fn decode_and_shape(
        &self,
        shaper: &dyn Shaper,
        limits: &GatewayLimits,
        budget: &MemoryBudget,
    ) -> Result<ShapeOutcome, UndecidedReason> {
        let headers = &self.request.head.headers;
        let decoded = request_body::decode_body(headers, &self.body, limits.body_bytes)
            .map_err(|_| UndecidedReason::FailedOpen(FailedOpen::Encoding))?;
        let all_bytes_max = limits.all_bodies_bytes;
        if decoded.as_ref().is_some_and(|plain| !self.share.reserve(plain.len(), all_bytes_max)) {
            return Err(UndecidedReason::Unread(BodyReadError::Busy));
        }
        let plain = decoded.map_or_else(|| self.body.clone(), Bytes::from);
        if self.decoded.set(Some(plain.clone())).is_err() {
            // The caller has given up. The next request depends on the decision nevertheless.
            self.slot.abandon(&[]);
        }
        let copies = budget.start_reservation();
        if !copies.reserve(plain.len().saturating_mul(DECISION_COPIES), all_bytes_max) {
            return Err(UndecidedReason::FailedOpen(FailedOpen::Crowded));
        }
        Ok(shaper.shape(&ShapeRequest {
            protocol: self.protocol,
            counts_tokens: matches!(self.request.route, RequestRoute::Count(_)),
            model: request_purpose::model_in_path(&self.request.path).as_deref(),
            upstream: &self.request.upstream.name,
            body: &plain,
            now: self.now,
            profile_override: headers::profile_override(headers),
            agents: &headers::agent_names(headers),
            decision: &self.slot,
        }))
    }

    /// Gives up. Returns the fallback, or `None` if the decision is made. The inner `None` stands
    /// for the client's own bytes.
    fn abandon(&self) -> Option<Option<Bytes>> {
        match self.decoded.get_or_init(|| None) {
            Some(plain) => self.slot.abandon(plain).map(|fallback| fallback.map(Bytes::from)),
            None => Some(None),
        }
    }

    /// Returns the outcome of a decision that has ended.
    fn conclude(
        &self,
        decided: Result<Result<ShapeOutcome, UndecidedReason>, JoinError>,
    ) -> Result<Decision, BodyReadError> {
        match decided {
            Ok(Ok(ShapeOutcome { body, report, prefetch })) => Ok(Decision {
                body: body.map(Bytes::from),
                bytes_decoded: self.bytes_decoded(),
                report,
                prefetch,
                failed_open: None,
            }),
            Ok(Err(UndecidedReason::FailedOpen(reason))) => Ok(self.fail_open(reason, None)),
            Ok(Err(UndecidedReason::Unread(error))) => Err(error),
            Err(_) => Ok(self.fail_open(FailedOpen::Panicked, self.abandon().flatten())),
        }
    }

    fn fail_open(&self, reason: FailedOpen, fallback: Option<Bytes>) -> Decision {
        let bytes_decoded = self.bytes_decoded();
        let failed_open = Some(reason);
        Decision { body: fallback, bytes_decoded, failed_open, ..Decision::default() }
    }

    fn bytes_decoded(&self) -> usize {
        self.decoded.get().and_then(Option::as_ref).map_or(0, Bytes::len)
    }
}
