//! All conversations of a gateway: finds the one that a request continues, and shapes its body.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_engine::plan_step::{PlanStep, RewriteReason};
use foveal_engine::tokens::Tokens;
use foveal_engine::window_limit::WindowLimit;
use foveal_transcript::{ContentHash, Timestamp};
use foveal_wire::Protocol;
use foveal_wire::request_body::{
    self, BodyBreakpoint, BreakpointTarget, RequestBody, SharedPrefix,
};
use foveal_wire::response::ContextOverflow;

use crate::answer_breakpoint::AnswerBreakpoint;
use crate::auto_cache::AutoCacheCandidate;
use crate::body_replacements::BodyReplacements;
use crate::breakpoint_layout;
use crate::compaction;
use crate::conversation_cache::ConversationCache;
use crate::conversation_locks::ConversationLocks;
use crate::conversation_state::ConversationState;
use crate::decoded_messages;
use crate::fingerprint_chain::{self, FingerprintChain};
use crate::inactive_reason::{InactiveReason, RECORDER_FAILED_KIND};
use crate::last_requests::LastRequests;
use crate::message_history::MessageHistory;
use crate::model_windows::ModelWindows;
use crate::models::ModelTraits;
use crate::pending_overrides::PendingOverrides;
use crate::profile_rules::ProfileRules;
use crate::recorder::{PlannedStep, Recorder, RecorderError, StepRecord};
use crate::redacted_chain::{self, RedactedChains};
use crate::request::{PrefetchTicket, RequestReport, ShapeOutcome, ShapeRequest, splice_body};
use crate::request_context::RequestContext;
use crate::rules::{OFF, PROFILES, ShapingRules};
use crate::scanned_body::ScannedBody;
use crate::system_prompt;

/// The time after which an unused conversation leaves the memory, in milliseconds. Later it is
/// rebuilt from the records and from the request itself.
const IDLE_MS: i64 = 15 * 60 * 1000;

/// The value by which a client tells Anthropic to drop thinking whose prefix changed.
const DROP_BLOCK: &[u8] = b"\"drop_block\"";

/// Longer model names are cut.
const MODEL_NAME_BYTES_MAX: usize = 200;

/// Shapes the requests of all conversations.
pub struct RequestShaper {
    pub(crate) rules: ShapingRules,
    /// These rules with each of the other profiles, for requests that name one.
    profile_variants: Vec<ShapingRules>,
    pub(crate) recorder: Arc<dyn Recorder>,
    cache: Mutex<ConversationCache>,
    pub(crate) locks: ConversationLocks,
    last_requests: Mutex<LastRequests>,
    profile_rules: ProfileRules,
    /// The user's overrides since the last request of each conversation.
    pub(crate) pending_overrides: PendingOverrides,
    /// The longest prompts of models and conversations.
    pub(crate) model_windows: ModelWindows,
    /// The redacted chain of the latest request, for records that contain no secrets.
    redacted_chains: RedactedChains,
}

impl RequestShaper {
    /// Creates a shaper that decides by `rules` and stores decisions in `recorder`.
    pub fn new(rules: ShapingRules, recorder: Arc<dyn Recorder>) -> Self {
        let others = PROFILES.iter().filter(|name| **name != rules.profile);
        let profile_variants = others.filter_map(|name| rules.with_profile(name)).collect();
        let cache = Mutex::new(ConversationCache::new(rules.bytes_max, IDLE_MS));
        let (locks, last_requests) = (ConversationLocks::default(), Mutex::default());
        Self {
            rules,
            profile_variants,
            recorder,
            cache,
            locks,
            last_requests,
            profile_rules: ProfileRules::default(),
            pending_overrides: PendingOverrides::default(),
            model_windows: ModelWindows::default(),
            redacted_chains: RedactedChains::default(),
        }
    }

    /// Adds rules for requests that name no profile themselves.
    #[must_use]
    pub fn with_profile_rules(mut self, choices: ProfileRules) -> Self {
        self.profile_rules = choices;
        self
    }

    /// Returns the profile, or `off`, that the rules choose for a request with this body, by an
    /// agent that has these names. `named` is the model if the body names none.
    pub fn choose_profile(
        &self,
        body: &[u8],
        named: Option<&str>,
        agents: &[&str],
    ) -> Option<&str> {
        // The body has to be scanned to its end, because a field may occur twice.
        let model =
            self.profile_rules.depends_on_model().then(|| request_body::read_model(body)).flatten();
        self.profile_rules.choose_profile(model.as_deref().or(named).unwrap_or_default(), agents)
    }

    /// Shapes a request.
    pub fn shape(&self, asked: &ShapeRequest<'_>) -> ShapeOutcome {
        let mut about = RequestReport::default();
        match self.shape_body(asked, &mut about) {
            Ok((body, ready)) => ShapeOutcome { body, report: about, prefetch: ready },
            Err(inactive) => {
                about.inactive_reason = Some(inactive.to_string());
                about.inactive_kind = Some(inactive.kind());
                ShapeOutcome { body: None, report: about, prefetch: None }
            }
        }
    }

    /// Stores the window that a server reports for a model of an upstream.
    pub fn learn_window(&self, upstream: &str, model: &str, tokens: Tokens) {
        self.model_windows.learn_window(upstream, model, tokens);
    }

    /// Stores the number of tokens that the prompt of a request was billed as.
    pub fn learn_usage(
        &self,
        upstream: &str,
        protocol: Protocol,
        about: &RequestReport,
        prompt: u64,
    ) {
        let name = about.model.as_deref().unwrap_or_default();
        self.model_windows.learn_usage(
            upstream,
            about,
            &ModelTraits::from_name(name, protocol),
            prompt,
        );
    }

    /// Stores that an upstream refused a request as too long. If the same request is repeated, it
    /// is planned anew and becomes shorter.
    pub fn learn_overflow(&self, upstream: &str, about: &RequestReport, overflow: ContextOverflow) {
        self.model_windows.learn_overflow(upstream, about, overflow);
    }

    /// Prepares the next step of a conversation as far as that is slow, until the next request
    /// arrives. It decides nothing. Blocks for some milliseconds.
    pub fn prefetch(&self, ready: &PrefetchTicket) {
        let PrefetchTicket { first_message: first, planned: end, now } = *ready;
        let Some(turn) = self.locks.try_lock(first) else { return };
        // If the conversation has continued meanwhile, the ticket is outdated.
        let Some(mut live) = self.lock_cache().check_out(first, end) else { return };
        let go_on = || !turn.has_waiters();
        // A panic must not lose the unrecorded steps.
        let done = catch_unwind(AssertUnwindSafe(|| live.prefetch(&*self.recorder, &go_on)));
        self.cache_conversation(live, first, now);
        if let Err(fault) = done {
            resume_unwind(fault);
        }
    }

    /// Returns the number of conversations in memory.
    pub fn conversation_count(&self) -> usize {
        self.lock_cache().conversation_count()
    }

    fn shape_body(
        &self,
        asked: &ShapeRequest<'_>,
        about: &mut RequestReport,
    ) -> Result<(Option<Vec<u8>>, Option<PrefetchTicket>), InactiveReason> {
        let bytes = asked.body;
        let rules = self.select_rules(asked.profile_override);
        let root = rules.as_ref().unwrap_or(&&self.rules).root_fingerprint(asked.protocol);
        let familiar =
            |first| self.lock_cache().histories(fingerprint_chain::append_fingerprint(root, first));
        let (mut body, alike) = RequestBody::scan_after(asked.protocol, bytes, familiar)?;
        report_body(&body, asked.model, about);
        about.profile = profile_name(&rules);
        let rules = rules?;
        check_shapeable(&body)?;
        let known = alike.as_ref().map_or(0, |alike| alike.messages);
        let is_compacted = compaction::drop_compacted_messages(&mut body, bytes, known)?;
        let alike = alike.filter(|_| !is_compacted);
        let ends =
            alike.as_ref().map_or(&[][..], |alike| alike.history.fingerprints(alike.messages));
        let scanned = ScannedBody { body: &body, bytes };
        let chain = FingerprintChain::from_messages(root, scanned, ends);
        let Some(first) = chain.fingerprints.first().copied() else { return Ok((None, None)) };
        about.conversation = Some(conversation_name(&first));
        let named = about.model.as_deref().unwrap_or_default();
        let model = resolve_model(rules, named, asked.upstream, scanned);
        let unmarked = AutoCacheCandidate::from_request(rules, asked, &body, named, &model);
        let unmarked = unmarked.filter(|_| !is_compacted);
        about.lacks_breakpoints = unmarked.is_some();
        let (body, chain) = (&body, &chain);
        let mut request = RequestContext {
            received: asked,
            body,
            chain,
            rules,
            model,
            auto_cache: unmarked,
            answer_breakpoint: None,
        };
        // Held until the decision is recorded.
        let _turn = self.locks.lock(first);
        let mut live = self.find_conversation(&request)?;
        // A summary request is not part of a conversation that may continue without it.
        let stays = asks_for_summary(&request)?.then(|| live.clone());
        live.add_messages(request.scanned_body(), chain, body.messages.len())?;
        let is_new = live.planned_fingerprint() != chain.fingerprint_at(body.messages.len());
        self.report_divergence(&live, &request, about);
        if !live.has_replaceable_texts() && unmarked.is_none() {
            // Nothing can be replaced yet, so the decision would be to change nothing.
            return Ok((None, None));
        }
        determine_caching(&mut request, stays.is_some(), is_compacted)?;
        if let Some(stays) = stays.filter(|_| self.can_send_whole(&live, &request, about)) {
            if !stays.steps().is_empty() {
                self.cache_conversation(stays, first, asked.now);
            }
            return Err(InactiveReason::Summary);
        }
        if is_new || self.needs_new_plan(&live, &request, about) {
            let known = if is_new {
                live
            } else {
                live.rewind_last_step(rules.build_planner(&request.model))
            };
            live = self.plan_step(known, &request, about);
        }
        report_prompt(&live, about);
        let marks = breakpoint_layout::breakpoint_offsets(&live, &request);
        about.breakpoints = marks.offsets.len() as u64;
        let shaped = splice_body(bytes, &system_prompt::body_replacements(&live, &request), &marks);
        if asked.counts_tokens {
            return Ok((shaped, None));
        }
        if !is_compacted {
            live.update_history(request.scanned_body(), chain, release_history(alike));
        }
        Ok((shaped, Some(self.cache_conversation(live, first, asked.now))))
    }

    /// Returns whether a repeated request is planned anew: the user changed it, or it was refused
    /// as too long.
    fn needs_new_plan(
        &self,
        live: &ConversationState,
        request: &RequestContext<'_>,
        about: &RequestReport,
    ) -> bool {
        let wishes =
            || self.pending_overrides.get(request.chain.fingerprints[0]).applicable_overrides(live);
        let is_wanted = || self.model_windows.has_overflowed(about) || !wishes().is_empty();
        !request.received.counts_tokens && !live.steps().is_empty() && is_wanted()
    }

    /// Returns whether the prompt fits the model as the client sent it, and the model accepts its
    /// own thinking behind it.
    fn can_send_whole(
        &self,
        live: &ConversationState,
        request: &RequestContext<'_>,
        about: &RequestReport,
    ) -> bool {
        let (asked, sent) = live.prompt_tokens();
        let is_bound = request.model.constraints.reasoning_is_bound;
        asked <= self.window_limit(request, about).tokens_max() && (asked == sent || !is_bound)
    }

    /// Returns the limit on the length of a request.
    fn window_limit(&self, request: &RequestContext<'_>, about: &RequestReport) -> WindowLimit {
        let answer = Tokens(request.body.max_tokens.unwrap_or_default());
        self.model_windows.window_limit(request.received.upstream, about, &request.model, answer)
    }

    /// Returns the rules of the profile that a request asks for.
    pub(crate) fn select_rules(&self, wish: Option<&str>) -> Result<&ShapingRules, InactiveReason> {
        match wish {
            None => Ok(&self.rules),
            Some(OFF) => Err(InactiveReason::SwitchedOff),
            Some(name) => {
                let mut all = std::iter::once(&self.rules).chain(&self.profile_variants);
                all.find(|rules| rules.profile == name).ok_or(InactiveReason::UnknownProfile)
            }
        }
    }

    /// Reports the request's tokens, and where it diverges from the previous request.
    fn report_divergence(
        &self,
        live: &ConversationState,
        request: &RequestContext<'_>,
        about: &mut RequestReport,
    ) {
        let tokens = live.received_tokens_up_to(live.message_count()).0;
        (about.tokens_received, about.tokens_sent) = (tokens, tokens);
        let Some(name) = about.conversation.as_deref().filter(|_| !request.received.counts_tokens)
        else {
            return;
        };
        let (scanned, now) = (request.scanned_body(), request.received.now);
        let mut before = self.last_requests.lock().unwrap_or_else(PoisonError::into_inner);
        about.divergence =
            before.detect_divergence(name, about.model.as_deref(), scanned, request.chain, now);
        if let Some(departed) = &mut about.divergence {
            departed.tokens = live.received_tokens_up_to(departed.messages as usize).0;
        }
    }

    /// Finds the conversation that a request continues, from memory or from the records.
    pub(crate) fn find_conversation(
        &self,
        request: &RequestContext<'_>,
    ) -> Result<ConversationState, InactiveReason> {
        let (asked, chain) = (request.received, request.chain);
        let held = self.lock_cache().take_longest(&chain.fingerprints);
        let mut live = match held {
            Some(mut live) => {
                live.relocate_texts(request.scanned_body())?;
                let earlier = live.replacements(request.body);
                match live.is_cache_expired(asked.now) {
                    true => asked.decision.offer_uncached_fallback(earlier, asked.body.len()),
                    false => asked.decision.offer_fallback(earlier),
                }
                self.resume_if_advanced(request, &live).unwrap_or(live)
            }
            None => {
                let planned = self.find_recorded_steps(request)?;
                self.resume_conversation(request, planned)?
            }
        };
        if asked.counts_tokens && !live.steps().is_empty() {
            let stays = live.clone();
            self.cache_conversation(stays, chain.fingerprints[0], asked.now);
        }
        if *live.model() != request.model {
            // Another model has other prices and restrictions.
            let count = live.steps().len();
            live = live.rewind(
                request.rules.build_planner(&request.model),
                request.model.clone(),
                count,
            );
        }
        Ok(live)
    }

    /// Returns the conversation if another process has continued it beyond the state in memory.
    fn resume_if_advanced(
        &self,
        request: &RequestContext<'_>,
        live: &ConversationState,
    ) -> Option<ConversationState> {
        let (chain, known) = (request.chain, live.message_count());
        let behind = chain.fingerprints.get(known..).unwrap_or_default();
        if !self.recorder.has_any_step(behind).unwrap_or(false) {
            return None;
        }
        let planned = self.recorder.find_steps(chain.root, &chain.fingerprints).ok()?;
        let is_further =
            chain.message_counts(&planned).last().is_some_and(|length| *length > known);
        is_further.then(|| self.resume_conversation(request, planned).ok()).flatten()
    }

    /// Returns the recorded steps of the conversation that a request continues.
    fn find_recorded_steps(
        &self,
        request: &RequestContext<'_>,
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        let chain = request.chain;
        let planned = self.recorder.find_steps(chain.root, &chain.fingerprints)?;
        let lengths = chain.message_counts(&planned);
        let Some(kept) = self.redacted_chain(request, lengths.last().copied().unwrap_or(0)) else {
            return Ok(planned);
        };
        let mut others = self.recorder.find_steps(kept.root, &kept.fingerprints)?;
        let longer = kept.message_counts(&others);
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
    fn redacted_chain(
        &self,
        request: &RequestContext<'_>,
        known: usize,
    ) -> Option<FingerprintChain> {
        let redactor = request.rules.redactor.as_ref()?;
        let kept = self.redacted_chains.redacted_chain(
            redactor,
            request.scanned_body(),
            request.chain,
            known,
        );
        (kept != *request.chain).then_some(kept)
    }

    /// Rebuilds the conversation from its recorded steps.
    fn resume_conversation(
        &self,
        request: &RequestContext<'_>,
        planned: Vec<PlannedStep>,
    ) -> Result<ConversationState, InactiveReason> {
        let (wait, chain) = (request.received.decision, request.chain);
        let requests = chain.message_counts(&planned);
        let Some(known) = requests.last() else {
            wait.offer_uncached_fallback(BodyReplacements::default(), request.received.body.len());
            return Ok(request.new_conversation());
        };
        let said = decoded_messages::decode_messages(request.scanned_body(), 0..*known, &requests)?;
        let planned = match request.rules.redactor {
            Some(_) => redacted_chain::applicable_steps(planned, &decoded_messages::entries(&said)),
            None => planned,
        };
        wait.offer_fallback(decoded_messages::replacements_of_steps(
            request.body,
            &said,
            &planned,
            request.rules.handle_style,
        ));
        Ok(request.new_conversation().replay_steps(request.body, chain, said, &planned))
    }

    /// Plans the next step and records it before it is used. If the caller has given up, or the
    /// step cannot be recorded, new results are passed on unchanged.
    pub(crate) fn plan_step(
        &self,
        mut live: ConversationState,
        request: &RequestContext<'_>,
        about: &mut RequestReport,
    ) -> ConversationState {
        let (asked, before) = (request.received, live.planned_fingerprint());
        let mut backlog = None;
        let is_waited_for = !asked.decision.is_abandoned();
        if !request.rules.is_passthrough {
            let can = request.answer_breakpoint.is_some_and(|keeping| keeping.is_cacheable(&live));
            live.set_can_cache_answer(can);
            live.set_window_limit(self.window_limit(request, about));
            let wishes = self
                .pending_overrides
                .get(request.chain.fingerprints[0])
                .applicable_overrides(&live);
            live.find_excerpt_sources(&*self.recorder);
            let step = live.plan(asked.now, &wishes);
            let decided = Arc::clone(&step);
            live.set_breakpoint_state(breakpoint_layout::decide_breakpoints(&live, request, &step));
            about.rewrite = step.rewrite.map(|reason| reason.description());
            about.reductions = live.reductions(&step);
            let own = step.rewrite.filter(|reason| *reason != RewriteReason::ClientRewrote);
            about.tokens_unchanged = own.map(|_| match step.base {
                Some(_) => 0,
                None => live.sent_tokens_up_to(step.kept).0,
            });
            // If the caller has given up, the step is not recorded.
            let is_tried = !asked.counts_tokens && !asked.decision.is_abandoned();
            let is_kept = is_tried && self.record_step(&mut live, before, step, request, about);
            // A caller that has given up has sent the fallback.
            let is_in_time = (asked.counts_tokens || is_kept) && asked.decision.mark_decided();
            if asked.counts_tokens || is_in_time {
                if !asked.counts_tokens && live.can_rewrite() {
                    let first = request.chain.fingerprints[0];
                    about.failed_overrides =
                        self.pending_overrides.clear_applied(first, &wishes, &decided);
                }
                live.note_in_time();
                return live;
            }
            (about.rewrite, about.tokens_unchanged) = (None, None);
            about.reductions.clear();
            if is_tried && !is_kept {
                // This step is not used, so it must not be recorded later either.
                live.discard_last_unrecorded_step();
            }
            backlog = live.backlog();
            let count = live.steps().len() - 1;
            live = live.rewind(
                request.rules.build_planner(&request.model),
                request.model.clone(),
                count,
            );
            if is_waited_for && asked.decision.is_abandoned() {
                live.note_late();
            }
        }
        let step = live.plan_without_changes(asked.now, backlog);
        live.set_breakpoint_state(match request.rules.is_passthrough {
            true => breakpoint_layout::decide_breakpoints(&live, request, &step),
            false => breakpoint_layout::skip_breakpoints(&live, request),
        });
        if !asked.counts_tokens {
            self.record_step(&mut live, before, step, request, about);
        }
        live
    }

    /// Records a step; returns whether that succeeded.
    fn record_step(
        &self,
        live: &mut ConversationState,
        before: ContentHash,
        step: Arc<PlanStep>,
        request: &RequestContext<'_>,
        about: &mut RequestReport,
    ) -> bool {
        let conversation = about.conversation.clone().unwrap_or_default();
        let (mut end, mut before, time) =
            (live.planned_fingerprint(), before, request.received.now);
        if let Some(kept) = self.redacted_chain(request, 0) {
            [end, before] = [end, before].map(|end| kept.translate_fingerprint(request.chain, end));
        }
        let caching = live.breakpoint_state().copied();
        let turn = StepRecord {
            conversation,
            fingerprint: end,
            previous: before,
            step,
            breakpoints: caching,
            time,
        };
        live.push_unrecorded_step(turn);
        let kept = self.flush_unrecorded_steps(live);
        if let Err(error) = &kept {
            about.inactive_reason = Some(error.to_string());
            about.inactive_kind = Some(RECORDER_FAILED_KIND);
        }
        kept.is_ok()
    }

    /// Records the unrecorded steps of a conversation, oldest first: a step is found through its
    /// successor.
    fn flush_unrecorded_steps(&self, live: &mut ConversationState) -> Result<(), RecorderError> {
        let mut kept = Ok(());
        for turn in live.take_unrecorded_steps() {
            if kept.is_ok() {
                let contents = live.omitted_contents(&turn.step, &*self.recorder);
                kept = contents.and_then(|contents| self.recorder.record_step(&turn, &contents));
            }
            if kept.is_err() {
                live.push_unrecorded_step(turn);
            }
        }
        kept
    }

    /// Caches a conversation. Unrecorded steps of evicted conversations are recorded once more:
    /// rebuilt without them, these conversations would be planned anew.
    pub(crate) fn cache_conversation(
        &self,
        live: ConversationState,
        first: ContentHash,
        now: Timestamp,
    ) -> PrefetchTicket {
        let ready =
            PrefetchTicket { first_message: first, planned: live.planned_fingerprint(), now };
        let gone = self.lock_cache().insert(live, first, now);
        for mut live in gone {
            drop(self.flush_unrecorded_steps(&mut live));
        }
        ready
    }

    pub(crate) fn lock_cache(&self) -> std::sync::MutexGuard<'_, ConversationCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports the size of a body and the name of its model.
fn report_body(body: &RequestBody, model: Option<&str>, about: &mut RequestReport) {
    about.messages = body.messages.len() as u64;
    let named = body.model.as_deref().or(model);
    about.model =
        named.map(|name| name[..name.floor_char_boundary(MODEL_NAME_BYTES_MAX)].to_owned());
}

/// Reports the size of the prompt that is sent.
fn report_prompt(live: &ConversationState, about: &mut RequestReport) {
    let (asked, sent) = live.prompt_tokens();
    (about.tokens_received, about.tokens_sent) = (asked.0, sent.0);
    about.decided_at = Some(live.planned_fingerprint());
}

/// Returns the name of the profile that decides about a request.
fn profile_name(rules: &Result<&ShapingRules, InactiveReason>) -> Option<String> {
    match rules {
        Ok(rules) => Some(rules.profile.clone()),
        Err(InactiveReason::SwitchedOff) => Some(OFF.to_owned()),
        Err(_) => None,
    }
}

/// Returns an error if the request cannot be shaped.
pub(crate) fn check_shapeable(body: &RequestBody) -> Result<(), InactiveReason> {
    if let Some(inactive) = body.pass_through_reason {
        return Err(InactiveReason::History(inactive));
    }
    // Thinking may be cleared, because no note points at it.
    let mut edits = body.server_edits.iter();
    match edits.find(|edit| !edit.starts_with("clear_thinking")) {
        Some(edit) => Err(InactiveReason::ServerEdits(edit.clone())),
        None => Ok(()),
    }
}

/// Determines how a request can be cached. `is_summary` tells whether it asks for a summary,
/// `is_compacted` whether it follows a compaction.
fn determine_caching(
    request: &mut RequestContext<'_>,
    is_summary: bool,
    is_compacted: bool,
) -> Result<(), InactiveReason> {
    if let Some(unmarked) = &mut request.auto_cache {
        unmarked.is_last = is_summary;
    }
    let has_own_marks = request.model.needs_breakpoints && request.auto_cache.is_none();
    if has_own_marks && !is_summary && !is_compacted {
        request.answer_breakpoint =
            AnswerBreakpoint::from_request(request.rules, request.received, request.body)?;
    }
    Ok(())
}

/// Returns the address of the compared history and the number of equal messages, without a
/// reference.
fn release_history(
    alike: Option<SharedPrefix<MessageHistory>>,
) -> Option<(*const MessageHistory, usize)> {
    alike.map(|alike| (Arc::as_ptr(&alike.history), alike.messages))
}

/// Returns the traits of the model that is asked, with the prices of the client's cache lifetime.
pub(crate) fn resolve_model(
    rules: &ShapingRules,
    name: &str,
    upstream: &str,
    ScannedBody { body, bytes }: ScannedBody<'_>,
) -> ModelTraits {
    let mut model = rules.prices.resolve_model(name, body.protocol, upstream);
    if drops_bound_thinking(body, bytes) {
        model.constraints.reasoning_is_bound = false;
    }
    let is_of_messages = |mark: &BodyBreakpoint| {
        matches!(mark.target, BreakpointTarget::Message(_) | BreakpointTarget::Request)
    };
    if body.breakpoints.iter().any(|mark| mark.lasts_one_hour && is_of_messages(mark)) {
        model.with_hour_cache()
    } else {
        model
    }
}

/// Returns whether the client lets Anthropic drop thinking whose prefix changed, by the field
/// `thinking.block_binding.prefix_mismatch_behavior`. Each later request of the conversation has to
/// contain it too (platform.claude.com/docs/en/build-with-claude/preserved-thinking).
fn drops_bound_thinking(body: &RequestBody, bytes: &[u8]) -> bool {
    let mut modes = body.cache_sensitive_fields.iter().map(|mode| &bytes[mode.clone()]);
    modes.any(|mode| memchr::memmem::find(mode, DROP_BLOCK).is_some())
}

/// Returns whether the client has its conversation summarised by this request.
fn asks_for_summary(request: &RequestContext<'_>) -> Result<bool, InactiveReason> {
    let Some(last) = request.body.messages.len().checked_sub(1) else { return Ok(false) };
    let said = request.body.decode_message(request.received.body, last)?;
    Ok(compaction::asks_for_summary(said.entries.iter()))
}

/// Returns the name of a conversation, from the hash of its first message.
pub(crate) fn conversation_name(end: &ContentHash) -> String {
    end.as_bytes().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}
