//! Shapes requests: each is scanned and hashed once, finds its conversation, is planned, and gets
//! the texts spliced into its bytes that the plan replaces.

use std::sync::{Arc, Mutex, PoisonError};

use foveal_engine::plan_step::{BacklogChange, PlanStep, RewriteReason};
use foveal_engine::window_limit::WindowLimit;
use foveal_pricing::tokens::Tokens;
use foveal_protocols::Protocol;
use foveal_protocols::request_body::{BodyError, RequestBody};
use foveal_protocols::response::ContextOverflow;
use foveal_transcript::ContentHash;

use crate::breakpoint_layout;
use crate::conversation_registry::ConversationRegistry;
use crate::conversation_state::ConversationState;
use crate::fingerprint_chain;
use crate::inactive_reason::{InactiveReason, RECORDER_FAILED_KIND};
use crate::last_requests::LastRequests;
use crate::model_windows::ModelWindows;
use crate::models::ModelTraits;
use crate::pending_overrides::PendingOverrides;
use crate::profile_rules::ProfileRules;
use crate::recorder::Recorder;
use crate::request::{PrefetchTicket, RequestReport, ShapeOutcome, ShapeRequest, splice_body};
use crate::request_context::{RequestContext, ScannedBody};
use crate::rules::{OFF, PROFILES, ShapingRules};
use crate::system_prompt;

/// Longer model names are cut.
const MODEL_NAME_BYTES_MAX: usize = 200;

/// Shapes the requests of all conversations.
pub struct RequestShaper {
    pub(crate) rules: ShapingRules,
    /// These rules with each of the other profiles, for requests that name one.
    profile_variants: Vec<ShapingRules>,
    pub(crate) conversations: ConversationRegistry,
    last_requests: Mutex<LastRequests>,
    profile_rules: ProfileRules,
    /// The user's overrides since the last request of each conversation.
    pub(crate) pending_overrides: PendingOverrides,
    /// The longest prompts of models and conversations.
    pub(crate) model_windows: ModelWindows,
}

impl RequestShaper {
    /// Creates a shaper that decides by `rules` and stores decisions in `recorder`.
    pub fn new(rules: ShapingRules, recorder: Arc<dyn Recorder>) -> Self {
        let others = PROFILES.iter().filter(|name| **name != rules.profile);
        Self {
            profile_variants: others.filter_map(|name| rules.with_profile(name)).collect(),
            conversations: ConversationRegistry::new(recorder, rules.bytes_max),
            rules,
            last_requests: Mutex::default(),
            profile_rules: ProfileRules::default(),
            pending_overrides: PendingOverrides::default(),
            model_windows: ModelWindows::default(),
        }
    }

    /// Adds rules for requests that name no profile themselves.
    #[must_use]
    pub fn with_profile_rules(mut self, choices: ProfileRules) -> Self {
        self.profile_rules = choices;
        self
    }

    /// Shapes a request.
    pub fn shape(&self, received: &ShapeRequest<'_>) -> ShapeOutcome {
        let mut report = RequestReport::default();
        match self.shape_body(received, &mut report) {
            Ok((body, prefetch)) => ShapeOutcome { body, report, prefetch },
            Err(inactive) => {
                report.inactive_reason = Some(inactive.to_string());
                report.inactive_kind = Some(inactive.kind());
                ShapeOutcome { body: None, report, prefetch: None }
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
    pub fn prefetch(&self, ticket: &PrefetchTicket) {
        self.conversations.prefetch(ticket);
    }

    /// Returns the number of conversations in memory.
    pub fn conversation_count(&self) -> usize {
        self.conversations.conversation_count()
    }

    fn shape_body(
        &self,
        received: &ShapeRequest<'_>,
        report: &mut RequestReport,
    ) -> Result<(Option<Vec<u8>>, Option<PrefetchTicket>), InactiveReason> {
        let Some(mut request) = self.read_request(received, report)? else {
            return Ok((None, None));
        };
        let first = request.first_fingerprint();
        // Held until the decision is recorded.
        let _guard = self.conversations.lock(first);
        let mut live = self.conversations.find_conversation(&request)?;
        // A summary request is not part of a conversation that may continue without it.
        let before_summary = request.asks_for_summary()?.then(|| live.clone());
        live.add_messages(&request, request.body.messages.len())?;
        self.report_divergence(&live, &request, report);
        if !live.texts.has_replaceable_texts() && request.auto_cache.is_none() {
            // Nothing can be replaced yet, so the decision would be to change nothing.
            return Ok((None, None));
        }
        request.determine_caching(before_summary.is_some())?;
        if let Some(before) =
            before_summary.filter(|_| self.can_send_whole(&live, &request, report))
        {
            if !before.steps().is_empty() {
                self.conversations.insert(before, first, received.now);
            }
            return Err(InactiveReason::Summary);
        }
        let is_repeated = live.planned_fingerprint() == request.last_fingerprint();
        if !is_repeated {
            live = self.plan_step(live, &request, report);
        } else if self.needs_new_plan(&live, &request, report) {
            live = self.plan_step(live.rewind_last_step(request.build_planner()), &request, report);
        }
        report_prompt(&live, report);
        let breakpoints = breakpoint_layout::breakpoint_offsets(&live, &request);
        report.breakpoints = breakpoints.offsets.len() as u64;
        let replacements = system_prompt::body_replacements(&live, &request);
        let shaped = splice_body(received.body, &replacements, &breakpoints);
        if received.counts_tokens {
            return Ok((shaped, None));
        }
        if !request.is_compacted {
            live.update_history(&mut request);
        }
        Ok((shaped, Some(self.conversations.insert(live, first, received.now))))
    }

    /// Scans and hashes a request; `None` if it has no messages.
    ///
    /// # Errors
    /// The reason why the request cannot be shaped.
    pub(crate) fn read_request<'a>(
        &'a self,
        received: &'a ShapeRequest<'a>,
        report: &mut RequestReport,
    ) -> Result<Option<RequestContext<'a>>, InactiveReason> {
        let scanned = self.scan_body(received)?;
        let model = scanned.body.model.as_deref().or(received.model);
        let profile = received.profile_override.or_else(|| {
            self.profile_rules.choose_profile(model.unwrap_or_default(), received.agents)
        });
        let rules = self.select_rules(profile);
        report.messages = scanned.body.messages.len() as u64;
        report.model =
            model.map(|name| name[..name.floor_char_boundary(MODEL_NAME_BYTES_MAX)].to_owned());
        report.profile = profile_name(&rules);
        let request = RequestContext::from_scan(received, rules?, scanned)?;
        if let Some(request) = &request {
            report.conversation = Some(request.conversation_name());
            report.lacks_breakpoints = request.auto_cache.is_some();
        }
        Ok(request)
    }

    /// Scans the body of a request. Messages of earlier requests are skipped.
    fn scan_body(&self, received: &ShapeRequest<'_>) -> Result<ScannedBody, BodyError> {
        let mut first_message = None;
        let histories = |first| {
            first_message = Some(first);
            let rules = self.possible_rules(received).into_iter();
            let roots = rules.map(|rules| rules.root_fingerprint(received.protocol));
            let firsts = roots.map(|root| fingerprint_chain::append_fingerprint(root, first));
            self.conversations.histories(firsts)
        };
        let (body, shared_prefix) =
            RequestBody::scan_after(received.protocol, received.body, histories)?;
        Ok(ScannedBody { body, first_message, shared_prefix })
    }

    /// Returns the rules that may decide about a request whose model is not known yet.
    fn possible_rules(&self, received: &ShapeRequest<'_>) -> Vec<&ShapingRules> {
        let profile = match received.profile_override {
            None if self.profile_rules.depends_on_model() => {
                return std::iter::once(&self.rules).chain(&self.profile_variants).collect();
            }
            None => self.profile_rules.choose_profile("", received.agents),
            profile => profile,
        };
        self.select_rules(profile).into_iter().collect()
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
            || self.pending_overrides.get(request.first_fingerprint()).applicable_overrides(live);
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
    fn select_rules(&self, wish: Option<&str>) -> Result<&ShapingRules, InactiveReason> {
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
        let mut before = self.last_requests.lock().unwrap_or_else(PoisonError::into_inner);
        about.divergence = before.detect_divergence(name, about.model.as_deref(), request);
        if let Some(departed) = &mut about.divergence {
            departed.tokens = live.received_tokens_up_to(departed.messages as usize).0;
        }
    }

    /// Plans the next step and records it before it is used. If the caller has given up, or the
    /// step cannot be recorded, new results are passed on unchanged.
    pub(crate) fn plan_step(
        &self,
        live: ConversationState,
        request: &RequestContext<'_>,
        report: &mut RequestReport,
    ) -> ConversationState {
        let previous = live.planned_fingerprint();
        let (mut live, backlog) = match request.rules.is_passthrough {
            true => (live, None),
            false => match self.plan_reductions(live, request, report) {
                Ok(live) => return live,
                Err(UnusedStep { live, backlog }) => (*live, backlog),
            },
        };
        let step = live.plan_without_changes(request.received.now, backlog);
        live.set_breakpoint_state(match request.rules.is_passthrough {
            true => breakpoint_layout::decide_breakpoints(&live, request, &step),
            false => breakpoint_layout::skip_breakpoints(&live, request),
        });
        if !request.received.counts_tokens {
            self.record_step(&mut live, previous, step, request, report);
        }
        live
    }

    /// Plans the next step of a conversation and records it.
    ///
    /// # Errors
    /// The conversation before the step, if the step is not used: the caller has given up, or the
    /// step cannot be recorded.
    fn plan_reductions(
        &self,
        mut live: ConversationState,
        request: &RequestContext<'_>,
        report: &mut RequestReport,
    ) -> Result<ConversationState, UnusedStep> {
        let (received, previous) = (request.received, live.planned_fingerprint());
        let (first, decision) = (request.first_fingerprint(), received.decision);
        let was_awaited = !decision.is_abandoned();
        let can_cache = request
            .answer_breakpoint
            .is_some_and(|it| it.is_cacheable(|message| live.tokens_up_to(message)));
        live.engine.set_can_keep_answer(can_cache);
        live.engine.set_window_limit(Some(self.window_limit(request, report)));
        let overrides = self.pending_overrides.get(first).applicable_overrides(&live);
        live.find_excerpt_sources(self.conversations.recorder());
        let step = live.plan(received.now, &overrides);
        live.set_breakpoint_state(breakpoint_layout::decide_breakpoints(&live, request, &step));
        report_step(&live, &step, report);
        // If the caller has given up, the step is not recorded.
        let is_final = !received.counts_tokens && !decision.is_abandoned();
        let is_recorded =
            is_final && self.record_step(&mut live, previous, Arc::clone(&step), request, report);
        // A caller that has given up has sent the fallback.
        let is_in_time = (received.counts_tokens || is_recorded) && decision.mark_decided();
        if received.counts_tokens || is_in_time {
            if !received.counts_tokens && live.backoff.allows_rewrite() {
                report.failed_overrides =
                    self.pending_overrides.clear_applied(first, &overrides, &step);
            }
            live.backoff.note_in_time();
            return Ok(live);
        }
        (report.rewrite, report.tokens_unchanged) = (None, None);
        report.reductions.clear();
        if is_final && !is_recorded {
            // This step is not used, so it must not be recorded later either.
            live.unrecorded.pop();
        }
        let backlog = live.backlog();
        let mut live = live.rewind_last_step(request.build_planner());
        if was_awaited && decision.is_abandoned() {
            live.backoff.note_late();
        }
        Err(UnusedStep { live: Box::new(live), backlog })
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
        let name = about.conversation.as_deref();
        let recorded = self.conversations.record_step(live, request, name, before, step);
        if let Err(error) = &recorded {
            about.inactive_reason = Some(error.to_string());
            about.inactive_kind = Some(RECORDER_FAILED_KIND);
        }
        recorded.is_ok()
    }
}

/// A conversation whose last step was planned but is not used.
struct UnusedStep {
    /// The conversation before that step.
    live: Box<ConversationState>,
    /// The late decisions about new results.
    backlog: Option<BacklogChange>,
}

/// Reports what a step changes.
fn report_step(live: &ConversationState, step: &PlanStep, report: &mut RequestReport) {
    report.rewrite = step.rewrite.map(|reason| reason.description());
    report.reductions = live.reductions(step);
    let own = step.rewrite.filter(|reason| *reason != RewriteReason::ClientRewrote);
    report.tokens_unchanged = own.map(|_| match step.base {
        Some(_) => 0,
        None => live.sent_tokens_up_to(step.kept).0,
    });
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
