//! The loop.

use std::sync::Arc;

use foveal_transcript::{
    Block, Call, Conversation, Entry, EntryIndex, Mark, Role, Source, Timestamp, ToolResult,
};
use foveal_wire::prompt::{Prompt, ToolSpec, encode};
use foveal_wire::response::{Billed, Said, SaidEvent, StopReason};

use crate::billed::usage;
use crate::calls::Calls;
use crate::compaction::Compaction;
use crate::event::{Action, Event};
use crate::keep::Keep;
use crate::limits::Limit;
use crate::past::{OpenCall, Past, rewind_mark};
use crate::repeated::{self, Repeated};
use crate::settings::Settings;
use crate::side::SideCharge;
use crate::spent::Spent;
use crate::sub_agent::{START_AGENT, StartAgent, SubTask};
use crate::told::{Outcome, Told};
use crate::tool_answer::ToolAnswer;
use crate::under_way::UnderWay;

/// An agent at its work on a task, or on one after the other.
#[derive(Debug)]
pub struct Agent {
    settings: Settings,
    /// The tools as the model is told of them: the same with each request.
    tools: Vec<ToolSpec>,
    conversation: Conversation,
    /// Where each message of it stands among all that was kept.
    places: Vec<EntryIndex>,
    /// Messages that were kept, those that it went back behind too.
    kept: u32,
    /// Where the last of them stands in the recording.
    last: Option<Source>,
    /// Calls of an earlier run that have no result.
    open: Vec<OpenCall>,
    /// What the person says next, once all calls have results.
    next: Option<String>,
    state: State,
    /// Whether it was told once that it begins.
    has_begun: bool,
    /// When the turn began, while there is one.
    started: Option<Timestamp>,
    spent: Spent,
    /// Questions to models beside the main one that are not answered, and what they cost at least.
    side: Vec<(u64, SideCharge)>,
    /// The number of the last request of its own.
    requests: u64,
    /// What is known of the one that is under way.
    under_way: UnderWay,
    /// What the sub-agent that works came to so far.
    of_agent: Spent,
    /// Requests before this turn.
    turns_before: u32,
    /// The number of the last call that was made.
    calls_made: u64,
    repeated: Repeated,
    /// How it ends once the calls that run are answered.
    ending: Option<Outcome>,
    /// How the last turn ended, if it stays.
    ended: Option<Outcome>,
    /// Whether it ends for good with this turn, though it stays otherwise.
    leaves: bool,
}

#[derive(Debug)]
enum State {
    /// No task.
    Idle,
    /// This request has no answer yet.
    Asking(u64),
    /// Calls have no results yet.
    Calling(Calls),
    Ended,
}

impl Agent {
    /// An agent without a task.
    pub fn new(settings: Settings) -> Self {
        Self::resumed(settings, Past::default())
    }

    /// An agent that takes up again what an earlier one was about.
    pub fn resumed(settings: Settings, past: Past) -> Self {
        let tools = settings.tools.iter().map(|tool| tool.spec.clone()).collect();
        let open = past.open();
        let kept = u32::try_from(past.entries().len()).unwrap_or(u32::MAX);
        let last = past.entries().last().map(|entry| entry.source);
        let (places, entries): (Vec<EntryIndex>, Vec<Entry>) =
            past.into_window().into_iter().unzip();
        let mut conversation: Conversation = entries.into_iter().collect();
        conversation.agent = Some("foveal".to_owned());
        conversation.directory = Some(settings.directory.clone());
        Self {
            settings,
            tools,
            conversation,
            places,
            kept,
            last,
            open,
            next: None,
            state: State::Idle,
            has_begun: false,
            started: None,
            spent: Spent::default(),
            side: Vec::new(),
            requests: 0,
            under_way: UnderWay::default(),
            of_agent: Spent::default(),
            turns_before: 0,
            calls_made: 0,
            repeated: Repeated::default(),
            ending: None,
            ended: None,
            leaves: false,
        }
    }

    /// The conversation so far: calls and results pair whenever no call runs.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The body of the request that would go now.
    pub fn prompt(&self) -> Vec<u8> {
        encode(
            self.settings.dialect,
            &Prompt {
                model: &self.settings.model,
                entries: self.conversation.entries(),
                tools: &self.tools,
                output_tokens_max: self.settings.output_tokens_max,
                drops_bound_thinking: self.settings.drops_bound_thinking,
            },
        )
    }

    /// What it is made of.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What it has come to so far.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Whether it waits for a task.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// Whether it is over.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended)
    }

    /// Takes what happened, and says what is to be done, in this order. What does not fit the state
    /// it is in changes nothing.
    pub fn step(&mut self, event: Event, now: Timestamp) -> Vec<Action> {
        self.take_time(now);
        let mut actions = Vec::new();
        match event {
            Event::Task(task) => self.begin(Some(task), now, &mut actions),
            Event::GoOn => self.begin(None, now, &mut actions),
            Event::Rewind { to } => self.rewind(to, now, &mut actions),
            Event::Sent { number, .. }
            | Event::Streamed { number, .. }
            | Event::Again { number, .. }
            | Event::Failed { number, .. }
                if self.asks(number) =>
            {
                self.answering(event, now, &mut actions);
            }
            Event::Reduced { number, id, kind, cached, bytes, bytes_sent } if self.asks(number) => {
                let kind = kind.word();
                actions.push(Action::Tell(Told::Reduced { id, kind, cached, bytes, bytes_sent }));
            }
            Event::Said { number, said } if self.asks(number) => {
                self.said(number, said, now, &mut actions);
            }
            Event::Allowed { number } if self.ending.is_none() => {
                self.allowed(number, &mut actions);
            }
            Event::Progress { number, message, model } => {
                let id = self.running(number).map(|call| call.id.clone());
                let told = id.map(|id| Told::Progress { id, message, model });
                actions.extend(told.map(Action::Tell));
            }
            Event::OfAgent { number, told } => self.told_by_agent(number, *told, &mut actions),
            // A model may help with a result on its way to the model that made the call.
            Event::Helped { number, id, message, model } if self.asks(number) => {
                let told = Told::Progress { id, message, model: Some(model) };
                actions.push(Action::Tell(told));
            }
            Event::Answered { number, answer } => {
                self.answered(number, answer, now, &mut actions);
            }
            Event::SideAsked { .. } | Event::SideAnswered { .. } | Event::OverLimit { .. } => {
                self.beside(event, &mut actions);
            }
            Event::Tick if self.settings.limits.is_late(&self.spent) => {
                self.stop(Outcome::Limit { limit: Limit::Time }, now, &mut actions);
            }
            Event::Stop => self.stop(Outcome::Stopped, now, &mut actions),
            Event::Leave => self.leave(now, &mut actions),
            Event::Sent { .. }
            | Event::Reduced { .. }
            | Event::Again { .. }
            | Event::Streamed { .. }
            | Event::Said { .. }
            | Event::Failed { .. }
            | Event::Helped { .. }
            | Event::Allowed { .. }
            | Event::Tick => {}
        }
        actions
    }

    /// Takes what happens on the way to the answer of a request that is waited for.
    fn answering(&mut self, event: Event, now: Timestamp, actions: &mut Vec<Action>) {
        match event {
            Event::Sent { number, tokens_asked, tokens_sent, rewrite, inactive } => {
                self.under_way = UnderWay::sent(tokens_sent);
                let told = Told::Sent { number, tokens_asked, tokens_sent, rewrite, inactive };
                actions.push(Action::Tell(told));
            }
            Event::Streamed { event, .. } => {
                self.under_way.hear(&event);
                actions.extend(told(event).map(Action::Tell));
            }
            Event::Again { number, why, wait_ms } => {
                actions.push(Action::Tell(Told::Again { number, why, wait_ms }));
                let cut = self.under_way.again();
                self.charge_cut(cut, actions);
            }
            Event::Failed { message, is_too_long, .. } => {
                let cut = self.under_way.again();
                self.charge_cut(cut, actions);
                match is_too_long && self.leave_out_oldest(now, actions) {
                    true => self.ask(actions),
                    false => self.end(failed(message, is_too_long), actions),
                }
            }
            _ => {}
        }
    }

    /// Takes what happens with models beside the main one.
    fn beside(&mut self, event: Event, actions: &mut Vec<Action>) {
        match event {
            Event::SideAsked { number, charge } => self.side.push((number, charge)),
            Event::SideAnswered { number, charge } => {
                self.side.retain(|(asked, _)| *asked != number);
                self.charge(charge, actions);
            }
            Event::OverLimit { number, limit } if self.asks(number) => {
                // It was not sent.
                self.spent.turns = self.spent.turns.saturating_sub(1);
                self.end(Outcome::Limit { limit }, actions);
            }
            _ => {}
        }
    }

    /// Counts what questions to models beside the main one cost.
    fn charge(&mut self, charges: impl IntoIterator<Item = SideCharge>, actions: &mut Vec<Action>) {
        if self.has_ended() {
            return;
        }
        for charge in charges {
            self.spent = self.spent.with_side(&charge);
            actions.push(Action::Tell(Told::SideUsage { charge, spent: self.spent }));
        }
    }

    /// Counts those that are not answered: nobody waits for that any more.
    fn charge_unanswered(&mut self, actions: &mut Vec<Action>) {
        let asked = std::mem::take(&mut self.side);
        self.charge(asked.into_iter().map(|(_, charge)| charge), actions);
    }

    fn take_time(&mut self, now: Timestamp) {
        if let Some(started) = self.started {
            self.spent.time_ms = now.since_ms(started).max(self.spent.time_ms);
        }
    }

    /// What is told of a request that is waited for.
    fn asks(&self, request: u64) -> bool {
        matches!(self.state, State::Asking(number) if number == request)
    }

    fn running(&self, call: u64) -> Option<&Call> {
        match &self.state {
            State::Calling(calls) => calls.running(call),
            State::Idle | State::Asking(_) | State::Ended => None,
        }
    }

    fn begin(&mut self, task: Option<String>, now: Timestamp, actions: &mut Vec<Action>) {
        if !matches!(self.state, State::Idle) {
            return;
        }
        self.started = Some(now);
        self.spent.time_ms = 0;
        self.turns_before = self.spent.turns;
        // The person knows what happened so far, and wants it to go on.
        self.repeated = Repeated::default();
        if !std::mem::replace(&mut self.has_begun, true) {
            actions.push(Action::Tell(self.start()));
        }
        if self.conversation.entries().is_empty() {
            let system = self.settings.system.clone();
            self.push(Role::System, vec![Block::Text(system)], now, actions);
        }
        if task.is_none() && self.is_done() {
            let text = self.conversation.entries().last().map(Entry::text).unwrap_or_default();
            return self.end(Outcome::Finished { text }, actions);
        }
        self.next = task;
        let open = std::mem::take(&mut self.open);
        self.state = State::Calling(Calls::resumed(open, |name| self.only_looks(name)));
        self.go_on(now, actions);
    }

    /// Goes back to just before a message of the person's.
    fn rewind(&mut self, to: usize, now: Timestamp, actions: &mut Vec<Action>) {
        let entries = self.conversation.entries();
        let is_of_person = entries.get(to).is_some_and(|entry| entry.role == Role::User);
        if !matches!(self.state, State::Idle) || !is_of_person {
            return;
        }
        self.go_back(to, now, actions);
        self.open.clear();
    }

    /// Goes back to just before a message.
    fn go_back(&mut self, to: usize, now: Timestamp, actions: &mut Vec<Action>) {
        let mut before = self.conversation.emptied();
        for entry in &self.conversation.entries()[..to] {
            before.push(entry.clone());
        }
        let mark = rewind_mark(self.places[to], self.last, now);
        (self.last, self.kept) = (Some(mark.source), self.kept.saturating_add(1));
        actions.push(Action::Keep(Keep::Entry(Box::new(mark))));
        self.conversation = before;
        self.places.truncate(to);
    }

    /// Goes on without the oldest messages, since the model cannot hold all; whether there are any
    /// that can be left out.
    fn leave_out_oldest(&mut self, now: Timestamp, actions: &mut Vec<Action>) -> bool {
        let entries = self.conversation.entries();
        let Some(compaction) = Compaction::of(entries) else { return false };
        let staying = entries[compaction.to..].to_vec();
        let messages = compaction.messages();
        self.go_back(compaction.from, now, actions);
        actions.push(Action::Keep(Keep::Content(compaction.left_out)));
        let mut summary = self.entry(Role::User, vec![Block::Text(compaction.summary)], now);
        summary.mark = Mark::CompactSummary;
        self.push_entry(summary, actions);
        for mut entry in staying {
            entry.source = self.entry(entry.role, Vec::new(), now).source;
            // It was billed where it stood, and sealed thinking is refused behind another prompt.
            entry.usage = None;
            entry
                .blocks
                .retain(|block| !matches!(block, Block::Opaque { .. }) || is_user(entry.role));
            self.push_entry(entry, actions);
        }
        let why = format!(
            "the conversation is longer than the model can hold: its first {messages} messages are \
             left out from here on, with a handle that gives them back"
        );
        actions.push(Action::Tell(Told::Again { number: self.requests, why, wait_ms: 0 }));
        true
    }

    /// What it begins with.
    fn start(&self) -> Told {
        let tools = self.tools.iter().map(|tool| tool.name.clone()).collect();
        let (session, model) = (self.settings.session.clone(), self.settings.model.clone());
        Told::Start { session, messages: self.conversation.entries().len(), model, tools }
    }

    /// Whether nobody waits for the model.
    fn is_done(&self) -> bool {
        let last = self.conversation.entries().last();
        self.open.is_empty()
            && last.is_none_or(|last| matches!(last.role, Role::System | Role::Assistant))
    }

    fn only_looks(&self, name: &str) -> bool {
        let mut tools = self.settings.tools.iter();
        tools.any(|tool| tool.spec.name == name && tool.only_looks)
    }

    /// Asks the model about the conversation, if no limit is reached.
    fn ask(&mut self, actions: &mut Vec<Action>) {
        let turns = self.spent.turns.saturating_sub(self.turns_before);
        let asked = self.side.iter().fold(self.spent, |spent, (_, asked)| spent.with_side(asked));
        if let Some(limit) = self.settings.limits.reached(&asked, turns) {
            return self.end(Outcome::Limit { limit }, actions);
        }
        self.spent.turns = self.spent.turns.saturating_add(1);
        self.requests += 1;
        self.under_way = UnderWay::default();
        let number = self.requests;
        self.state = State::Asking(number);
        actions.push(Action::Ask { number, body: self.prompt() });
    }

    fn said(&mut self, number: u64, said: Said, now: Timestamp, actions: &mut Vec<Action>) {
        let billed = said.answer.billed;
        let counted = self.under_way.counted(&billed, &said.blocks);
        self.spend(number, counted.as_ref().unwrap_or(&billed), counted.is_some(), actions);
        let calls: Vec<Call> = said.calls().cloned().collect();
        let mut entry = self.entry(Role::Assistant, said.blocks, now);
        entry.usage = Some(usage(&billed));
        entry.model = said.answer.model.map(Arc::from);
        let text = entry.text();
        self.push_entry(entry, actions);
        if calls.is_empty() {
            let outcome = match said.stop {
                StopReason::Length => Outcome::Cut { text },
                StopReason::Refused => Outcome::Refused { text },
                StopReason::Window => Outcome::TooLong { message: text },
                StopReason::End | StopReason::Calls | StopReason::Other(_) => {
                    Outcome::Finished { text }
                }
            };
            return self.end(outcome, actions);
        }
        self.state = State::Calling(Calls::new(calls, |name| self.only_looks(name)));
        self.go_on(now, actions);
    }

    /// Counts what an answer is billed for.
    fn spend(&mut self, number: u64, billed: &Billed, estimated: bool, actions: &mut Vec<Action>) {
        self.spent = self.spent.with(billed, self.settings.prices.as_ref());
        actions.push(Action::Tell(Told::Usage { number, spent: self.spent, estimated }));
    }

    /// Counts an answer whose end never comes.
    fn charge_cut(&mut self, cut: Option<Billed>, actions: &mut Vec<Action>) {
        if let Some(cut) = cut {
            self.spend(self.requests, &cut, true, actions);
        }
    }

    /// Makes the calls that can be made now; where all are answered, gives the model the results.
    fn go_on(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        let State::Calling(calls) = &mut self.state else { return };
        for (Call { id, name, .. }, answer) in calls.untold() {
            let ToolAnswer { text, is_error, cached } = answer;
            actions.push(Action::Tell(Told::Result { id, name, cached, is_error, text }));
        }
        let started = calls.start(&mut self.calls_made);
        let answered = calls.are_answered().then(|| calls.take());
        for (number, call) in started {
            let Call { id, name, arguments } = call.clone();
            actions.push(Action::Tell(Told::Call { id, name, arguments }));
            let action = match self.starts_agents(&call.name) {
                true => Action::StartAgent(self.start_agent(number, call)),
                false => Action::Call { number, call },
            };
            actions.push(action);
        }
        let Some(answered) = answered else { return };
        let circles = self.give_results(answered, now, actions);
        if let Some(next) = self.next.take() {
            self.push(Role::User, vec![Block::Text(next)], now, actions);
        }
        match self.ending.take().or(circles) {
            Some(outcome) => self.end(outcome, actions),
            None => self.ask(actions),
        }
    }

    /// Whether calls of this name are carried out by sub-agents.
    fn starts_agents(&self, name: &str) -> bool {
        name == START_AGENT && self.tools.iter().any(|tool| tool.name == name)
    }

    /// A sub-agent, which may take what is left of the limits.
    fn start_agent(&mut self, number: u64, call: Call) -> StartAgent {
        self.of_agent = Spent::default();
        let turns = self.spent.turns.saturating_sub(self.turns_before);
        let limits = self.settings.limits.left(&self.spent, turns);
        let step = self.last.map_or(0, |last| last.step);
        let place = match &self.state {
            State::Calling(calls) => calls.place(number).unwrap_or(0),
            State::Idle | State::Asking(_) | State::Ended => 0,
        };
        StartAgent { number, call, step, place, limits }
    }

    /// Tells what a sub-agent tells, and counts what it takes.
    fn told_by_agent(&mut self, number: u64, told: Told, actions: &mut Vec<Action>) {
        let Some(call) = self.running(number) else { return };
        let id = call.id.clone();
        let label = SubTask::of(&call.arguments).map(|task| task.label).unwrap_or_default();
        let is_begin = matches!(told, Told::Start { .. });
        let spent = match &told {
            Told::Usage { spent, estimated, .. } => Some((*spent, *estimated)),
            Told::Done { spent, .. } => Some((*spent, false)),
            _ => None,
        };
        actions.push(Action::Tell(Told::Agent { id, label, event: Box::new(told) }));
        self.spent.agents.count = self.spent.agents.count.saturating_add(u32::from(is_begin));
        if let Some((spent, estimated)) = spent {
            let before = std::mem::replace(&mut self.of_agent, spent);
            self.spent = self.spent.with_agent(&spent, &before);
            let (number, spent) = (self.requests, self.spent);
            actions.push(Action::Tell(Told::Usage { number, spent, estimated }));
        }
    }

    /// Adds the results of calls, in the order of the calls; how it ends where it goes round in
    /// circles.
    fn give_results(
        &mut self,
        answered: Vec<(Call, ToolAnswer)>,
        now: Timestamp,
        actions: &mut Vec<Action>,
    ) -> Option<Outcome> {
        let mut circles = None;
        for (call, answer) in answered {
            let times = self.repeated.note(&call, &answer.text);
            let name = call.name;
            let mut content = answer.text;
            if times >= repeated::TOLD {
                content.push_str(&repeated::note(times));
                let name = name.clone();
                actions.push(Action::Tell(Told::Repeated { name, times }));
            }
            if times >= repeated::ENDS {
                circles = Some(Outcome::Repeated { name, times });
            }
            let result = ToolResult { call: call.id, content, is_error: answer.is_error };
            self.push(Role::Tool, vec![Block::Result(result)], now, actions);
        }
        circles
    }

    /// Lets a call begin that waited for it.
    fn allowed(&mut self, number: u64, actions: &mut Vec<Action>) {
        let State::Calling(calls) = &mut self.state else { return };
        let Some(call) = calls.begin(number) else { return };
        actions.push(Action::Keep(Keep::Begun { id: call.id.clone() }));
        actions.push(Action::Begin { number });
    }

    fn answered(
        &mut self,
        number: u64,
        answer: ToolAnswer,
        now: Timestamp,
        actions: &mut Vec<Action>,
    ) {
        let State::Calling(calls) = &mut self.state else { return };
        let Some(call) = calls.answer(number, answer.clone()) else { return };
        let (id, name) = (call.id.clone(), call.name.clone());
        if !calls.are_answered() {
            let (id, answer) = (id.clone(), answer.clone());
            actions.push(Action::Keep(Keep::Answered { id, answer }));
        }
        let ToolAnswer { text, is_error, cached } = answer;
        actions.push(Action::Tell(Told::Result { id, name, cached, is_error, text }));
        self.go_on(now, actions);
    }

    /// Ends as soon as may be: a request at once, calls once those that run are answered. Who wants
    /// it twice does not wait for them.
    fn stop(&mut self, outcome: Outcome, now: Timestamp, actions: &mut Vec<Action>) {
        match &mut self.state {
            State::Idle if self.settings.stays => {}
            State::Idle => self.end(outcome, actions),
            State::Asking(_) => {
                actions.push(Action::StopAsking);
                let cut = self.under_way.stopped();
                self.charge_cut(cut, actions);
                self.end(outcome, actions);
            }
            State::Calling(calls) => {
                if self.ending.is_none() {
                    calls.give_up();
                    self.ending = Some(outcome);
                    if calls.run() {
                        actions.push(Action::StopCalls);
                    }
                } else if outcome == Outcome::Stopped {
                    calls.leave();
                }
                self.go_on(now, actions);
            }
            State::Ended => {}
        }
    }

    /// Ends for good as soon as may be.
    fn leave(&mut self, now: Timestamp, actions: &mut Vec<Action>) {
        self.leaves = true;
        if self.is_idle() && self.settings.stays {
            // The end of the last turn was told.
            self.charge_unanswered(actions);
            self.state = State::Ended;
            return actions.push(Action::End(self.ended.take().unwrap_or(Outcome::Stopped)));
        }
        self.stop(Outcome::Stopped, now, actions);
    }

    /// The turn is over; and with it all, unless it stays.
    fn end(&mut self, outcome: Outcome, actions: &mut Vec<Action>) {
        let stays = self.settings.stays && !self.leaves;
        if !stays {
            self.charge_unanswered(actions);
        }
        let spent = self.spent;
        actions.push(Action::Tell(Told::Done { outcome: outcome.clone(), spent }));
        if stays {
            (self.state, self.started) = (State::Idle, None);
            self.ended = Some(outcome);
        } else {
            self.state = State::Ended;
            actions.push(Action::End(outcome));
        }
    }

    fn push(&mut self, role: Role, blocks: Vec<Block>, now: Timestamp, actions: &mut Vec<Action>) {
        let entry = self.entry(role, blocks, now);
        self.push_entry(entry, actions);
    }

    fn push_entry(&mut self, entry: Entry, actions: &mut Vec<Action>) {
        actions.push(Action::Keep(Keep::Entry(Box::new(entry.clone()))));
        self.places.push(EntryIndex(self.kept));
        (self.last, self.kept) = (Some(entry.source), self.kept.saturating_add(1));
        self.conversation.push(entry);
    }

    /// The next message. Each is a step; results are of the step of their call.
    fn entry(&self, role: Role, blocks: Vec<Block>, now: Timestamp) -> Entry {
        let last = self.last.unwrap_or(Source { step: 0, result: None });
        let source = match (role, last.result) {
            (Role::Tool, None) => Source { step: last.step, result: Some(0) },
            (Role::Tool, Some(at)) => {
                Source { step: last.step, result: Some(at.saturating_add(1)) }
            }
            _ => Source { step: last.step.saturating_add(1), result: None },
        };
        let (time, mark) = (Some(now), Mark::None);
        Entry { source, role, time, mark, model: None, usage: None, blocks }
    }
}

fn is_user(role: Role) -> bool {
    matches!(role, Role::User | Role::Tool)
}

/// How it ends where a request has no answer.
fn failed(message: String, is_too_long: bool) -> Outcome {
    match is_too_long {
        true => Outcome::TooLong { message },
        false => Outcome::Failed { message },
    }
}

/// What is told of what streams; the end of a call is told when it is made.
fn told(event: SaidEvent) -> Option<Told> {
    match event {
        SaidEvent::Text(text) => Some(Told::Text { text }),
        SaidEvent::Reasoning(text) => Some(Told::Reasoning { text }),
        SaidEvent::CallStart { id, name } => Some(Told::CallStart { id, name }),
        SaidEvent::CallArguments { id, piece } => Some(Told::CallArguments { id, piece }),
        SaidEvent::CallEnd(_) => None,
    }
}
