//! The conversations of a gateway: held in memory, or rebuilt from their records. Their steps are
//! recorded here before they are used.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_engine::plan_step::PlanStep;
use foveal_transcript::{ContentHash, Timestamp};

use crate::body_replacements::BodyReplacements;
use crate::conversation_cache::ConversationCache;
use crate::conversation_locks::{ConversationGuard, ConversationLocks};
use crate::conversation_state::ConversationState;
use crate::decoded_messages;
use crate::fingerprint_chain::FingerprintChain;
use crate::inactive_reason::InactiveReason;
use crate::message_history::MessageHistory;
use crate::recorder::{PlannedStep, Recorder, RecorderError, StepRecord};
use crate::redacted_chain::{self, RedactedChains};
use crate::request::PrefetchTicket;
use crate::request_context::RequestContext;

/// The time after which an unused conversation leaves the memory, in milliseconds. Later it is
/// rebuilt from the records and from the request itself.
const IDLE_MS: i64 = 15 * 60 * 1000;

/// Finds the conversation that a request continues, and records its steps.
pub(crate) struct ConversationRegistry {
    recorder: Arc<dyn Recorder>,
    cache: Mutex<ConversationCache>,
    locks: ConversationLocks,
    /// The redacted chain of the latest request, for records that contain no secrets.
    redacted_chains: RedactedChains,
}

impl ConversationRegistry {
    /// Creates a registry that stores steps in `recorder`, and holds conversations of about
    /// `bytes_max` bytes.
    pub(crate) fn new(recorder: Arc<dyn Recorder>, bytes_max: usize) -> Self {
        Self {
            recorder,
            cache: Mutex::new(ConversationCache::new(bytes_max, IDLE_MS)),
            locks: ConversationLocks::default(),
            redacted_chains: RedactedChains::default(),
        }
    }

    /// Returns the store of the steps.
    pub(crate) fn recorder(&self) -> &dyn Recorder {
        &*self.recorder
    }

    /// Locks the conversation with this first message. Blocks until it is free.
    pub(crate) fn lock(&self, first: ContentHash) -> ConversationGuard<'_> {
        self.locks.lock(first)
    }

    /// Returns the messages of earlier requests with any of these first messages.
    pub(crate) fn histories(
        &self,
        firsts: impl Iterator<Item = ContentHash>,
    ) -> Vec<Arc<MessageHistory>> {
        let cache = self.lock_cache();
        firsts.flat_map(|first| cache.histories(first)).collect()
    }

    /// Returns the number of conversations in memory.
    pub(crate) fn conversation_count(&self) -> usize {
        self.lock_cache().conversation_count()
    }

    /// Prepares the next step of a conversation as far as that is slow, until the next request
    /// arrives.
    pub(crate) fn prefetch(&self, ticket: &PrefetchTicket) {
        let PrefetchTicket { first_message: first, planned, now } = *ticket;
        let Some(guard) = self.locks.try_lock(first) else { return };
        // If the conversation has continued meanwhile, the ticket is outdated.
        let Some(mut live) = self.lock_cache().check_out(first, planned) else { return };
        let go_on = || !guard.has_waiters();
        // A panic must not lose the unrecorded steps.
        let done = catch_unwind(AssertUnwindSafe(|| live.prefetch(&*self.recorder, &go_on)));
        self.insert(live, first, now);
        if let Err(fault) = done {
            resume_unwind(fault);
        }
    }

    /// Finds the conversation that a request continues, from memory or from the records. Offers the
    /// earlier decisions as the fallback.
    pub(crate) fn find_conversation(
        &self,
        request: &RequestContext<'_>,
    ) -> Result<ConversationState, InactiveReason> {
        let received = request.received;
        let held = self.lock_cache().take_longest(&request.chain.fingerprints);
        let mut live = match held {
            Some(mut live) => {
                live.texts.relocate(request)?;
                let earlier = live.texts.replacements(&request.body);
                match live.is_cache_expired(received.now) {
                    true => received.decision.offer_uncached_fallback(earlier, received.body.len()),
                    false => received.decision.offer_fallback(earlier),
                }
                self.resume_if_advanced(request, &live).unwrap_or(live)
            }
            None => {
                let planned = self.find_recorded_steps(request)?;
                resume_conversation(request, planned)?
            }
        };
        if received.counts_tokens && !live.steps().is_empty() {
            self.insert(live.clone(), request.first_fingerprint(), received.now);
        }
        if live.model != request.model {
            // Another model has other prices and restrictions.
            let count = live.steps().len();
            live = live.rewind(request.build_planner(), request.model.clone(), count);
        }
        Ok(live)
    }

    /// Returns the conversation if another process has continued it beyond the state in memory.
    fn resume_if_advanced(
        &self,
        request: &RequestContext<'_>,
        live: &ConversationState,
    ) -> Option<ConversationState> {
        let (chain, known) = (&request.chain, live.message_count());
        let behind = chain.fingerprints.get(known..).unwrap_or_default();
        if !self.recorder.has_any_step(behind).unwrap_or(false) {
            return None;
        }
        let planned = self.recorder.find_steps(chain.root, &chain.fingerprints).ok()?;
        let is_further =
            chain.message_counts(&planned).last().is_some_and(|length| *length > known);
        is_further.then(|| resume_conversation(request, planned).ok()).flatten()
    }

    /// Returns the recorded steps of the conversation that a request continues.
    fn find_recorded_steps(
        &self,
        request: &RequestContext<'_>,
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        let chain = &request.chain;
        let planned = self.recorder.find_steps(chain.root, &chain.fingerprints)?;
        let lengths = chain.message_counts(&planned);
        let known = lengths.last().copied().unwrap_or(0);
        let Some(redacted) = self.redacted_chain(request, known) else { return Ok(planned) };
        let mut others = self.recorder.find_steps(redacted.root, &redacted.fingerprints)?;
        let longer = redacted.message_counts(&others);
        if longer.last() <= lengths.last() {
            return Ok(planned);
        }
        others.truncate(longer.len());
        for (planned, length) in others.iter_mut().zip(longer) {
            planned.fingerprint = chain.fingerprint_at(length);
        }
        Ok(others)
    }

    /// Returns the chain under which a request is recorded, if redaction changes it. The first
    /// `known` messages are known to contain no secrets.
    fn redacted_chain<'r>(
        &self,
        request: &'r RequestContext<'_>,
        known: usize,
    ) -> Option<&'r FingerprintChain> {
        let redactor = request.rules.redactor.as_ref()?;
        let compute = || {
            let redacted = self.redacted_chains.redacted_chain(redactor, request, known);
            (redacted != request.chain).then_some(redacted)
        };
        request.redacted_chain.get_or_init(compute).as_ref()
    }

    /// Records the step that a conversation was just planned with. `previous` is the fingerprint
    /// behind its messages before, `name` its stable name.
    ///
    /// # Errors
    /// [`RecorderError`] if it is not recorded.
    pub(crate) fn record_step(
        &self,
        live: &mut ConversationState,
        request: &RequestContext<'_>,
        name: Option<&str>,
        previous: ContentHash,
        step: Arc<PlanStep>,
    ) -> Result<(), RecorderError> {
        let recorded = |end: ContentHash| match self.redacted_chain(request, 0) {
            Some(redacted) => redacted.translate_fingerprint(&request.chain, end),
            None => end,
        };
        live.unrecorded.push(StepRecord {
            conversation: name.unwrap_or_default().to_owned(),
            fingerprint: recorded(live.planned_fingerprint()),
            previous: recorded(previous),
            step,
            breakpoints: live.breakpoint_state().copied(),
            time: request.received.now,
        });
        self.flush_unrecorded_steps(live)
    }

    /// Records the unrecorded steps of a conversation, oldest first: a step is found through its
    /// successor.
    fn flush_unrecorded_steps(&self, live: &mut ConversationState) -> Result<(), RecorderError> {
        let mut recorded = Ok(());
        for step in std::mem::take(&mut live.unrecorded) {
            if recorded.is_ok() {
                let contents = live.omitted_contents(&step.step, &*self.recorder);
                recorded =
                    contents.and_then(|contents| self.recorder.record_step(&step, &contents));
            }
            if recorded.is_err() {
                live.unrecorded.push(step);
            }
        }
        recorded
    }

    /// Holds a conversation in memory. Unrecorded steps of evicted conversations are recorded once
    /// more: rebuilt without them, these conversations would be planned anew.
    pub(crate) fn insert(
        &self,
        live: ConversationState,
        first: ContentHash,
        now: Timestamp,
    ) -> PrefetchTicket {
        let ticket =
            PrefetchTicket { first_message: first, planned: live.planned_fingerprint(), now };
        let evicted = self.lock_cache().insert(live, first, now);
        for mut live in evicted {
            drop(self.flush_unrecorded_steps(&mut live));
        }
        ticket
    }

    fn lock_cache(&self) -> MutexGuard<'_, ConversationCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rebuilds the conversation that a request continues from its recorded steps.
fn resume_conversation(
    request: &RequestContext<'_>,
    planned: Vec<PlannedStep>,
) -> Result<ConversationState, InactiveReason> {
    let received = request.received;
    let requests = request.chain.message_counts(&planned);
    let Some(known) = requests.last() else {
        let nothing = BodyReplacements::default();
        received.decision.offer_uncached_fallback(nothing, received.body.len());
        return Ok(ConversationState::from_request(request));
    };
    let decoded =
        decoded_messages::decode_messages(&request.body, request.bytes(), 0..*known, &requests)?;
    let planned = match request.rules.redactor {
        Some(_) => redacted_chain::applicable_steps(planned, &decoded_messages::entries(&decoded)),
        None => planned,
    };
    received.decision.offer_fallback(decoded_messages::replacements_of_steps(
        &request.body,
        &decoded,
        &planned,
        request.rules.handle_style,
    ));
    Ok(ConversationState::from_request(request).replay_steps(request, decoded, &planned))
}
