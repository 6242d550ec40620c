//! Requests of the agent to its model. Each prompt is shaped first, as the gateway does it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use foveal_agent::AgentInput;
use foveal_protocols::response::{ContextOverflow, DecodedAnswer, StopReason};
use foveal_providers::{LlmClient, LlmError, ModelRequestEvent, ModelServer};
use foveal_proxy::RequestShaper;
use foveal_proxy::request::{DecisionSlot, RequestReport, ResultReduction, ShapeRequest};
use foveal_store::SessionId;
use foveal_tools::ToolSession;
use foveal_tools::clock::{Clock, SystemClock};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::agent_config::session_shaper;
use super::agent_explainer::{AgentExplainer, ExplainedDecision};
use super::agent_resources::AgentResources;
use crate::chosen_model::NO_UPSTREAM;
use crate::side_agents::{SideBill, WaitingRequest};

/// The message for a change of the prompt that the user wanted and that is not possible any more.
const CHANGE_IMPOSSIBLE: &str = "a change of the prompt was not applied: the model has continued \
                                 since, or it would save nothing now";

/// The reason of a rewrite where a session continues under other rules.
const NEW_RULES_REASON: &str =
    "the session resumed with another profile, other limits or another API";

/// Attempts to shorten a prompt that is too long.
const SHRINKS_MAX: u32 = 3;

/// The share of its tokens that a shortened prompt may keep; above it the attempt counts as failed.
const SHRINK_SHARE_MAX: f64 = 0.98;

/// The message for a prompt that leaves no room for an answer.
const NO_ROOM: &str = "the prompt leaves no room for an answer";

/// Sends the requests of one agent to its model, one at a time.
pub struct ModelRequester {
    runtime: Handle,
    shaped_client: ShapedClient,
    /// Whether this agent counts the costs of side models.
    counts_side_costs: bool,
    running: Option<AbortHandle>,
}

/// A model client that shapes each prompt before it sends it.
#[derive(Clone)]
struct ShapedClient {
    client: LlmClient,
    server: Arc<ModelServer>,
    shaper: Arc<RequestShaper>,
    /// The request that side models work for.
    waiting: Arc<WaitingRequest>,
    /// The costs of side models, and the limits of all models together.
    bill: Arc<SideBill>,
    events: SyncSender<AgentInput>,
    explainer: AgentExplainer,
    /// Whether the next request ignores all earlier decisions.
    discards_decisions: Arc<AtomicBool>,
}

/// Returns the shaper of a session's requests, and the requester that sends them to the model.
/// Progress and outcomes go to `events`.
pub(super) fn session_requester(
    agent: &AgentResources,
    session: &SessionId,
    tools: &Arc<ToolSession>,
    events: &SyncSender<AgentInput>,
) -> (Arc<RequestShaper>, ModelRequester) {
    let waiting = Arc::new(WaitingRequest::default());
    let shaper = Arc::new(session_shaper(agent, session, tools, events.clone(), &waiting));
    if let Some(window) = agent.window {
        shaper.learn_window(NO_UPSTREAM, &agent.server.model, window);
    }
    let requester = ModelRequester::new(agent, Arc::clone(&shaper), waiting, events.clone());
    (shaper, requester)
}

impl ModelRequester {
    /// Returns a requester for the agent's model whose prompts `shaper` shapes. Progress and
    /// outcomes go to `events`.
    pub(super) fn new(
        agent: &AgentResources,
        shaper: Arc<RequestShaper>,
        waiting: Arc<WaitingRequest>,
        events: SyncSender<AgentInput>,
    ) -> Self {
        let shaped_client = ShapedClient {
            client: agent.host.client.clone(),
            server: Arc::new(agent.server.clone()),
            shaper,
            waiting,
            bill: Arc::clone(&agent.host.side_bill),
            events,
            explainer: agent.host.explainer.clone(),
            discards_decisions: Arc::default(),
        };
        let runtime = agent.host.runtime.clone();
        Self { runtime, shaped_client, counts_side_costs: false, running: None }
    }

    /// Sets whether the first request continues a session that other rules decided about.
    pub(crate) fn with_new_decisions(self, is_decided_anew: bool) -> Self {
        self.shaped_client.discards_decisions.store(is_decided_anew, Ordering::SeqCst);
        self
    }

    /// Makes this agent count the costs of side models. Of all agents with the same bill exactly
    /// one does; when its requester is dropped, the bill is closed and no side model is asked any
    /// more.
    pub(crate) fn with_side_costs(mut self) -> Self {
        self.counts_side_costs = true;
        self
    }

    /// Returns the bill of side models if this agent counts it.
    pub(super) fn counted_bill(&self) -> Option<Arc<SideBill>> {
        self.counts_side_costs.then(|| Arc::clone(&self.shaped_client.bill))
    }

    /// Sends a request. Its progress and outcome arrive as events.
    pub(crate) fn send_request(&mut self, number: u64, body: Vec<u8>) {
        let asker = self.shaped_client.clone();
        let task = self.runtime.spawn(async move { asker.send_until_it_fits(number, body).await });
        self.running = Some(task.abort_handle());
    }

    /// Cancels the request in progress.
    pub(crate) fn cancel_request(&mut self) {
        if let Some(running) = self.running.take() {
            running.abort();
            self.shaped_client.waiting.cancel();
        }
    }
}

impl Drop for ModelRequester {
    fn drop(&mut self) {
        if self.counts_side_costs {
            self.shaped_client.bill.close();
        }
    }
}

impl ShapedClient {
    /// Sends a request, and repeats it with a shorter prompt while the model cannot hold it.
    async fn send_until_it_fits(self, number: u64, body: Vec<u8>) {
        self.waiting.set_request(number);
        let mut sent_last = u64::MAX;
        for left in (0..=SHRINKS_MAX).rev() {
            let Some((sent, about)) = self.shape_on_thread(number, body.clone()).await else {
                return;
            };
            if about.tokens_sent as f64 > sent_last as f64 * SHRINK_SHARE_MAX {
                return self.report_too_long(number, "nothing more can be omitted");
            }
            sent_last = about.tokens_sent;
            self.report_sent(number, &about);
            let (message, overflow) = match self.stream_answer(number, sent).await {
                Ok(said)
                    if said.stop_reason == StopReason::ContextWindow
                        && said.calls().next().is_none() =>
                {
                    (NO_ROOM.to_owned(), ContextOverflow::default())
                }
                Ok(said) => {
                    self.learn_usage(&about, &said);
                    return self.send_event(AgentInput::AnswerCompleted { number, answer: said });
                }
                Err(LlmError::PromptTooLong { model, status, said, overflow }) => {
                    let error = LlmError::PromptTooLong { model, status, said, overflow };
                    (error.to_string(), overflow)
                }
                Err(error) => {
                    let (message, is_too_long) = (error.to_string(), false);
                    return self.send_event(AgentInput::RequestFailed {
                        number,
                        message,
                        is_too_long,
                    });
                }
            };
            self.shaper.learn_overflow(NO_UPSTREAM, &about, overflow);
            if left == 0 {
                return self.report_too_long(number, &message);
            }
            let why = format!("retrying with a shorter prompt: {message}");
            self.send_event(AgentInput::RequestRetried { number, reason: why, wait_ms: 0 });
        }
    }

    fn report_too_long(&self, number: u64, message: &str) {
        let message =
            format!("the conversation does not fit into the model's context window: {message}");
        self.send_event(AgentInput::RequestFailed { number, message, is_too_long: true });
    }

    /// Returns the shaped body and its report. Returns `None`, after an event, if the request must
    /// not be sent.
    async fn shape_on_thread(
        &self,
        number: u64,
        body: Vec<u8>,
    ) -> Option<(Vec<u8>, RequestReport)> {
        let shaping = self.clone();
        let shaped = tokio::task::spawn_blocking(move || shaping.shape_body(body)).await;
        let Ok((body, mut about)) = shaped else {
            let message = "cannot decide what to send of the conversation".to_owned();
            self.send_event(AgentInput::RequestFailed { number, message, is_too_long: false });
            return None;
        };
        // Side models may have reached the limit while the prompt was shaped.
        if let Some(limit) = self.bill.reached_limit() {
            self.send_event(AgentInput::RequestOverLimit { number, limit });
            return None;
        }
        if self.discards_decisions.swap(false, Ordering::SeqCst) {
            about.rewrite = Some(NEW_RULES_REASON);
        }
        Some((body, about))
    }

    /// Reports the tokens and reductions of a request that is sent.
    fn report_sent(&self, number: u64, about: &RequestReport) {
        explain_request(&self.explainer, number, about);
        let RequestReport {
            tokens_received: tokens_asked,
            tokens_sent,
            rewrite,
            inactive_reason: inactive,
            failed_overrides: unchanged,
            reductions: reduced,
            ..
        } = about.clone();
        // The change was possible when the user chose it, and no longer is.
        let inactive = inactive.or_else(|| (unchanged > 0).then(|| CHANGE_IMPOSSIBLE.to_owned()));
        self.send_event(AgentInput::RequestSent {
            number,
            tokens_asked,
            tokens_sent,
            rewrite_reason: rewrite,
            inactive_reason: inactive,
        });
        for ResultReduction {
            call: id,
            kind,
            is_repeat: cached,
            bytes,
            bytes_sent,
            curated_text,
            ..
        } in reduced
        {
            self.send_event(AgentInput::ResultReduced {
                number,
                id,
                kind,
                cached,
                bytes,
                bytes_sent,
                curated_text,
            });
        }
    }

    /// Sends a body and returns the model's answer. Its parts arrive as events before.
    async fn stream_answer(&self, number: u64, body: Vec<u8>) -> Result<DecodedAnswer, LlmError> {
        let mut on_event = |event| match event {
            ModelRequestEvent::Answer(event) => {
                self.send_event(AgentInput::AnswerDelta { number, event });
            }
            ModelRequestEvent::Retry { error: why, wait } => {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                self.send_event(AgentInput::RequestRetried {
                    number,
                    reason: why.to_string(),
                    wait_ms,
                });
            }
        };
        self.client.stream_answer(&self.server, body, number, &mut on_event).await
    }

    fn learn_usage(&self, about: &RequestReport, said: &DecodedAnswer) {
        if let Some(prompt) = said.metadata.billed.prompt_tokens().filter(|prompt| *prompt > 0) {
            let protocol = self.server.dialect.protocol();
            self.shaper.learn_usage(NO_UPSTREAM, protocol, about, prompt);
        }
    }

    /// Returns the shaped body and its report, or the whole body if no decision is possible.
    fn shape_body(&self, body: Vec<u8>) -> (Vec<u8>, RequestReport) {
        let shaped = self.shaper.shape(&ShapeRequest {
            protocol: self.server.dialect.protocol(),
            counts_tokens: false,
            model: None,
            upstream: NO_UPSTREAM,
            body: &body,
            now: SystemClock.now(),
            profile_override: None,
            agents: &[],
            decision: &DecisionSlot::default(),
        });
        (shaped.body.unwrap_or(body), shaped.report)
    }

    fn send_event(&self, event: AgentInput) {
        // Without a receiver the agent has ended.
        drop(self.events.send(event));
    }
}

/// Explains the decisions for a request.
fn explain_request(explainer: &AgentExplainer, number: u64, about: &RequestReport) {
    let RequestReport {
        tokens_received: tokens_asked,
        tokens_sent,
        rewrite,
        inactive_reason: inactive,
        reductions: reduced,
        ..
    } = about;
    explainer.explain(ExplainedDecision::PromptPlan, || {
        let mut text = format!("request {number}: {tokens_sent} of {tokens_asked} tokens sent");
        for why in rewrite.iter() {
            text.push_str(&format!("; earlier results rewritten: {why}"));
        }
        for why in inactive.iter() {
            text.push_str(&format!("; nothing omitted: {why}"));
        }
        text
    });
    for ResultReduction { call, kind, bytes, bytes_sent, .. } in reduced {
        explainer.explain(ExplainedDecision::PromptPlan, || {
            let kind = kind.label();
            format!(
                "request {number}: {kind} for the result of {call}, {bytes_sent} of {bytes} bytes"
            )
        });
    }
}
