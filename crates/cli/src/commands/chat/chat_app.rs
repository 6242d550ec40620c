//! The chat's event loop between the terminal, the chat's state and the agent.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use foveal_agent::{AgentEvent, AgentInput, RunOutcome, RunTotals};
use foveal_agent_runtime::runs::RunLock;
use foveal_agent_runtime::{AgentCommand, AgentSignals, ReadyAgent, run_agent};
use foveal_providers::{LlmClient, ModelSpec};
use foveal_tools::call_control::Approval;
use foveal_transcript::CancelToken;
use foveal_tui::{Chat, ChatAction, ChatInput, NoticeLevel, SlashCommand};
use ratatui_crossterm::crossterm::event;
use tokio::runtime::Runtime;

use super::agent_commands::AgentCommands;
use super::approval_dialog::approval_from_permission;
use super::chat_event::ChatEvent;
use super::completion::CompletionFinder;
use super::screen::Screen;
use super::terminal_input;
use crate::commands::config::{SettingsPanel, refusal_message};
use crate::environment::Environment;
use crate::models::choose_model;
use crate::notice;

/// The minimum time between two frames: sixty frames a second.
const FRAME_TIME: Duration = Duration::from_millis(16);

/// The interval at which activity indicators are redrawn while nothing else happens.
const SPIN_TIME: Duration = Duration::from_millis(120);

/// The interval at which the loop checks whether the program should end.
const EVENT_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time that the agent has to end after an exit was requested; then the chat ends without it.
const EXIT_TIME_OUT: Duration = Duration::from_secs(2);

/// The interval at which the input thread checks for the end of the chat, so that it stops reading
/// the terminal soon after.
const TERMINAL_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Messages of foveal that the queue for the screen holds at most.
const NOTICES_MAX: usize = 256;

/// Commands that the queue to the agent holds at most.
const COMMANDS_MAX: usize = 64;

/// The reason for which a chat with one agent ends.
pub(super) enum ChatExit {
    /// The user quits.
    Quit,
    /// The user chose another model.
    SwitchModel(ModelSpec),
}

/// A chat with its screen, its agent and the queues between them.
pub(super) struct ChatApp {
    chat: Chat,
    screen: Screen,
    finder: CompletionFinder,
    settings: SettingsPanel,
    chat_events: SyncSender<ChatEvent>,
    notices: Receiver<String>,
    started: Instant,
    /// The time of the last frame.
    last_drawn: Option<Instant>,
    /// Whether something changed since then.
    is_stale: bool,
    /// Whether the next frame skips the minimum time, since the user waits for it.
    is_urgent: bool,
    /// Whether the model's answer has not begun yet.
    awaits_answer: bool,
    /// The senders for answers to open questions, by number.
    pending_questions: HashMap<u64, SyncSender<Approval>>,
    /// Events for the agent that its queue had no space for yet.
    queued_events: VecDeque<AgentInput>,
    /// Builds commands to the current agent.
    commands: Option<AgentCommands>,
    /// Commands for the agent that its queue had no space for yet.
    queued_commands: VecDeque<AgentCommand>,
    /// The time at which an exit was requested.
    exit_requested: Option<Instant>,
    next_model: Option<ModelSpec>,
    spent: RunTotals,
    /// The number of the current agent.
    agent_number: u32,
    /// The outcome of the current agent, once it has ended.
    agent_result: Option<anyhow::Result<RunOutcome>>,
}

/// The values that the choice of a model needs.
type ModelChoiceContext<'a> = (&'a Runtime, &'a LlmClient, &'a Environment);

impl ChatApp {
    /// Returns a chat that owns the screen, and starts its input thread. Events arrive through the
    /// receiver of `sender`.
    pub(super) fn new(
        chat: Chat,
        screen: Screen,
        folder: &Path,
        environment: &Environment,
        chat_events: SyncSender<ChatEvent>,
    ) -> Self {
        let (notice, notices) = sync_channel(NOTICES_MAX);
        notice::redirect_notices(Some(notice));
        let terminal = chat_events.clone();
        // Without its input thread the chat could not even be quit.
        let reads = thread::Builder::new()
            .name("keys".to_owned())
            .spawn(move || forward_terminal_input(&terminal));
        if reads.is_err() {
            drop(chat_events.try_send(ChatEvent::TerminalGone));
        }
        let finder = CompletionFinder::start(folder, environment, chat_events.clone());
        Self {
            chat,
            screen,
            finder,
            settings: SettingsPanel::default(),
            chat_events,
            notices,
            started: Instant::now(),
            last_drawn: None,
            is_stale: true,
            is_urgent: false,
            awaits_answer: false,
            pending_questions: HashMap::new(),
            queued_events: VecDeque::new(),
            commands: None,
            queued_commands: VecDeque::new(),
            exit_requested: None,
            next_model: None,
            spent: RunTotals::default(),
            agent_number: 0,
            agent_result: None,
        }
    }

    /// Returns the requests, tokens and cost of all agents of the chat.
    pub(super) fn total_spending(&self) -> RunTotals {
        self.spent
    }

    /// Applies an input that leads to no action.
    pub(super) fn update_chat(&mut self, input: ChatInput) {
        self.chat.update(input);
        self.is_stale = true;
    }

    /// Runs the chat with this agent until the user quits or switches the model.
    ///
    /// # Errors
    /// If the agent cannot be started, or failed.
    pub(super) fn run_until_exit(
        &mut self,
        opened: ReadyAgent,
        arrived: &Receiver<ChatEvent>,
        cancel: &CancelToken<'_>,
        choice: ModelChoiceContext<'_>,
    ) -> anyhow::Result<ChatExit> {
        let events = opened.sender.clone();
        let (control, controls) = sync_channel(COMMANDS_MAX);
        self.exit_requested = None;
        let before = self.spent;
        // The lock is held until the agent has ended.
        let _lock = self.start_agent_thread(opened, controls)?;
        loop {
            if cancel.is_cancelled() {
                self.request_exit();
            }
            self.flush_queues(&events, &control);
            if let Some(ended) = self.agent_result.take() {
                ended?;
                return Ok(self.exit_reason());
            }
            if self.exit_requested.is_some_and(|since| since.elapsed() > EXIT_TIME_OUT) {
                return Ok(self.exit_reason());
            }
            if self.draw_if_due().is_err() {
                // The terminal is gone.
                self.request_exit();
            }
            match arrived.recv_timeout(self.receive_time_out()) {
                Ok(first) => {
                    self.tick();
                    self.handle_event(first, before, choice);
                    self.handle_queued_events(arrived, before, choice);
                }
                Err(RecvTimeoutError::Timeout) => self.tick(),
                Err(RecvTimeoutError::Disconnected) => return Ok(ChatExit::Quit),
            }
        }
    }

    /// Starts the agent on a thread of its own, and returns the lock of its session.
    fn start_agent_thread(
        &mut self,
        opened: ReadyAgent,
        controls: Receiver<AgentCommand>,
    ) -> anyhow::Result<Option<RunLock>> {
        let ReadyAgent {
            agent,
            requester: asking,
            executor: calling,
            mut log,
            events,
            toolbox,
            shaper,
            lock,
            ..
        } = opened;
        self.commands =
            Some(AgentCommands::new(shaper, calling.tool_session(), self.chat_events.clone()));
        let sender = self.chat_events.clone();
        self.agent_number += 1;
        let number = self.agent_number;
        let work = move || {
            let mut tell =
                |told: AgentEvent| Ok(sender.send(ChatEvent::Input(ChatInput::AgentEvent(told)))?);
            let tell: &mut dyn FnMut(AgentEvent) -> anyhow::Result<()> = &mut tell;
            let signals =
                AgentSignals { events: &events, commands: &controls, cancel: &CancelToken::NEVER };
            let first = AgentInput::Tick;
            let ended = run_agent(agent, first, asking, calling, tell, &mut log, signals);
            drop(toolbox.collect());
            drop(sender.send(ChatEvent::AgentEnded(number, ended)));
        };
        thread::Builder::new().name("agent".to_owned()).spawn(work)?;
        Ok(lock)
    }

    /// Handles the events in the queue, for half a frame's time at most.
    fn handle_queued_events(
        &mut self,
        arrived: &Receiver<ChatEvent>,
        before: RunTotals,
        choice: ModelChoiceContext<'_>,
    ) {
        let begun = Instant::now();
        while begun.elapsed() < FRAME_TIME / 2 {
            let Ok(next) = arrived.try_recv() else { return };
            self.handle_event(next, before, choice);
        }
    }

    fn handle_event(
        &mut self,
        arrived: ChatEvent,
        before: RunTotals,
        choice: ModelChoiceContext<'_>,
    ) {
        self.is_stale = true;
        let mut input = match arrived {
            ChatEvent::Input(input) => input,
            ChatEvent::ApprovalQuestion(question, sender) => {
                self.pending_questions.insert(question.number, sender);
                ChatInput::Question(question)
            }
            // The next frame has the new size.
            ChatEvent::Resized => return,
            ChatEvent::TerminalGone => return self.request_exit(),
            ChatEvent::AgentEnded(agent, ended) if agent == self.agent_number => {
                self.agent_result = Some(ended);
                return;
            }
            // An earlier agent that ended after the time-out.
            ChatEvent::AgentEnded(..) => return,
        };
        if let ChatInput::AgentEvent(
            AgentEvent::Usage { spent, .. }
            | AgentEvent::SideUsage { spent, .. }
            | AgentEvent::Done { spent, .. },
        ) = &mut input
        {
            *spent = before.plus(spent);
            self.spent = *spent;
        }
        if let ChatInput::AgentEvent(told) = &mut input {
            normalize_call_arguments(told);
        }
        self.is_urgent |= self.is_urgent_input(&input);
        if let ChatInput::QuestionWithdrawn(number) = &input {
            self.pending_questions.remove(number);
        }
        for action in self.chat.update(input) {
            self.perform_action(action, choice);
        }
    }

    fn perform_action(&mut self, action: ChatAction, choice: ModelChoiceContext<'_>) {
        match action {
            ChatAction::SendMessage(text) => self.queued_events.push_back(AgentInput::Task(text)),
            ChatAction::StopAgent => self.queued_events.push_back(AgentInput::Stop),
            ChatAction::Quit => self.request_exit(),
            ChatAction::AnswerQuestion { number, permission } => {
                if let Some(sender) = self.pending_questions.remove(&number) {
                    // The question may be over already.
                    sender.try_send(approval_from_permission(permission)).ok();
                }
            }
            ChatAction::RequestCompletions(word) => self.finder.request_candidates(word),
            ChatAction::RunCommand { command: SlashCommand::Model, argument } => {
                self.show_or_switch_model(&argument, choice);
            }
            ChatAction::RequestPromptMap => self.queue_command(AgentCommands::show_map),
            ChatAction::ChangePrompt(change) => {
                self.queue_command(|controls| controls.change_map(change));
            }
            ChatAction::RunCommand { command: SlashCommand::Compact, .. } => {
                self.queue_command(AgentCommands::compact_results);
            }
            ChatAction::RunCommand { command: SlashCommand::Undo, .. } => {
                self.queue_command(AgentCommands::undo_files);
            }
            ChatAction::RunCommand { command: SlashCommand::Config, argument } => {
                match self.settings.explain_or_set(&argument, choice.2) {
                    Ok(text) => self.show_note(NoticeLevel::Info, text),
                    Err(error) => self.show_note(NoticeLevel::Warning, refusal_message(&error)),
                }
            }
            ChatAction::RequestSettings => self.show_settings(choice.2),
            ChatAction::ChangeSetting { name, value } => {
                let done = self.settings.set_value(&name, value.as_deref(), choice.2);
                self.show_setting_change(done, choice.2);
            }
            ChatAction::UndoSettingChange => {
                let done = self.settings.undo_last_change();
                self.show_setting_change(done, choice.2);
            }
            ChatAction::RunCommand { command: SlashCommand::Rewind, argument } => {
                self.queue_command(|controls| controls.rewind_session(argument));
            }
            // The chat performs these itself, or does not offer them.
            ChatAction::RunCommand { .. } => {}
        }
    }

    /// Shows the available settings with their values.
    fn show_settings(&mut self, environment: &Environment) {
        match SettingsPanel::list_settings(environment) {
            Ok(settings) => self.update_chat(ChatInput::Settings(settings)),
            Err(error) => self.update_chat(ChatInput::SettingChanged {
                is_success: false,
                message: notice::describe_error(error.as_ref()),
            }),
        }
    }

    /// Shows the result of a change of settings, and the new values.
    fn show_setting_change(&mut self, done: anyhow::Result<String>, environment: &Environment) {
        let is_done = done.is_ok();
        let text = done.unwrap_or_else(|error| refusal_message(&error));
        self.update_chat(ChatInput::SettingChanged { is_success: is_done, message: text });
        if is_done {
            self.show_settings(environment);
        }
    }

    /// Queues a command for the agent.
    fn queue_command(&mut self, what: impl FnOnce(&AgentCommands) -> AgentCommand) {
        self.queued_commands.extend(self.commands.as_ref().map(what));
        // An event wakes the agent's loop, which then takes the command.
        self.queued_events.push_back(AgentInput::Tick);
    }

    /// Explains `/model` without an argument, else switches the model.
    fn show_or_switch_model(
        &mut self,
        name: &str,
        (runtime, client, environment): ModelChoiceContext<'_>,
    ) {
        if name.is_empty() {
            let text = "the line below shows the model; /model NAME:MODEL switches to another one, \
                        and `foveal models` lists the available ones";
            return self.show_note(NoticeLevel::Info, text.to_owned());
        }
        if self.chat.is_working() {
            let text =
                "the model cannot be switched while the agent works: press Ctrl+C to stop it first";
            return self.show_note(NoticeLevel::Warning, text.to_owned());
        }
        let chosen = name.parse::<ModelSpec>().map_err(anyhow::Error::from);
        let chosen = chosen.and_then(|spec| {
            runtime.block_on(choose_model(client, Some(&spec), environment))?;
            Ok(spec)
        });
        match chosen {
            Ok(spec) => {
                self.next_model = Some(spec);
                self.request_exit();
            }
            Err(error) => {
                self.show_note(NoticeLevel::Warning, notice::describe_error(error.as_ref()));
            }
        }
    }

    fn show_note(&mut self, kind: NoticeLevel, text: String) {
        self.update_chat(ChatInput::Notice(kind, text));
    }

    /// Ends the agent, and with it the chat.
    fn request_exit(&mut self) {
        if self.exit_requested.is_none() {
            self.exit_requested = Some(Instant::now());
            self.queued_events.push_back(AgentInput::ShutDown);
            self.pending_questions.clear();
        }
    }

    fn exit_reason(&mut self) -> ChatExit {
        match self.next_model.take() {
            Some(spec) => ChatExit::SwitchModel(spec),
            None => ChatExit::Quit,
        }
    }

    /// Sends queued commands and events to the agent, as far as its queues have space.
    fn flush_queues(
        &mut self,
        agent: &SyncSender<AgentInput>,
        controls: &SyncSender<AgentCommand>,
    ) {
        while let Some(wanted) = self.queued_commands.pop_front() {
            if let Err(TrySendError::Full(wanted)) = controls.try_send(wanted) {
                self.queued_commands.push_front(wanted);
                break;
            }
        }
        while let Some(event) = self.queued_events.pop_front() {
            match agent.try_send(event) {
                Ok(()) => {}
                Err(TrySendError::Full(event)) => return self.queued_events.push_front(event),
                Err(TrySendError::Disconnected(_)) => {}
            }
        }
    }

    fn tick(&mut self) {
        let now_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.chat.update(ChatInput::Tick(now_ms));
        let is_due = self.last_drawn.is_none_or(|drawn| drawn.elapsed() >= SPIN_TIME);
        self.is_stale |= is_due && self.chat.is_animated();
        while let Ok(text) = self.notices.try_recv() {
            self.show_note(NoticeLevel::Info, text);
        }
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        let is_due =
            self.is_urgent || self.last_drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME_TIME);
        if !self.is_stale || !is_due {
            return Ok(());
        }
        (self.last_drawn, self.is_stale, self.is_urgent) = (Some(Instant::now()), false, false);
        self.screen.draw(&mut self.chat)
    }

    /// Returns whether the user waits for this on the screen: their own input, and the first part
    /// of an answer. Both are rare, so drawing them at once is cheap.
    fn is_urgent_input(&mut self, input: &ChatInput) -> bool {
        match input {
            ChatInput::Key(_) | ChatInput::Paste(_) | ChatInput::Click(_) => true,
            ChatInput::AgentEvent(AgentEvent::Sent { .. }) => {
                self.awaits_answer = true;
                false
            }
            ChatInput::AgentEvent(
                AgentEvent::Text { .. }
                | AgentEvent::Reasoning { .. }
                | AgentEvent::CallStart { .. },
            ) => std::mem::take(&mut self.awaits_answer),
            _ => false,
        }
    }

    /// Returns the time for which the loop may wait for an event.
    fn receive_time_out(&self) -> Duration {
        let since = self.last_drawn.map_or(FRAME_TIME, |drawn| drawn.elapsed());
        if self.is_urgent {
            return Duration::ZERO;
        }
        if self.is_stale { FRAME_TIME.saturating_sub(since) } else { EVENT_POLL_INTERVAL }
    }
}

/// Renames the arguments of calls to those of the tools' schemas, which the chat knows.
fn normalize_call_arguments(told: &mut AgentEvent) {
    match told {
        AgentEvent::Call { name, arguments, .. } => {
            if let Some(tool) = foveal_tools::tool_table::find_tool(name) {
                *arguments = tool.normalize_arguments(arguments);
            }
        }
        AgentEvent::Agent { event, .. } => normalize_call_arguments(event),
        _ => {}
    }
}

/// Sends the terminal's input to the event loop until its receiver is gone.
fn forward_terminal_input(arrived: &SyncSender<ChatEvent>) {
    loop {
        let next = match event::poll(TERMINAL_POLL_INTERVAL) {
            Ok(false) => continue,
            Ok(true) => event::read().map(terminal_input::convert_terminal_event),
            Err(error) => Err(error),
        };
        let sent = match next {
            Ok(None) => continue,
            Ok(Some(next)) => arrived.send(next),
            Err(_) => return drop(arrived.send(ChatEvent::TerminalGone)),
        };
        if sent.is_err() {
            return;
        }
    }
}
