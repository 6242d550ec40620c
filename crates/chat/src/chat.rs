//! The state of a chat, and what keys and events do to it.

use foveal_agent::{MapChange, PromptMap, Told};
use foveal_screen::in_one_line;
use foveal_transcript::Entry;

use crate::command::{Command, beginning, named};
use crate::editor::Editor;
use crate::indexing::Indexing;
use crate::key::{Key, KeyCode};
use crate::map_view::{self, MapView};
use crate::popup::{Candidate, Popup};
use crate::question::{self, Asking, Moment, Permission, Question};
use crate::settings::Settings;
use crate::settings_view::{self, SettingsView};
use crate::status::Status;
use crate::talk::{Block, NoteKind, Talk};
use crate::theme::Colours;
use crate::told;

/// Texts that wait until the agent is done.
const QUEUED_MAX: usize = 8;

/// Questions that wait until another one is answered: no more calls run at once.
const QUESTIONS_MAX: usize = 64;

/// Milliseconds in which a second Ctrl+C ends the chat.
const QUIT_MS: u64 = 2_000;

/// Tokens of a prompt up to which it is asked after each turn what stands in it.
const MAPPED_TOKENS_MAX: u64 = 250_000;

/// What a chat begins with.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The model, as users name it.
    pub model: String,
    /// What the session is called, where it is kept.
    pub session: Option<String>,
    /// The folder that is worked in.
    pub folder: String,
    /// Which colours there are.
    pub colours: Colours,
    /// What the person said in earlier sessions, the oldest first.
    pub history: Vec<String>,
}

/// What happens to a chat.
#[derive(Debug, Clone)]
pub enum Input {
    /// Time has passed: milliseconds since the chat began.
    Tick(u64),
    /// A key.
    Key(Key),
    /// A text is pasted.
    Paste(String),
    /// The mouse wheel is turned by so many lines, up where they are fewer than none.
    Scroll(isize),
    /// The mouse is pressed in this row of the screen, from 0.
    Click(usize),
    /// What was said before, where a session goes on.
    Past(Vec<Entry>),
    /// The conversation went back: what is left of it, and what was said next and does not count any
    /// more.
    Rewound {
        /// What is left.
        entries: Vec<Entry>,
        /// What the person said next.
        text: String,
    },
    /// What happened to the agent.
    Told(Told),
    /// What stands in the prompt.
    Map(PromptMap),
    /// The person is asked.
    Question(Question),
    /// Nobody waits for the answer to this question any more.
    QuestionOver(u64),
    /// What a word may be completed to, in the order in which it is shown.
    Candidates {
        /// The word behind the `@`.
        prefix: String,
        /// What it may become.
        found: Vec<Candidate>,
    },
    /// What can be set, and what is.
    Settings(Settings),
    /// What became of the last change of a setting: whether it was made, and what is said of it.
    SettingChanged {
        /// Whether it was made.
        is_done: bool,
        /// What is said of it.
        text: String,
    },
    /// Something to tell the person.
    Note(NoteKind, String),
    /// The model is another one from now on.
    Model(String),
}

/// What a chat wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatAction {
    /// Give this to the agent.
    Say(String),
    /// Stop what the agent does.
    Stop,
    /// End the chat.
    Quit,
    /// Change the prompt, and tell what stands in it then.
    Change(MapChange),
    /// Tell what stands in the prompt.
    AskMap,
    /// The answer to a question.
    Answer {
        /// Which question.
        number: u64,
        /// The answer.
        permission: Permission,
    },
    /// Tell what can be set, and what is.
    AskSettings,
    /// Write a setting, or take it out, and tell what became of it.
    Set {
        /// The setting.
        name: String,
        /// Its value, as a person writes it; `None`: it is taken out.
        value: Option<String>,
    },
    /// Take the last change of a setting back, and tell what became of that.
    UndoSetting,
    /// Tell what this word may be completed to.
    Complete(String),
    /// Carry out a command.
    Run {
        /// Which.
        command: Command,
        /// What stands behind its name.
        argument: String,
    },
}

/// A chat.
#[derive(Debug)]
pub struct Chat {
    pub(crate) colours: Colours,
    pub(crate) talk: Talk,
    pub(crate) editor: Editor,
    pub(crate) popup: Option<Popup>,
    pub(crate) map: Option<MapView>,
    pub(crate) settings: Option<SettingsView>,
    pub(crate) asking: Option<Asking>,
    questions: Vec<Question>,
    pub(crate) queued: Vec<String>,
    pub(crate) status: Status,
    pub(crate) indexing: Indexing,
    pub(crate) now_ms: u64,
    /// When a key was pressed last.
    last_key_ms: Option<u64>,
    /// When Ctrl+C was pressed and did nothing.
    pub(crate) quits_ms: Option<u64>,
    /// The word for which no candidates are wanted.
    dismissed: Option<String>,
}

impl Chat {
    /// A chat in which nothing was said.
    pub fn new(setup: Setup) -> Self {
        let Setup { model, session, folder, colours, history } = setup;
        let mut talk = Talk::new(colours);
        let hello = format!("foveal · {model} · {folder}\n/help tells keys and commands");
        talk.note(NoteKind::Aside, hello);
        Self {
            colours,
            talk,
            editor: Editor::new(history),
            popup: None,
            map: None,
            settings: None,
            asking: None,
            questions: Vec::new(),
            queued: Vec::new(),
            status: Status { model: short(&model), session, ..Status::default() },
            indexing: Indexing::default(),
            now_ms: 0,
            last_key_ms: None,
            quits_ms: None,
            dismissed: None,
        }
    }

    /// Whether the agent is at work.
    pub fn is_working(&self) -> bool {
        self.status.working.is_some()
    }

    /// Whether it looks different as time passes.
    pub fn is_live(&self) -> bool {
        let asks = self.asking.as_ref().is_some_and(|asking| asking.is_live(self.moment()));
        self.is_working() || self.quits_ms.is_some() || self.indexing.is_live() || asks
    }

    /// Takes what happened, and says what is to be done, in this order.
    pub fn update(&mut self, input: Input) -> Vec<ChatAction> {
        let mut actions = Vec::new();
        match input {
            Input::Tick(now_ms) => {
                self.now_ms = now_ms.max(self.now_ms);
                self.talk.set_now(self.now_ms);
                self.quits_ms = self.quits_ms.filter(|at| now_ms.saturating_sub(*at) < QUIT_MS);
            }
            Input::Key(key) => {
                self.key(key, &mut actions);
                self.last_key_ms = Some(self.now_ms);
            }
            Input::Paste(text) => {
                self.paste(&text, &mut actions);
                self.last_key_ms = Some(self.now_ms);
            }
            Input::Scroll(lines) => self.scroll(lines),
            Input::Click(row) => self.click(row),
            Input::Past(entries) => self.talk.take_past(&entries),
            Input::Rewound { entries, text } => {
                self.talk.clear();
                self.talk.take_past(&entries);
                // It may be said otherwise.
                if self.editor.is_empty() {
                    self.editor.insert(&text);
                }
            }
            Input::Told(Told::Indexing(told)) => {
                if let Some(line) = self.indexing.take(told, self.now_ms) {
                    self.talk.note(NoteKind::Aside, in_one_line(&line).into_owned());
                }
            }
            Input::Told(told) => self.told(told, &mut actions),
            Input::Map(map) => {
                self.status.window = map.window;
                self.talk.take_map(&map);
                self.map.iter_mut().for_each(|view| view.set(map.clone()));
            }
            Input::Question(question) => self.ask(question, &mut actions),
            Input::QuestionOver(number) => self.question_over(number),
            Input::Candidates { prefix, found } => self.candidates(&prefix, found),
            Input::Settings(settings) => {
                self.settings.iter_mut().for_each(|view| view.set(settings.clone()));
            }
            Input::SettingChanged { is_done, text } => {
                self.settings.iter_mut().for_each(|view| view.say(is_done, &text));
            }
            Input::Note(kind, text) => {
                // The map has room for a line.
                if let Some(map) = &mut self.map {
                    map.say(text.lines().next().unwrap_or_default());
                }
                self.talk.note(kind, text);
            }
            Input::Model(model) => {
                self.status.model = short(&model);
                self.talk.note(NoteKind::Aside, format!("{model} is asked from now on"));
            }
        }
        actions
    }

    fn told(&mut self, told: Told, actions: &mut Vec<ChatAction>) {
        self.status.take(&told, self.now_ms);
        let is_done = matches!(told, Told::Done { .. });
        let is_stopped = matches!(&told, Told::Done { outcome, .. } if *outcome == foveal_agent::Outcome::Stopped);
        self.talk.take(told, self.now_ms);
        if !is_done {
            return;
        }
        let is_small = self.status.prompt.is_none_or(|(_, sent)| sent < MAPPED_TOKENS_MAX);
        if self.map.is_some() || is_small {
            actions.push(ChatAction::AskMap);
        }
        if is_stopped {
            // What was to come after it may not be wanted any more: the person looks at it first.
            let queued = std::mem::take(&mut self.queued);
            for text in queued {
                if !self.editor.is_empty() {
                    self.editor.insert("\n");
                }
                self.editor.insert(&text);
            }
        } else if !self.queued.is_empty() {
            let next = self.queued.remove(0);
            self.say(next, actions);
        }
    }

    fn ask(&mut self, question: Question, actions: &mut Vec<ChatAction>) {
        if self.asking.is_none() {
            self.asking = Some(Asking::new(question, self.now_ms));
        } else if self.questions.len() < QUESTIONS_MAX {
            self.questions.push(question);
        } else {
            let number = question.number;
            actions.push(ChatAction::Answer { number, permission: Permission::Deny });
        }
    }

    fn question_over(&mut self, number: u64) {
        self.questions.retain(|question| question.number != number);
        if self.asking.as_ref().is_some_and(|asking| asking.question.number == number) {
            self.next_question();
        }
    }

    fn next_question(&mut self) {
        let next = (!self.questions.is_empty()).then(|| self.questions.remove(0));
        self.asking = next.map(|question| Asking::new(question, self.now_ms));
    }

    /// What of this moment decides whether keys answer a question.
    pub(crate) fn moment(&self) -> Moment {
        let has_draft = !self.editor.is_empty();
        Moment { now_ms: self.now_ms, last_key_ms: self.last_key_ms, has_draft }
    }

    /// Whether a question is in sight: what is opened over the chat hides it.
    pub(crate) fn shows_question(&self) -> bool {
        self.asking.is_some() && self.map.is_none() && self.settings.is_none()
    }

    /// A view that hid a question is closed.
    fn uncover_question(&mut self) {
        if self.shows_question() {
            self.asking.iter_mut().for_each(|asking| asking.rest(self.now_ms));
        }
    }

    fn key(&mut self, key: Key, actions: &mut Vec<ChatAction>) {
        if !key.is_ctrl('c') {
            self.quits_ms = None;
        }
        if self.map.is_some() {
            self.key_of_map(key, actions);
            return self.uncover_question();
        }
        if self.settings.is_some() {
            self.key_of_settings(key, actions);
            return self.uncover_question();
        }
        if self.asking.is_some() && self.key_of_question(key, actions) {
            return;
        }
        if self.popup.is_some() && self.key_of_popup(key) {
            return;
        }
        match key.code {
            KeyCode::Char('c') if key.ctrl => self.interrupt(actions),
            KeyCode::Char('d') if key.ctrl => {
                if self.editor.is_empty() {
                    actions.push(ChatAction::Quit);
                } else {
                    self.editor.key(Key::plain(KeyCode::Delete));
                }
            }
            KeyCode::Char('o') if key.ctrl => self.talk.toggle(),
            KeyCode::PageUp => self.talk.scroll(-self.talk.page()),
            KeyCode::PageDown => self.talk.scroll(self.talk.page()),
            KeyCode::Home if key.ctrl => self.talk.scroll_to_start(),
            KeyCode::End if key.ctrl => self.talk.follow(),
            KeyCode::Up if key.ctrl || key.alt => self.talk.choose(true),
            KeyCode::Down if key.ctrl || key.alt => self.talk.choose(false),
            KeyCode::Esc => {
                if !self.talk.choose_none() {
                    self.talk.follow();
                }
            }
            KeyCode::Enter if !key.alt && !key.shift => self.send(actions),
            _ => {
                if self.editor.key(key) {
                    self.typed(actions);
                }
            }
        }
    }

    /// Takes a key that is for the question; whether it was one.
    fn key_of_question(&mut self, key: Key, actions: &mut Vec<ChatAction>) -> bool {
        let moment = self.moment();
        let has_popup = self.popup.is_some();
        let Some(asking) = &mut self.asking else { return false };
        let number = asking.question.number;
        let is_open = asking.takes_keys(moment);
        if key.is_ctrl('c') && (is_open || !moment.has_draft) {
            actions.push(ChatAction::Answer { number, permission: Permission::Deny });
            self.next_question();
            self.stop(actions);
            return true;
        }
        if !is_open && has_popup {
            // Tab completes a word first.
            return false;
        }
        match asking.key(key, moment) {
            question::Pressed::Answer(permission) => {
                actions.push(ChatAction::Answer { number, permission });
                self.talk.begin_running(self.now_ms);
                self.next_question();
                true
            }
            question::Pressed::Nothing => true,
            question::Pressed::Draft => false,
        }
    }

    fn key_of_map(&mut self, key: Key, actions: &mut Vec<ChatAction>) {
        let Some(map) = &mut self.map else { return };
        let is_left = key.is_ctrl('c');
        match map.key(key) {
            _ if is_left => self.map = None,
            map_view::Pressed::Close => self.map = None,
            map_view::Pressed::Change(change) => actions.push(ChatAction::Change(change)),
            map_view::Pressed::Nothing => {}
        }
    }

    fn key_of_settings(&mut self, key: Key, actions: &mut Vec<ChatAction>) {
        let Some(view) = &mut self.settings else { return };
        if key.is_ctrl('c') {
            self.settings = None;
            return;
        }
        match view.key(key) {
            settings_view::Pressed::Close => self.settings = None,
            settings_view::Pressed::Set { name, value } => {
                actions.push(ChatAction::Set { name, value: Some(value) });
            }
            settings_view::Pressed::Unset(name) => {
                actions.push(ChatAction::Set { name, value: None });
            }
            settings_view::Pressed::Undo => actions.push(ChatAction::UndoSetting),
            settings_view::Pressed::Nothing => {}
        }
    }

    /// Takes a key that is for the candidates; whether it was one.
    fn key_of_popup(&mut self, key: Key) -> bool {
        let Some(popup) = &mut self.popup else { return false };
        match key.code {
            KeyCode::Up => popup.choose(true),
            KeyCode::Down => popup.choose(false),
            KeyCode::Tab => self.complete(),
            KeyCode::Enter if !key.alt && !key.shift => {
                // A name that is whole is sent at once.
                let chosen = popup.candidates.get(popup.chosen).map(|it| it.text.trim().to_owned());
                let is_whole = chosen.as_deref() == Some(self.editor.text().trim());
                if is_whole {
                    self.popup = None;
                    return false;
                }
                self.complete();
            }
            KeyCode::Esc => {
                self.dismissed = self.word();
                self.popup = None;
            }
            _ => return false,
        }
        true
    }

    fn complete(&mut self) {
        if let Some(popup) = self.popup.take()
            && let Some(candidate) = popup.candidates.get(popup.chosen)
        {
            self.editor.replace(popup.range, &candidate.text);
            self.dismissed = self.word();
        }
    }

    /// The word at the cursor that can be completed, with its sign.
    fn word(&self) -> Option<String> {
        let file = self.editor.word_with('@').map(|(_, word)| format!("@{word}"));
        file.or_else(|| {
            let (range, word) = self.editor.word_with('/')?;
            (range.start == 0).then(|| format!("/{word}"))
        })
    }

    /// The text has changed: what is under the cursor may be completed.
    fn typed(&mut self, actions: &mut Vec<ChatAction>) {
        self.popup = None;
        let word = self.word();
        if word.is_none() || word != self.dismissed {
            self.dismissed = None;
        }
        let Some(word) = word.filter(|word| self.dismissed.as_ref() != Some(word)) else { return };
        if let Some(prefix) = word.strip_prefix('@') {
            return actions.push(ChatAction::Complete(prefix.to_owned()));
        }
        let found = beginning(&word[1..]);
        let candidates = found.into_iter().map(|command| Candidate {
            text: format!("/{} ", command.name()),
            about: format!("{} {}", command.arguments(), command.about()).trim().to_owned(),
        });
        let candidates: Vec<Candidate> = candidates.collect();
        if !candidates.is_empty() {
            self.popup = Some(Popup { range: 0..word.len(), candidates, chosen: 0 });
        }
    }

    /// Shows what a word may be completed to, if it is still the one that is typed.
    fn candidates(&mut self, prefix: &str, found: Vec<Candidate>) {
        let Some((range, word)) = self.editor.word_with('@') else { return };
        if word == prefix && self.dismissed.is_none() {
            // More may come for the same word: what was moved to stays chosen.
            let before = self.popup.take().filter(|popup| popup.range == range && popup.chosen > 0);
            let before = before.and_then(|popup| popup.candidates.into_iter().nth(popup.chosen));
            let place =
                found.iter().position(|it| Some(&it.text) == before.as_ref().map(|it| &it.text));
            let chosen = place.unwrap_or(0);
            self.popup = (!found.is_empty()).then_some(Popup { range, candidates: found, chosen });
        }
    }

    fn paste(&mut self, text: &str, actions: &mut Vec<ChatAction>) {
        if self.map.is_some() {
            return;
        }
        if let Some(settings) = &mut self.settings {
            return settings.paste(text);
        }
        // A question is answered by keys alone: what is pasted may hold any, and is a message.
        self.asking.iter_mut().for_each(|asking| asking.rest(self.now_ms));
        if !self.editor.insert(text) {
            let text =
                "this is too long to be sent as a message: put it into a file, and name that";
            self.talk.note(NoteKind::Warning, text.to_owned());
        }
        self.typed(actions);
        self.popup = None;
    }

    fn scroll(&mut self, lines: isize) {
        if let Some(map) = &mut self.map {
            map.step(lines);
        } else if let Some(settings) = &mut self.settings {
            settings.step(lines);
        } else if let Some(asking) = &mut self.asking {
            asking.scroll(lines);
        } else {
            self.talk.scroll(lines);
        }
    }

    /// Chooses the block that is clicked, and opens it where it is folded.
    fn click(&mut self, row: usize) {
        if self.asking.is_none() && self.map.is_none() && self.settings.is_none() {
            self.talk.click(row);
        }
    }

    /// Ctrl+C: what is typed goes first, then what the agent does is stopped, then it ends.
    fn interrupt(&mut self, actions: &mut Vec<ChatAction>) {
        if !self.editor.is_empty() {
            self.editor.clear();
            self.popup = None;
        } else if self.is_working() {
            self.stop(actions);
        } else if self.quits_ms.is_some() {
            actions.push(ChatAction::Quit);
        } else {
            self.quits_ms = Some(self.now_ms);
        }
    }

    fn stop(&mut self, actions: &mut Vec<ChatAction>) {
        if let Some(working) = &mut self.status.working {
            working.is_stopping = true;
        }
        actions.push(ChatAction::Stop);
    }

    fn send(&mut self, actions: &mut Vec<ChatAction>) {
        if self.editor.text().trim().is_empty() {
            return;
        }
        let text = self.editor.take();
        self.popup = None;
        self.talk.choose_none();
        self.talk.follow();
        match text.trim().strip_prefix('/') {
            Some(line) if is_command(line) => self.run(line, actions),
            _ if !self.is_working() => self.say(text, actions),
            _ if self.queued.len() < QUEUED_MAX => self.queued.push(text),
            _ => {
                self.talk.note(NoteKind::Warning, "too many messages wait already".to_owned());
                self.editor.insert(&text);
            }
        }
    }

    fn say(&mut self, text: String, actions: &mut Vec<ChatAction>) {
        self.talk.push(Block::User(text.clone()));
        self.talk.begin_answer();
        self.status.begin(self.now_ms);
        actions.push(ChatAction::Say(text));
    }

    fn run(&mut self, line: &str, actions: &mut Vec<ChatAction>) {
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (command, argument) = match named(name) {
            Ok(command) => (command, argument.trim().to_owned()),
            Err(close) => {
                let what = match close {
                    Some(close) => format!("did you mean /{}?", close.name()),
                    None => "/help lists those there are".to_owned(),
                };
                let text = format!("there is no command /{name}: {what}");
                return self.talk.note(NoteKind::Warning, text);
            }
        };
        match command {
            Command::Help => self.talk.note(NoteKind::Aside, told::help()),
            Command::Stats => self.talk.note(NoteKind::Aside, told::stats(&self.status)),
            Command::Files => self.talk.note(NoteKind::Aside, told::files(&self.talk)),
            Command::Quit => actions.push(ChatAction::Quit),
            Command::Context => {
                self.map = Some(MapView::default());
                actions.push(ChatAction::AskMap);
            }
            Command::Config if argument.is_empty() => {
                self.settings = Some(SettingsView::default());
                actions.push(ChatAction::AskSettings);
            }
            Command::Compact
            | Command::Rewind
            | Command::Undo
            | Command::Model
            | Command::Config => actions.push(ChatAction::Run { command, argument }),
        }
    }
}

/// A model without the address of its server.
fn short(model: &str) -> String {
    in_one_line(model.split('@').next().unwrap_or_default()).into_owned()
}

/// Whether what stands behind a `/` may be a command: a path is none.
fn is_command(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default();
    !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-')
}
