//! The loop between the terminal, the chat and the agent.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use foveal_agent::{Event, Outcome, Spent, Told};
use foveal_cancel::Cancel;
use foveal_chat::{Chat, ChatAction, Command, Input, NoteKind};
use foveal_llm::{Client, ModelSpec};
use foveal_tools::control::Approval;
use ratatui_crossterm::crossterm::event;
use tokio::runtime::Runtime;

use super::arrived::Arrived;
use super::control::Controls;
use super::finder::Finder;
use super::keys;
use super::person::approval;
use super::screen::Screen;
use crate::commands::config::{Panel, refusal};
use crate::commands::own_agent::{Control, Opened, drive};
use crate::environment::Environment;
use crate::models::choose;
use crate::notice;
use crate::runs::Lock;

/// The least time between two frames: sixty a second.
const FRAME_TIME: Duration = Duration::from_millis(16);

/// How often what goes on is drawn anew while nothing else happens.
const SPIN_TIME: Duration = Duration::from_millis(120);

/// How often it is looked whether the program is to end.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// How long what runs is waited for at the end, until it is told once more, and for good.
const LEAVE_TIME: Duration = Duration::from_secs(2);

/// How the terminal is looked at, so that it is left alone soon after the end.
const POLL_TIME: Duration = Duration::from_millis(200);

/// Messages of foveal's own that wait to be shown.
const NOTICES_MAX: usize = 256;

/// Wishes beside talking that wait for the agent.
const CONTROLS_MAX: usize = 64;

/// How a chat with one agent ends.
pub(super) enum End {
    /// For good.
    Quit,
    /// Another model is asked from now on.
    Model(ModelSpec),
}

/// A chat on its way.
pub(super) struct Course {
    chat: Chat,
    screen: Screen,
    finder: Finder,
    settings: Panel,
    sender: SyncSender<Arrived>,
    notices: Receiver<String>,
    started: Instant,
    /// When it was drawn last, and whether something has changed since.
    drawn: Option<Instant>,
    is_stale: bool,
    /// Whether it is drawn however short ago that was: a person waits for it.
    is_urgent: bool,
    /// Whether nothing has come of the answer yet.
    awaits_answer: bool,
    /// Who waits for answers of the person.
    asking: HashMap<u64, SyncSender<Approval>>,
    /// What waits to be given to the agent.
    outbox: VecDeque<Event>,
    /// What is wanted of it beside talking.
    controls: Option<Controls>,
    wanted: VecDeque<Control>,
    /// Since when it is to end.
    leaves: Option<Instant>,
    next: Option<ModelSpec>,
    spent: Spent,
    /// The number of the agent, and how it ended.
    agent: u32,
    ended: Option<anyhow::Result<Outcome>>,
}

/// What is needed to choose a model.
type Choice<'a> = (&'a Runtime, &'a Client, &'a Environment);

impl Course {
    /// A chat that has the screen. What arrives is sent by `sender`.
    pub(super) fn new(
        (chat, screen): (Chat, Screen),
        (folder, environment): (&Path, &Environment),
        sender: SyncSender<Arrived>,
    ) -> Self {
        let (notice, notices) = sync_channel(NOTICES_MAX);
        notice::divert(Some(notice));
        let terminal = sender.clone();
        // Without keys it could not even be left.
        let reads = thread::Builder::new().name("keys".to_owned()).spawn(move || read(&terminal));
        if reads.is_err() {
            drop(sender.try_send(Arrived::Gone));
        }
        let finder = Finder::start(folder, environment, sender.clone());
        Self {
            chat,
            screen,
            finder,
            settings: Panel::default(),
            sender,
            notices,
            started: Instant::now(),
            drawn: None,
            is_stale: true,
            is_urgent: false,
            awaits_answer: false,
            asking: HashMap::new(),
            outbox: VecDeque::new(),
            controls: None,
            wanted: VecDeque::new(),
            leaves: None,
            next: None,
            spent: Spent::default(),
            agent: 0,
            ended: None,
        }
    }

    /// What it came to.
    pub(super) fn spent(&self) -> Spent {
        self.spent
    }

    /// Takes something that needs nothing to be done.
    pub(super) fn update(&mut self, input: Input) {
        self.chat.update(input);
        self.is_stale = true;
    }

    /// Talks with this agent until the person leaves it.
    ///
    /// # Errors
    /// If the agent cannot be started, or broke off.
    pub(super) fn run(
        &mut self,
        opened: Opened,
        arrived: &Receiver<Arrived>,
        cancel: &Cancel<'_>,
        choice: Choice<'_>,
    ) -> anyhow::Result<End> {
        let events = opened.sender.clone();
        let (control, controls) = sync_channel(CONTROLS_MAX);
        let agent = (&events, &control);
        self.leaves = None;
        let before = self.spent;
        // Held until the agent has ended.
        let _lock = self.start(opened, controls)?;
        loop {
            if cancel.is_cancelled() {
                self.leave();
            }
            self.hand_over(agent);
            if let Some(ended) = self.ended.take() {
                ended?;
                return Ok(self.end());
            }
            if self.leaves.is_some_and(|since| since.elapsed() > LEAVE_TIME) {
                return Ok(self.end());
            }
            if self.draw_if_due().is_err() {
                // Nobody sees it any more.
                self.leave();
            }
            match arrived.recv_timeout(self.patience()) {
                Ok(first) => {
                    self.tick();
                    self.take(first, before, choice);
                    self.take_all(arrived, before, choice);
                }
                Err(RecvTimeoutError::Timeout) => self.tick(),
                Err(RecvTimeoutError::Disconnected) => return Ok(End::Quit),
            }
        }
    }

    /// Has the agent work on a thread of its own.
    fn start(
        &mut self,
        opened: Opened,
        controls: Receiver<Control>,
    ) -> anyhow::Result<Option<Lock>> {
        let Opened { agent, asking, calling, mut log, events, toolbox, shaper, lock, .. } = opened;
        self.controls = Some(Controls::new(shaper, calling.session(), self.sender.clone()));
        let sender = self.sender.clone();
        self.agent += 1;
        let number = self.agent;
        let work = move || {
            let mut tell = |told: Told| Ok(sender.send(Arrived::Input(Input::Told(told)))?);
            let tell: &mut dyn FnMut(Told) -> anyhow::Result<()> = &mut tell;
            let how = (asking, calling);
            let heard = (&events, &controls, &Cancel::NEVER);
            let ended = drive(agent, Event::Tick, how, (tell, &mut log), heard);
            drop(toolbox.collect());
            drop(sender.send(Arrived::Ended(number, ended)));
        };
        thread::Builder::new().name("agent".to_owned()).spawn(work)?;
        Ok(lock)
    }

    /// Takes what else has arrived, at most a frame's worth of time.
    fn take_all(&mut self, arrived: &Receiver<Arrived>, before: Spent, choice: Choice<'_>) {
        let begun = Instant::now();
        while begun.elapsed() < FRAME_TIME / 2 {
            let Ok(next) = arrived.try_recv() else { return };
            self.take(next, before, choice);
        }
    }

    fn take(&mut self, arrived: Arrived, before: Spent, choice: Choice<'_>) {
        self.is_stale = true;
        let mut input = match arrived {
            Arrived::Input(input) => input,
            Arrived::Question(question, sender) => {
                self.asking.insert(question.number, sender);
                Input::Question(question)
            }
            // The next frame has the new size.
            Arrived::Resized => return,
            Arrived::Gone => return self.leave(),
            Arrived::Ended(agent, ended) if agent == self.agent => {
                self.ended = Some(ended);
                return;
            }
            // It was not waited for.
            Arrived::Ended(..) => return,
        };
        if let Input::Told(
            Told::Usage { spent, .. } | Told::SideUsage { spent, .. } | Told::Done { spent, .. },
        ) = &mut input
        {
            *spent = before.and(spent);
            self.spent = *spent;
        }
        if let Input::Told(told) = &mut input {
            use_own_names(told);
        }
        self.is_urgent |= self.is_waited_for(&input);
        if let Input::QuestionOver(number) = &input {
            self.asking.remove(number);
        }
        for action in self.chat.update(input) {
            self.act(action, choice);
        }
    }

    fn act(&mut self, action: ChatAction, choice: Choice<'_>) {
        match action {
            ChatAction::Say(text) => self.outbox.push_back(Event::Task(text)),
            ChatAction::Stop => self.outbox.push_back(Event::Stop),
            ChatAction::Quit => self.leave(),
            ChatAction::Answer { number, permission } => {
                if let Some(sender) = self.asking.remove(&number) {
                    // Who does not wait any more does not listen.
                    sender.try_send(approval(permission)).ok();
                }
            }
            ChatAction::Complete(word) => self.finder.find(word),
            ChatAction::Run { command: Command::Model, argument } => self.model(&argument, choice),
            ChatAction::AskMap => self.want(Controls::map),
            ChatAction::Change(change) => self.want(|controls| controls.change(change)),
            ChatAction::Run { command: Command::Compact, .. } => self.want(Controls::compact),
            ChatAction::Run { command: Command::Undo, .. } => self.want(Controls::undo),
            ChatAction::Run { command: Command::Config, argument } => {
                match self.settings.told(&argument, choice.2) {
                    Ok(text) => self.note(NoteKind::Aside, text),
                    Err(error) => self.note(NoteKind::Warning, refusal(&error)),
                }
            }
            ChatAction::AskSettings => self.tell_settings(choice.2),
            ChatAction::Set { name, value } => {
                let done = self.settings.set(&name, value.as_deref(), choice.2);
                self.setting_changed(done, choice.2);
            }
            ChatAction::UndoSetting => {
                let done = self.settings.undo();
                self.setting_changed(done, choice.2);
            }
            ChatAction::Run { command: Command::Rewind, argument } => {
                self.want(|controls| controls.rewind(argument));
            }
            // The chat carries them out itself, or they are not offered.
            ChatAction::Run { .. } => {}
        }
    }

    /// Tells what can be set, and what is.
    fn tell_settings(&mut self, environment: &Environment) {
        match Panel::settings(environment) {
            Ok(settings) => self.update(Input::Settings(settings)),
            Err(error) => self.update(Input::SettingChanged {
                is_done: false,
                text: notice::in_one_line(error.as_ref()),
            }),
        }
    }

    /// Tells what became of a change of settings, and what they are then.
    fn setting_changed(&mut self, done: anyhow::Result<String>, environment: &Environment) {
        let is_done = done.is_ok();
        let text = done.unwrap_or_else(|error| refusal(&error));
        self.update(Input::SettingChanged { is_done, text });
        if is_done {
            self.tell_settings(environment);
        }
    }

    /// Wants something of the agent beside talking.
    fn want(&mut self, what: impl FnOnce(&Controls) -> Control) {
        self.wanted.extend(self.controls.as_ref().map(what));
        // It looks up for an event.
        self.outbox.push_back(Event::Tick);
    }

    /// Says which model is asked, or has another one asked.
    fn model(&mut self, name: &str, (runtime, client, environment): Choice<'_>) {
        if name.is_empty() {
            let text = "the line below names the model; /model NAME:MODEL asks another one, and \
                        `foveal models` lists those that can be asked";
            return self.note(NoteKind::Aside, text.to_owned());
        }
        if self.chat.is_working() {
            let text = "another model can be asked once this is done: Ctrl+C stops it";
            return self.note(NoteKind::Warning, text.to_owned());
        }
        let chosen = name.parse::<ModelSpec>().map_err(anyhow::Error::from);
        let chosen = chosen.and_then(|spec| {
            runtime.block_on(choose(client, Some(&spec), environment))?;
            Ok(spec)
        });
        match chosen {
            Ok(spec) => {
                self.next = Some(spec);
                self.leave();
            }
            Err(error) => {
                self.note(NoteKind::Warning, notice::in_one_line(error.as_ref()));
            }
        }
    }

    fn note(&mut self, kind: NoteKind, text: String) {
        self.update(Input::Note(kind, text));
    }

    /// Has the agent end.
    fn leave(&mut self) {
        if self.leaves.is_none() {
            self.leaves = Some(Instant::now());
            self.outbox.push_back(Event::Leave);
            self.asking.clear();
        }
    }

    fn end(&mut self) -> End {
        match self.next.take() {
            Some(spec) => End::Model(spec),
            None => End::Quit,
        }
    }

    /// Gives the agent what waits for it, as far as it takes it.
    fn hand_over(&mut self, (agent, controls): (&SyncSender<Event>, &SyncSender<Control>)) {
        while let Some(wanted) = self.wanted.pop_front() {
            if let Err(TrySendError::Full(wanted)) = controls.try_send(wanted) {
                self.wanted.push_front(wanted);
                break;
            }
        }
        while let Some(event) = self.outbox.pop_front() {
            match agent.try_send(event) {
                Ok(()) => {}
                Err(TrySendError::Full(event)) => return self.outbox.push_front(event),
                Err(TrySendError::Disconnected(_)) => {}
            }
        }
    }

    fn tick(&mut self) {
        let now_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.chat.update(Input::Tick(now_ms));
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= SPIN_TIME);
        self.is_stale |= is_due && self.chat.is_live();
        while let Ok(text) = self.notices.try_recv() {
            self.note(NoteKind::Aside, text);
        }
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        let is_due = self.is_urgent || self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME_TIME);
        if !self.is_stale || !is_due {
            return Ok(());
        }
        (self.drawn, self.is_stale, self.is_urgent) = (Some(Instant::now()), false, false);
        self.screen.draw(&mut self.chat)
    }

    /// Whether a person waits for this on the screen: for what they typed, and for the first of an
    /// answer. Both are few.
    fn is_waited_for(&mut self, input: &Input) -> bool {
        match input {
            Input::Key(_) | Input::Paste(_) | Input::Click(_) => true,
            Input::Told(Told::Sent { .. }) => {
                self.awaits_answer = true;
                false
            }
            Input::Told(Told::Text { .. } | Told::Reasoning { .. } | Told::CallStart { .. }) => {
                std::mem::take(&mut self.awaits_answer)
            }
            _ => false,
        }
    }

    /// How long nothing has to be done if nothing arrives.
    fn patience(&self) -> Duration {
        let since = self.drawn.map_or(FRAME_TIME, |drawn| drawn.elapsed());
        if self.is_urgent {
            return Duration::ZERO;
        }
        if self.is_stale { FRAME_TIME.saturating_sub(since) } else { LOOK_UP_TIME }
    }
}

/// Has calls say by the names of the tools' schemas what they are about, as the chat knows them.
fn use_own_names(told: &mut Told) {
    match told {
        Told::Call { name, arguments, .. } => {
            if let Some(tool) = foveal_tools::table::named(name) {
                *arguments = tool.spelled(arguments);
            }
        }
        Told::Agent { event, .. } => use_own_names(event),
        _ => {}
    }
}

/// Reads the terminal until nobody listens.
fn read(arrived: &SyncSender<Arrived>) {
    loop {
        let next = match event::poll(POLL_TIME) {
            Ok(false) => continue,
            Ok(true) => event::read().map(keys::arrived),
            Err(error) => Err(error),
        };
        let sent = match next {
            Ok(None) => continue,
            Ok(Some(next)) => arrived.send(next),
            Err(_) => return drop(arrived.send(Arrived::Gone)),
        };
        if sent.is_err() {
            return;
        }
    }
}
