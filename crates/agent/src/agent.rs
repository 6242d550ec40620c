//! The agent's state machine.

use std::sync::Arc;

use foveal_protocols::prompt::{Prompt, ToolSpec, encode_prompt};
use foveal_protocols::response::{BilledUsage, DecodedAnswer, DecodedEvent, StopReason};
use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, MessageRole, RecordingPosition, Timestamp,
    ToolCall, ToolResult, TranscriptEntry,
};

use crate::agent_event::{AgentEvent, RunOutcome};
use crate::agent_io::{AgentAction, AgentInput};
use crate::billing::transcript_usage;
use crate::call_batch::CallBatch;
use crate::compaction::Compaction;
use crate::limits::LimitKind;
use crate::repeat_counter::RepeatCounter;
use crate::repeated_calls::{self, RepeatedCallDetector};
use crate::resume_state::{ResumeState, ResumedCall, rewind_entry};
use crate::run_log_entry::RunLogEntry;
use crate::run_totals::RunTotals;
use crate::settings::Settings;
use crate::side_model::SideModelCharge;
use crate::stream_estimate::StreamEstimate;
use crate::sub_agent::{START_AGENT, SubAgentCall, SubAgentTask};
use crate::tool_answer::ToolAnswer;

/// An agent that works on one task, or on several one after the other.
#[derive(Debug)]
pub struct Agent {
    settings: Settings,
    /// The tool definitions, identical in each request.
    tool_specs: Vec<ToolSpec>,
    conversation: Conversation,
    /// The index of each message of the conversation in the run log.
    entry_indices: Vec<EntryIndex>,
    /// The number of logged messages, including those that a rewind removed.
    logged_entries: u32,
    /// The position of the last logged message in the recording.
    last_source: Option<RecordingPosition>,
    /// The calls of an earlier run that have no result.
    unanswered_calls: Vec<ResumedCall>,
    /// The user's next message, sent once all calls have results.
    next_task: Option<String>,
    state: AgentState,
    /// Whether [`AgentEvent::Start`] was emitted.
    is_start_reported: bool,
    /// The start of the current turn.
    turn_started: Option<Timestamp>,
    totals: RunTotals,
    /// Unanswered questions to side models, each with the least that it costs.
    pending_side_questions: Vec<(u64, SideModelCharge)>,
    /// The number of the agent's last request.
    last_request: u64,
    /// The estimate for the request that is in flight.
    stream_estimate: StreamEstimate,
    /// The totals of the sub-agent that runs now.
    sub_agent_totals: RunTotals,
    /// The number of requests before the current turn.
    requests_before_turn: u32,
    /// The number of the last call.
    last_call: u64,
    repeated_calls: RepeatedCallDetector,
    repeat_counter: RepeatCounter,
    /// The outcome that takes effect once the running calls are answered.
    pending_outcome: Option<RunOutcome>,
    /// The outcome of the last turn, where the agent waits for further tasks.
    last_outcome: Option<RunOutcome>,
    /// Whether the agent ends for good with this turn, though it would wait for tasks otherwise.
    is_shutting_down: bool,
}

#[derive(Debug)]
enum AgentState {
    /// No task is worked on.
    Idle,
    /// The request of this number has no answer yet.
    AwaitingAnswer(u64),
    /// Some calls have no results yet.
    RunningCalls(CallBatch),
    Ended,
}

impl Agent {
    /// Returns an agent without a task.
    pub fn new(settings: Settings) -> Self {
        Self::from_resume_state(settings, ResumeState::default())
    }

    /// Returns an agent that continues an earlier run.
    pub fn from_resume_state(settings: Settings, past: ResumeState) -> Self {
        let tool_specs = settings.tools.iter().map(|tool| tool.spec.clone()).collect();
        let unanswered_calls = past.unanswered_calls();
        let logged_entries = u32::try_from(past.entries().len()).unwrap_or(u32::MAX);
        let last_source = past.entries().last().map(|entry| entry.source);
        let (entry_indices, entries): (Vec<EntryIndex>, Vec<TranscriptEntry>) =
            past.into_active_entries().into_iter().unzip();
        let mut conversation: Conversation = entries.into_iter().collect();
        conversation.agent = Some("foveal".to_owned());
        conversation.directory = Some(settings.directory.clone());
        Self {
            settings,
            tool_specs,
            conversation,
            entry_indices,
            logged_entries,
            last_source,
            unanswered_calls,
            next_task: None,
            state: AgentState::Idle,
            is_start_reported: false,
            turn_started: None,
            totals: RunTotals::default(),
            pending_side_questions: Vec::new(),
            last_request: 0,
            stream_estimate: StreamEstimate::default(),
            sub_agent_totals: RunTotals::default(),
            requests_before_turn: 0,
            last_call: 0,
            repeated_calls: RepeatedCallDetector::default(),
            repeat_counter: RepeatCounter::default(),
            pending_outcome: None,
            last_outcome: None,
            is_shutting_down: false,
        }
    }

    /// Returns the conversation so far. Calls and results pair whenever no call runs.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Returns the body of the request that would be sent now.
    pub fn request_body(&self) -> Vec<u8> {
        encode_prompt(
            self.settings.dialect,
            &Prompt {
                model: &self.settings.model,
                entries: self.conversation.entries(),
                tools: &self.tool_specs,
                output_tokens_max: self.settings.output_tokens_max,
                drops_bound_thinking: self.settings.drops_bound_thinking,
            },
        )
    }

    /// Returns the agent's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the tokens, cost and time of the run so far.
    pub fn totals(&self) -> &RunTotals {
        &self.totals
    }

    /// Returns whether the agent waits for a task.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, AgentState::Idle)
    }

    /// Returns whether the agent has ended for good.
    pub fn is_terminated(&self) -> bool {
        matches!(self.state, AgentState::Ended)
    }

    /// Handles one input and returns the actions to perform, in order. Inputs that do not fit the
    /// current state change nothing.
    pub fn step(&mut self, event: AgentInput, now: Timestamp) -> Vec<AgentAction> {
        self.update_turn_time(now);
        let mut actions = Vec::new();
        match event {
            AgentInput::Task(task) => self.begin_turn(Some(task), now, &mut actions),
            AgentInput::Continue => self.begin_turn(None, now, &mut actions),
            AgentInput::Rewind { to } => self.rewind_to_user_message(to, now, &mut actions),
            AgentInput::RequestSent { number, .. }
            | AgentInput::ResultReduced { number, .. }
            | AgentInput::AnswerDelta { number, .. }
            | AgentInput::RequestRetried { number, .. }
            | AgentInput::RequestFailed { number, .. }
                if self.is_awaiting_request(number) =>
            {
                self.handle_request_progress(event, now, &mut actions);
            }
            AgentInput::AnswerCompleted { number, answer: said }
                if self.is_awaiting_request(number) =>
            {
                self.handle_answer(number, said, now, &mut actions);
            }
            AgentInput::CallApproved { number } if self.pending_outcome.is_none() => {
                self.begin_approved_call(number, &mut actions);
            }
            AgentInput::CallProgressed { number, message, model } => {
                let id = self.running_call(number).map(|call| call.id.clone());
                let told = id.map(|id| AgentEvent::Progress { id, message, model });
                actions.extend(told.map(AgentAction::Emit));
            }
            AgentInput::SubAgentReported { number, event: told } => {
                self.handle_sub_agent_event(number, *told, &mut actions);
            }
            // The curator may work on a result before the request that carries it is sent.
            AgentInput::CurationProgressed { number, id, message, model }
                if self.is_awaiting_request(number) =>
            {
                let told = AgentEvent::Progress { id, message, model: Some(model) };
                actions.push(AgentAction::Emit(told));
            }
            AgentInput::CallAnswered { number, answer } => {
                self.handle_call_answer(number, answer, now, &mut actions);
            }
            AgentInput::SideModelAsked { .. }
            | AgentInput::SideModelAnswered { .. }
            | AgentInput::RequestOverLimit { .. } => {
                self.handle_side_model_input(event, &mut actions);
            }
            AgentInput::Tick if self.settings.limits.is_time_exceeded(&self.totals) => {
                self.stop(RunOutcome::Limit { limit: LimitKind::Time }, now, &mut actions);
            }
            AgentInput::Stop => self.stop(RunOutcome::Stopped, now, &mut actions),
            AgentInput::ShutDown => self.shut_down(now, &mut actions),
            AgentInput::RequestSent { .. }
            | AgentInput::ResultReduced { .. }
            | AgentInput::RequestRetried { .. }
            | AgentInput::AnswerDelta { .. }
            | AgentInput::AnswerCompleted { .. }
            | AgentInput::RequestFailed { .. }
            | AgentInput::CurationProgressed { .. }
            | AgentInput::CallApproved { .. }
            | AgentInput::Tick => {}
        }
        actions
    }

    /// Handles inputs about the request that is in flight.
    fn handle_request_progress(
        &mut self,
        event: AgentInput,
        now: Timestamp,
        actions: &mut Vec<AgentAction>,
    ) {
        match event {
            AgentInput::RequestSent {
                number,
                tokens_asked,
                tokens_sent,
                rewrite_reason: rewrite,
                inactive_reason: inactive,
            } => {
                self.stream_estimate = StreamEstimate::from_prompt_tokens(tokens_sent);
                let told =
                    AgentEvent::Sent { number, tokens_asked, tokens_sent, rewrite, inactive };
                actions.push(AgentAction::Emit(told));
            }
            AgentInput::ResultReduced {
                id, kind, cached, bytes, bytes_sent, curated_text, ..
            } => {
                let kind = kind.label();
                let totals = &mut self.totals;
                let cached = self.repeat_counter.record_reduction(&id, cached, totals);
                let event =
                    AgentEvent::Reduced { id, kind, cached, bytes, bytes_sent, curated_text };
                actions.push(AgentAction::Emit(event));
            }
            AgentInput::AnswerDelta { event, .. } => {
                self.stream_estimate.add_event(&event);
                actions.extend(agent_event_of_stream(event).map(AgentAction::Emit));
            }
            AgentInput::RequestRetried { number, reason: why, wait_ms } => {
                actions.push(AgentAction::Emit(AgentEvent::Again { number, why, wait_ms }));
                let cut = self.stream_estimate.record_failure();
                self.record_aborted_answer(cut, actions);
            }
            AgentInput::RequestFailed { message, is_too_long, .. } => {
                let cut = self.stream_estimate.record_failure();
                self.record_aborted_answer(cut, actions);
                match is_too_long && self.compact_conversation(now, actions) {
                    true => self.send_request(actions),
                    false => self.end_turn(failure_outcome(message, is_too_long), actions),
                }
            }
            _ => {}
        }
    }

    /// Handles inputs about side models.
    fn handle_side_model_input(&mut self, event: AgentInput, actions: &mut Vec<AgentAction>) {
        match event {
            AgentInput::SideModelAsked { number, charge } => {
                self.pending_side_questions.push((number, charge));
            }
            AgentInput::SideModelAnswered { number, charge } => {
                self.pending_side_questions.retain(|(asked, _)| *asked != number);
                self.add_side_charges(charge, actions);
            }
            AgentInput::RequestOverLimit { number, limit } if self.is_awaiting_request(number) => {
                // The request was counted but not sent.
                self.totals.turns = self.totals.turns.saturating_sub(1);
                self.end_turn(RunOutcome::Limit { limit }, actions);
            }
            _ => {}
        }
    }

    /// Adds the cost of questions to side models.
    fn add_side_charges(
        &mut self,
        charges: impl IntoIterator<Item = SideModelCharge>,
        actions: &mut Vec<AgentAction>,
    ) {
        if self.is_terminated() {
            return;
        }
        for charge in charges {
            self.totals = self.totals.with_side_question(&charge);
            actions.push(AgentAction::Emit(AgentEvent::SideUsage { charge, spent: self.totals }));
        }
    }

    /// Adds the least cost of the unanswered questions, whose answers do not count any more.
    fn charge_pending_side_questions(&mut self, actions: &mut Vec<AgentAction>) {
        let asked = std::mem::take(&mut self.pending_side_questions);
        self.add_side_charges(asked.into_iter().map(|(_, charge)| charge), actions);
    }

    fn update_turn_time(&mut self, now: Timestamp) {
        if let Some(started) = self.turn_started {
            self.totals.time_ms = now.since_ms(started).max(self.totals.time_ms);
        }
    }

    /// Returns whether this request is in flight.
    fn is_awaiting_request(&self, request: u64) -> bool {
        matches!(self.state, AgentState::AwaitingAnswer(number) if number == request)
    }

    fn running_call(&self, call: u64) -> Option<&ToolCall> {
        match &self.state {
            AgentState::RunningCalls(calls) => calls.running_call(call),
            AgentState::Idle | AgentState::AwaitingAnswer(_) | AgentState::Ended => None,
        }
    }

    fn begin_turn(&mut self, task: Option<String>, now: Timestamp, actions: &mut Vec<AgentAction>) {
        if !matches!(self.state, AgentState::Idle) {
            return;
        }
        self.turn_started = Some(now);
        self.totals.time_ms = 0;
        self.requests_before_turn = self.totals.turns;
        // The user has seen the repeated calls and wants the agent to continue.
        self.repeated_calls = RepeatedCallDetector::default();
        if !std::mem::replace(&mut self.is_start_reported, true) {
            actions.push(AgentAction::Emit(self.start_event()));
        }
        if self.conversation.entries().is_empty() {
            let system = self.settings.system_prompt.clone();
            self.append_message(
                MessageRole::System,
                vec![ContentBlock::Text(system)],
                now,
                actions,
            );
        }
        if task.is_none() && self.is_turn_complete() {
            let text =
                self.conversation.entries().last().map(TranscriptEntry::text).unwrap_or_default();
            return self.end_turn(RunOutcome::Finished { text }, actions);
        }
        self.next_task = task;
        let open = std::mem::take(&mut self.unanswered_calls);
        self.state = AgentState::RunningCalls(CallBatch::from_unanswered(open, |name| {
            self.is_read_only_tool(name)
        }));
        self.advance_calls(now, actions);
    }

    /// Removes a message of the user and all later ones from the conversation.
    fn rewind_to_user_message(
        &mut self,
        to: usize,
        now: Timestamp,
        actions: &mut Vec<AgentAction>,
    ) {
        let entries = self.conversation.entries();
        let is_of_person = entries.get(to).is_some_and(|entry| entry.role == MessageRole::User);
        if !matches!(self.state, AgentState::Idle) || !is_of_person {
            return;
        }
        self.truncate_conversation(to, now, actions);
        self.unanswered_calls.clear();
    }

    /// Removes the message at `to` and all later ones from the conversation, and logs the rewind.
    fn truncate_conversation(&mut self, to: usize, now: Timestamp, actions: &mut Vec<AgentAction>) {
        let mut before = self.conversation.without_entries();
        for entry in &self.conversation.entries()[..to] {
            before.push(entry.clone());
        }
        let mark = rewind_entry(self.entry_indices[to], self.last_source, now);
        (self.last_source, self.logged_entries) =
            (Some(mark.source), self.logged_entries.saturating_add(1));
        actions.push(AgentAction::AppendLog(RunLogEntry::Message(Box::new(mark))));
        self.conversation = before;
        self.entry_indices.truncate(to);
    }

    /// Replaces the oldest messages by a summary, because the conversation exceeds the model's
    /// window. Returns `false` where no messages can be omitted.
    fn compact_conversation(&mut self, now: Timestamp, actions: &mut Vec<AgentAction>) -> bool {
        let entries = self.conversation.entries();
        let Some(compaction) = Compaction::from_entries(entries) else { return false };
        let staying = entries[compaction.first_kept..].to_vec();
        let messages = compaction.omitted_count();
        self.truncate_conversation(compaction.first_omitted, now, actions);
        actions.push(AgentAction::AppendLog(RunLogEntry::Content(compaction.omitted_messages)));
        let mut summary = self.new_entry(
            MessageRole::User,
            vec![ContentBlock::Text(compaction.omission_note)],
            now,
        );
        summary.mark = EntryMark::CompactSummary;
        self.append_entry(summary, actions);
        for mut entry in staying {
            entry.source = self.new_entry(entry.role, Vec::new(), now).source;
            // The usage was billed at the message's old position, and providers refuse signed
            // thinking behind another prompt.
            entry.usage = None;
            entry.blocks.retain(|block| {
                !matches!(block, ContentBlock::Opaque { .. }) || is_user_side(entry.role)
            });
            self.append_entry(entry, actions);
        }
        let why = format!(
            "the conversation exceeds the model's context window: its first {messages} messages \
             are left out from now on, with a handle that restores them"
        );
        actions.push(AgentAction::Emit(AgentEvent::Again {
            number: self.last_request,
            why,
            wait_ms: 0,
        }));
        true
    }

    fn start_event(&self) -> AgentEvent {
        let tools = self.tool_specs.iter().map(|tool| tool.name.clone()).collect();
        let (session, model) = (self.settings.session.clone(), self.settings.model.clone());
        AgentEvent::Start { session, messages: self.conversation.entries().len(), model, tools }
    }

    /// Returns whether the model has answered all messages and no call is unanswered.
    fn is_turn_complete(&self) -> bool {
        let last = self.conversation.entries().last();
        self.unanswered_calls.is_empty()
            && last.is_none_or(|last| {
                matches!(last.role, MessageRole::System | MessageRole::Assistant)
            })
    }

    fn is_read_only_tool(&self, name: &str) -> bool {
        let mut tools = self.settings.tools.iter();
        tools.any(|tool| tool.spec.name == name && tool.is_read_only)
    }

    /// Sends the conversation to the model, unless a limit is reached.
    fn send_request(&mut self, actions: &mut Vec<AgentAction>) {
        let turns = self.totals.turns.saturating_sub(self.requests_before_turn);
        let asked = self
            .pending_side_questions
            .iter()
            .fold(self.totals, |spent, (_, asked)| spent.with_side_question(asked));
        if let Some(limit) = self.settings.limits.reached_limit(&asked, turns) {
            return self.end_turn(RunOutcome::Limit { limit }, actions);
        }
        self.totals.turns = self.totals.turns.saturating_add(1);
        self.last_request += 1;
        self.stream_estimate = StreamEstimate::default();
        let number = self.last_request;
        self.state = AgentState::AwaitingAnswer(number);
        actions.push(AgentAction::SendRequest { number, body: self.request_body() });
    }

    fn handle_answer(
        &mut self,
        number: u64,
        said: DecodedAnswer,
        now: Timestamp,
        actions: &mut Vec<AgentAction>,
    ) {
        let billed = said.metadata.billed;
        let counted = self.stream_estimate.estimate_unreported(&billed, &said.blocks);
        self.record_usage(number, counted.as_ref().unwrap_or(&billed), counted.is_some(), actions);
        let calls: Vec<ToolCall> = said.calls().cloned().collect();
        let mut entry = self.new_entry(MessageRole::Assistant, said.blocks, now);
        entry.usage = Some(transcript_usage(&billed));
        entry.model = said.metadata.model.map(Arc::from);
        let text = entry.text();
        self.append_entry(entry, actions);
        if calls.is_empty() {
            let outcome = match said.stop_reason {
                StopReason::OutputLimit => RunOutcome::Cut { text },
                StopReason::Refusal => RunOutcome::Refused { text },
                StopReason::ContextWindow => RunOutcome::TooLong { message: text },
                StopReason::EndOfTurn | StopReason::ToolCalls | StopReason::Other(_) => {
                    RunOutcome::Finished { text }
                }
            };
            return self.end_turn(outcome, actions);
        }
        self.state =
            AgentState::RunningCalls(CallBatch::new(calls, |name| self.is_read_only_tool(name)));
        self.advance_calls(now, actions);
    }

    /// Adds the usage of one answer to the totals.
    fn record_usage(
        &mut self,
        number: u64,
        billed: &BilledUsage,
        estimated: bool,
        actions: &mut Vec<AgentAction>,
    ) {
        self.totals = self.totals.with_answer(billed, &self.settings.price);
        actions.push(AgentAction::Emit(AgentEvent::Usage {
            number,
            spent: self.totals,
            estimated,
        }));
    }

    /// Adds the estimated usage of an answer that broke off.
    fn record_aborted_answer(&mut self, cut: Option<BilledUsage>, actions: &mut Vec<AgentAction>) {
        if let Some(cut) = cut {
            self.record_usage(self.last_request, &cut, true, actions);
        }
    }

    /// Starts the calls that can start now. Once all are answered, sends the results to the model.
    fn advance_calls(&mut self, now: Timestamp, actions: &mut Vec<AgentAction>) {
        let AgentState::RunningCalls(calls) = &mut self.state else { return };
        for (ToolCall { id, name, .. }, answer) in calls.take_unreported() {
            self.repeat_counter.record_answer(&id, &answer, &mut self.totals);
            actions.push(AgentAction::Emit(AgentEvent::from_answer(id, name, answer)));
        }
        let started = calls.start_runnable(&mut self.last_call);
        let answered = calls.is_complete().then(|| calls.take_answers());
        for (number, call) in started {
            let ToolCall { id, name, arguments } = call.clone();
            actions.push(AgentAction::Emit(AgentEvent::Call { id, name, arguments }));
            let action = match self.is_sub_agent_tool(&call.name) {
                true => AgentAction::StartSubAgent(self.prepare_sub_agent(number, call)),
                false => AgentAction::RunCall { number, call },
            };
            actions.push(action);
        }
        let Some(answered) = answered else { return };
        let circles = self.append_results(answered, now, actions);
        if let Some(next) = self.next_task.take() {
            self.append_message(MessageRole::User, vec![ContentBlock::Text(next)], now, actions);
        }
        match self.pending_outcome.take().or(circles) {
            Some(outcome) => self.end_turn(outcome, actions),
            None => self.send_request(actions),
        }
    }

    /// Returns whether calls of this tool are run by sub-agents.
    fn is_sub_agent_tool(&self, name: &str) -> bool {
        name == START_AGENT && self.tool_specs.iter().any(|tool| tool.name == name)
    }

    /// Returns the sub-agent call, with the limits that remain for the sub-agent.
    fn prepare_sub_agent(&mut self, number: u64, call: ToolCall) -> SubAgentCall {
        self.sub_agent_totals = RunTotals::default();
        let turns = self.totals.turns.saturating_sub(self.requests_before_turn);
        let limits = self.settings.limits.remaining_for_sub_agent(&self.totals, turns);
        let step = self.last_source.map_or(0, |last| last.step);
        let place = match &self.state {
            AgentState::RunningCalls(calls) => calls.call_position(number).unwrap_or(0),
            AgentState::Idle | AgentState::AwaitingAnswer(_) | AgentState::Ended => 0,
        };
        SubAgentCall { number, call, step, call_position: place, limits }
    }

    /// Forwards an event of a sub-agent and adds its usage to the totals.
    fn handle_sub_agent_event(
        &mut self,
        number: u64,
        told: AgentEvent,
        actions: &mut Vec<AgentAction>,
    ) {
        let Some(call) = self.running_call(number) else { return };
        let id = call.id.clone();
        let label = SubAgentTask::from_arguments(&call.arguments)
            .map(|task| task.label)
            .unwrap_or_default();
        let is_begin = matches!(told, AgentEvent::Start { .. });
        let spent = match &told {
            AgentEvent::Usage { spent, estimated, .. } => Some((*spent, *estimated)),
            AgentEvent::Done { spent, .. } => Some((*spent, false)),
            _ => None,
        };
        actions.push(AgentAction::Emit(AgentEvent::Agent { id, label, event: Box::new(told) }));
        self.totals.agents.count = self.totals.agents.count.saturating_add(u32::from(is_begin));
        if let Some((spent, estimated)) = spent {
            let before = std::mem::replace(&mut self.sub_agent_totals, spent);
            self.totals = self.totals.with_sub_agent_increase(&spent, &before);
            let (number, spent) = (self.last_request, self.totals);
            actions.push(AgentAction::Emit(AgentEvent::Usage { number, spent, estimated }));
        }
    }

    /// Adds the results of calls, in the order of the calls. Returns an outcome if the model
    /// repeats the same call too often.
    fn append_results(
        &mut self,
        answered: Vec<(ToolCall, ToolAnswer)>,
        now: Timestamp,
        actions: &mut Vec<AgentAction>,
    ) -> Option<RunOutcome> {
        let mut circles = None;
        for (call, answer) in answered {
            let times = self.repeated_calls.record_call(&call, &answer.text);
            let name = call.name;
            let mut content = answer.text;
            if times >= repeated_calls::WARN_THRESHOLD {
                content.push_str(&repeated_calls::repetition_warning(times));
                let name = name.clone();
                actions.push(AgentAction::Emit(AgentEvent::Repeated { name, times }));
            }
            if times >= repeated_calls::ABORT_THRESHOLD {
                circles = Some(RunOutcome::Repeated { name, times });
            }
            let result = ToolResult { call: call.id, content, is_error: answer.is_error };
            self.append_message(
                MessageRole::Tool,
                vec![ContentBlock::Result(result)],
                now,
                actions,
            );
        }
        circles
    }

    /// Begins a call that waited for approval.
    fn begin_approved_call(&mut self, number: u64, actions: &mut Vec<AgentAction>) {
        let AgentState::RunningCalls(calls) = &mut self.state else { return };
        let Some(call) = calls.approve(number) else { return };
        actions.push(AgentAction::AppendLog(RunLogEntry::CallBegun { id: call.id.clone() }));
        actions.push(AgentAction::BeginCall { number });
    }

    fn handle_call_answer(
        &mut self,
        number: u64,
        answer: ToolAnswer,
        now: Timestamp,
        actions: &mut Vec<AgentAction>,
    ) {
        let AgentState::RunningCalls(calls) = &mut self.state else { return };
        let Some(call) = calls.record_answer(number, answer.clone()) else { return };
        let (id, name) = (call.id.clone(), call.name.clone());
        if !calls.is_complete() {
            let (id, answer) = (id.clone(), answer.clone());
            actions.push(AgentAction::AppendLog(RunLogEntry::CallAnswered { id, answer }));
        }
        self.repeat_counter.record_answer(&id, &answer, &mut self.totals);
        actions.push(AgentAction::Emit(AgentEvent::from_answer(id, name, answer)));
        self.advance_calls(now, actions);
    }

    /// Ends the turn as soon as possible: a request at once, calls once the running ones are
    /// answered. A second stop by the user does not wait for them.
    fn stop(&mut self, outcome: RunOutcome, now: Timestamp, actions: &mut Vec<AgentAction>) {
        match &mut self.state {
            AgentState::Idle if self.settings.waits_for_tasks => {}
            AgentState::Idle => self.end_turn(outcome, actions),
            AgentState::AwaitingAnswer(_) => {
                actions.push(AgentAction::CancelRequest);
                let cut = self.stream_estimate.record_cancellation();
                self.record_aborted_answer(cut, actions);
                self.end_turn(outcome, actions);
            }
            AgentState::RunningCalls(calls) => {
                if self.pending_outcome.is_none() {
                    calls.cancel_waiting();
                    self.pending_outcome = Some(outcome);
                    if calls.has_running() {
                        actions.push(AgentAction::CancelCalls);
                    }
                } else if outcome == RunOutcome::Stopped {
                    calls.abandon_running();
                }
                self.advance_calls(now, actions);
            }
            AgentState::Ended => {}
        }
    }

    /// Ends the agent for good as soon as possible.
    fn shut_down(&mut self, now: Timestamp, actions: &mut Vec<AgentAction>) {
        self.is_shutting_down = true;
        if self.is_idle() && self.settings.waits_for_tasks {
            // `AgentEvent::Done` was emitted at the end of the last turn.
            self.charge_pending_side_questions(actions);
            self.state = AgentState::Ended;
            return actions
                .push(AgentAction::End(self.last_outcome.take().unwrap_or(RunOutcome::Stopped)));
        }
        self.stop(RunOutcome::Stopped, now, actions);
    }

    /// Ends the turn, and the agent too unless it waits for further tasks.
    fn end_turn(&mut self, outcome: RunOutcome, actions: &mut Vec<AgentAction>) {
        let stays = self.settings.waits_for_tasks && !self.is_shutting_down;
        if !stays {
            self.charge_pending_side_questions(actions);
        }
        let spent = self.totals;
        actions.push(AgentAction::Emit(AgentEvent::Done { outcome: outcome.clone(), spent }));
        if stays {
            (self.state, self.turn_started) = (AgentState::Idle, None);
            self.last_outcome = Some(outcome);
        } else {
            self.state = AgentState::Ended;
            actions.push(AgentAction::End(outcome));
        }
    }

    fn append_message(
        &mut self,
        role: MessageRole,
        blocks: Vec<ContentBlock>,
        now: Timestamp,
        actions: &mut Vec<AgentAction>,
    ) {
        let entry = self.new_entry(role, blocks, now);
        self.append_entry(entry, actions);
    }

    fn append_entry(&mut self, entry: TranscriptEntry, actions: &mut Vec<AgentAction>) {
        actions.push(AgentAction::AppendLog(RunLogEntry::Message(Box::new(entry.clone()))));
        self.entry_indices.push(EntryIndex(self.logged_entries));
        (self.last_source, self.logged_entries) =
            (Some(entry.source), self.logged_entries.saturating_add(1));
        self.conversation.push(entry);
    }

    /// Returns the next message. Each message is a step of its own; results belong to the step of
    /// their call.
    fn new_entry(
        &self,
        role: MessageRole,
        blocks: Vec<ContentBlock>,
        now: Timestamp,
    ) -> TranscriptEntry {
        let last = self.last_source.unwrap_or(RecordingPosition { step: 0, result: None });
        let source = match (role, last.result) {
            (MessageRole::Tool, None) => RecordingPosition { step: last.step, result: Some(0) },
            (MessageRole::Tool, Some(at)) => {
                RecordingPosition { step: last.step, result: Some(at.saturating_add(1)) }
            }
            _ => RecordingPosition { step: last.step.saturating_add(1), result: None },
        };
        let (time, mark) = (Some(now), EntryMark::None);
        TranscriptEntry { source, role, time, mark, model: None, usage: None, blocks }
    }
}

fn is_user_side(role: MessageRole) -> bool {
    matches!(role, MessageRole::User | MessageRole::Tool)
}

/// Returns the outcome of a turn whose request has no answer.
fn failure_outcome(message: String, is_too_long: bool) -> RunOutcome {
    match is_too_long {
        true => RunOutcome::TooLong { message },
        false => RunOutcome::Failed { message },
    }
}

/// Converts a stream event. The end of a call has no event: [`AgentEvent::Call`] follows once the
/// call is made.
fn agent_event_of_stream(event: DecodedEvent) -> Option<AgentEvent> {
    match event {
        DecodedEvent::Text(text) => Some(AgentEvent::Text { text }),
        DecodedEvent::Reasoning(text) => Some(AgentEvent::Reasoning { text }),
        DecodedEvent::CallStart { id, name } => Some(AgentEvent::CallStart { id, name }),
        DecodedEvent::CallArguments { id, piece } => Some(AgentEvent::CallArguments { id, piece }),
        DecodedEvent::CallEnd(_) => None,
    }
}
