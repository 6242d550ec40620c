//! The chat's state, and its updates by keys and agent events.

use foveal_agent::{AgentEvent, PromptMap, PromptMapChange};
use foveal_screen::escape_one_line;
use foveal_transcript::TranscriptEntry;

use crate::command_output;
use crate::completion_popup::{CompletionCandidate, CompletionPopup};
use crate::editor::Editor;
use crate::indexing_status::IndexingStatus;
use crate::key_press::{KeyCode, KeyPress};
use crate::permission_question::{
    self, KeyPressContext, PermissionAnswer, PermissionQuestion, PermissionQuestionView,
};
use crate::prompt_map_view::{self, PromptMapView};
use crate::session_status::SessionStatus;
use crate::settings_list::SettingsList;
use crate::settings_view::{self, SettingsView};
use crate::slash_command::{SlashCommand, commands_with_prefix, find_command};
use crate::theme::ColourSupport;
use crate::transcript_view::{ChatBlock, NoticeLevel, TranscriptView};

/// The number of messages at most that wait for the end of the turn.
const QUEUED_MESSAGES_MAX: usize = 8;

/// The number of questions at most that wait for the open one. No more calls run in parallel.
const QUEUED_QUESTIONS_MAX: usize = 64;

/// Milliseconds within which a second Ctrl+C quits.
const QUIT_CONFIRMATION_MS: u64 = 2_000;

/// Prompt tokens up to which the chat requests the prompt map after each turn.
const AUTOMATIC_MAP_TOKENS_MAX: u64 = 250_000;

/// The initial values of a chat.
#[derive(Debug, Clone, Default)]
pub struct ChatSetup {
    /// The model, as the user names it.
    pub model: String,
    /// The name of the session, if it is stored.
    pub session: Option<String>,
    /// The working folder.
    pub folder: String,
    /// The colours of the terminal.
    pub colours: ColourSupport,
    /// The user's messages of earlier sessions, oldest first.
    pub history: Vec<String>,
}

/// An input to the chat.
#[derive(Debug, Clone)]
pub enum ChatInput {
    /// The time, in milliseconds since the chat began.
    Tick(u64),
    /// A key press.
    Key(KeyPress),
    /// A pasted text.
    Paste(String),
    /// The mouse wheel moved by this number of lines, negative upwards.
    Scroll(isize),
    /// A mouse click in this row of the screen, from 0.
    Click(usize),
    /// The messages of a resumed session.
    EarlierMessages(Vec<TranscriptEntry>),
    /// The conversation was rewound.
    Rewound {
        /// The messages that remain.
        entries: Vec<TranscriptEntry>,
        /// The user's first removed message.
        text: String,
    },
    /// An event of the agent.
    AgentEvent(AgentEvent),
    /// The current prompt map.
    PromptMap(PromptMap),
    /// A question whether a call may run.
    Question(PermissionQuestion),
    /// The question of this number needs no answer any more.
    QuestionWithdrawn(u64),
    /// Completions of a word, in the order of their display.
    Completions {
        /// The word behind the `@`.
        prefix: String,
        /// The completions.
        candidates: Vec<CompletionCandidate>,
    },
    /// All settings with their current values.
    Settings(SettingsList),
    /// The result of the last change of a setting.
    SettingChanged {
        /// Whether the change was made.
        is_success: bool,
        /// A message for the user.
        message: String,
    },
    /// A message of foveal to the user.
    Notice(NoticeLevel, String),
    /// The name of the model that is used from now on.
    ModelChanged(String),
}

/// An action that the chat's caller performs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatAction {
    /// Send a message to the agent.
    SendMessage(String),
    /// Stop the agent's turn.
    StopAgent,
    /// End the chat.
    Quit,
    /// Change the prompt, and return the new prompt map.
    ChangePrompt(PromptMapChange),
    /// Return the prompt map.
    RequestPromptMap,
    /// The answer to a question.
    AnswerQuestion {
        /// The question's number.
        number: u64,
        /// The user's answer.
        permission: PermissionAnswer,
    },
    /// Return the settings.
    RequestSettings,
    /// Write or remove a setting, and return the result.
    ChangeSetting {
        /// The setting's name.
        name: String,
        /// The value as the user wrote it; `None` removes the setting.
        value: Option<String>,
    },
    /// Undo the last change of a setting, and return the result.
    UndoSettingChange,
    /// Return completions of this word.
    RequestCompletions(String),
    /// Run a command.
    RunCommand {
        /// The command.
        command: SlashCommand,
        /// The text behind its name.
        argument: String,
    },
}

/// The state of a chat.
#[derive(Debug)]
pub struct Chat {
    pub(crate) colours: ColourSupport,
    pub(crate) transcript: TranscriptView,
    pub(crate) editor: Editor,
    pub(crate) popup: Option<CompletionPopup>,
    pub(crate) map_view: Option<PromptMapView>,
    pub(crate) settings_view: Option<SettingsView>,
    pub(crate) question_view: Option<PermissionQuestionView>,
    queued_questions: Vec<PermissionQuestion>,
    pub(crate) queued_messages: Vec<String>,
    pub(crate) status: SessionStatus,
    pub(crate) indexing: IndexingStatus,
    pub(crate) now_ms: u64,
    /// The time of the last key press.
    last_key_ms: Option<u64>,
    /// The time of a Ctrl+C that had no effect.
    pub(crate) first_ctrl_c_ms: Option<u64>,
    /// The word whose completions the user dismissed.
    dismissed_word: Option<String>,
}

impl Chat {
    /// Returns a chat without messages.
    pub fn new(setup: ChatSetup) -> Self {
        let ChatSetup { model, session, folder, colours, history } = setup;
        let mut transcript = TranscriptView::new(colours);
        let hello = format!("foveal · {model} · {folder}\n/help lists keys and commands");
        transcript.push_notice(NoticeLevel::Info, hello);
        Self {
            colours,
            transcript,
            editor: Editor::new(history),
            popup: None,
            map_view: None,
            settings_view: None,
            question_view: None,
            queued_questions: Vec::new(),
            queued_messages: Vec::new(),
            status: SessionStatus {
                model: model_name_without_server(&model),
                session,
                ..SessionStatus::default()
            },
            indexing: IndexingStatus::default(),
            now_ms: 0,
            last_key_ms: None,
            first_ctrl_c_ms: None,
            dismissed_word: None,
        }
    }

    /// Returns whether the agent works on a turn.
    pub fn is_working(&self) -> bool {
        self.status.activity.is_some()
    }

    /// Returns whether the screen changes as time passes.
    pub fn is_animated(&self) -> bool {
        let asks = self
            .question_view
            .as_ref()
            .is_some_and(|asking| asking.is_animated(self.key_press_context()));
        self.is_working() || self.first_ctrl_c_ms.is_some() || self.indexing.is_active() || asks
    }

    /// Applies an input and returns the actions to perform, in order.
    pub fn update(&mut self, input: ChatInput) -> Vec<ChatAction> {
        let mut actions = Vec::new();
        match input {
            ChatInput::Tick(now_ms) => {
                self.now_ms = now_ms.max(self.now_ms);
                self.transcript.set_time(self.now_ms);
                self.first_ctrl_c_ms = self
                    .first_ctrl_c_ms
                    .filter(|at| now_ms.saturating_sub(*at) < QUIT_CONFIRMATION_MS);
            }
            ChatInput::Key(key) => {
                self.handle_key(key, &mut actions);
                self.last_key_ms = Some(self.now_ms);
            }
            ChatInput::Paste(text) => {
                self.handle_paste(&text, &mut actions);
                self.last_key_ms = Some(self.now_ms);
            }
            ChatInput::Scroll(lines) => self.scroll_focused_view(lines),
            ChatInput::Click(row) => self.handle_click(row),
            ChatInput::EarlierMessages(entries) => self.transcript.push_earlier_messages(&entries),
            ChatInput::Rewound { entries, text } => {
                self.transcript.clear_blocks();
                self.transcript.push_earlier_messages(&entries);
                // The user may want to rephrase the message.
                if self.editor.is_empty() {
                    self.editor.insert(&text);
                }
            }
            ChatInput::AgentEvent(AgentEvent::Indexing(told)) => {
                let summary = self.indexing.update(told, self.now_ms);
                summary.into_iter().for_each(|block| self.transcript.push_block(block));
            }
            ChatInput::AgentEvent(told) => self.handle_agent_event(told, &mut actions),
            ChatInput::PromptMap(map) => {
                self.status.window = map.window;
                self.status.apply_prompt_map(&map);
                self.transcript.apply_prompt_map(&map);
                self.map_view.iter_mut().for_each(|view| view.set_map(map.clone()));
            }
            ChatInput::Question(question) => self.enqueue_question(question, &mut actions),
            ChatInput::QuestionWithdrawn(number) => self.withdraw_question(number),
            ChatInput::Completions { prefix, candidates: found } => {
                self.show_completions(&prefix, found);
            }
            ChatInput::Settings(settings) => {
                self.settings_view.iter_mut().for_each(|view| view.set_settings(settings.clone()));
            }
            ChatInput::SettingChanged { is_success: is_done, message: text } => {
                self.settings_view.iter_mut().for_each(|view| view.show_result(is_done, &text));
            }
            ChatInput::Notice(kind, text) => {
                // The map view shows one line only.
                if let Some(map) = &mut self.map_view {
                    map.show_message(text.lines().next().unwrap_or_default());
                }
                self.transcript.push_notice(kind, text);
            }
            ChatInput::ModelChanged(model) => {
                self.status.model = model_name_without_server(&model);
                self.transcript.push_notice(NoticeLevel::Info, format!("model changed to {model}"));
            }
        }
        actions
    }

    fn handle_agent_event(&mut self, told: AgentEvent, actions: &mut Vec<ChatAction>) {
        self.status.apply_event(&told, self.now_ms);
        let is_done = matches!(told, AgentEvent::Done { .. });
        let is_stopped = matches!(&told, AgentEvent::Done { outcome, .. } if *outcome == foveal_agent::RunOutcome::Stopped);
        self.transcript.apply_event(told, self.now_ms);
        if !is_done {
            return;
        }
        let is_small =
            self.status.last_prompt.is_none_or(|(_, sent)| sent < AUTOMATIC_MAP_TOKENS_MAX);
        if self.map_view.is_some() || is_small {
            actions.push(ChatAction::RequestPromptMap);
        }
        if is_stopped {
            // The queued messages may not be wanted any more, so the user reviews them first.
            let queued = std::mem::take(&mut self.queued_messages);
            for text in queued {
                if !self.editor.is_empty() {
                    self.editor.insert("\n");
                }
                self.editor.insert(&text);
            }
        } else if !self.queued_messages.is_empty() {
            let next = self.queued_messages.remove(0);
            self.send_message(next, actions);
        }
    }

    fn enqueue_question(&mut self, question: PermissionQuestion, actions: &mut Vec<ChatAction>) {
        if self.question_view.is_none() {
            self.question_view = Some(PermissionQuestionView::new(question, self.now_ms));
        } else if self.queued_questions.len() < QUEUED_QUESTIONS_MAX {
            self.queued_questions.push(question);
        } else {
            let number = question.number;
            actions.push(ChatAction::AnswerQuestion { number, permission: PermissionAnswer::Deny });
        }
    }

    fn withdraw_question(&mut self, number: u64) {
        self.queued_questions.retain(|question| question.number != number);
        if self.question_view.as_ref().is_some_and(|asking| asking.question.number == number) {
            self.show_next_question();
        }
    }

    fn show_next_question(&mut self) {
        let next = (!self.queued_questions.is_empty()).then(|| self.queued_questions.remove(0));
        self.question_view =
            next.map(|question| PermissionQuestionView::new(question, self.now_ms));
    }

    /// Returns the state that decides whether keys answer a question.
    pub(crate) fn key_press_context(&self) -> KeyPressContext {
        let has_draft = !self.editor.is_empty();
        KeyPressContext { now_ms: self.now_ms, last_key_ms: self.last_key_ms, has_draft }
    }

    /// Returns whether a question is visible; the map and settings views hide it.
    pub(crate) fn is_question_visible(&self) -> bool {
        self.question_view.is_some() && self.map_view.is_none() && self.settings_view.is_none()
    }

    /// Restarts the question's pause once no view hides it.
    fn restart_question_pause(&mut self) {
        if self.is_question_visible() {
            self.question_view.iter_mut().for_each(|asking| asking.restart_pause(self.now_ms));
        }
    }

    fn handle_key(&mut self, key: KeyPress, actions: &mut Vec<ChatAction>) {
        if !key.is_ctrl('c') {
            self.first_ctrl_c_ms = None;
        }
        if self.map_view.is_some() {
            self.handle_map_key(key, actions);
            return self.restart_question_pause();
        }
        if self.settings_view.is_some() {
            self.handle_settings_key(key, actions);
            return self.restart_question_pause();
        }
        if self.question_view.is_some() && self.handle_question_key(key, actions) {
            return;
        }
        if self.popup.is_some() && self.handle_popup_key(key) {
            return;
        }
        match key.code {
            KeyCode::Char('c') if key.ctrl => self.handle_ctrl_c(actions),
            KeyCode::Char('d') if key.ctrl => {
                if self.editor.is_empty() {
                    actions.push(ChatAction::Quit);
                } else {
                    self.editor.handle_key(KeyPress::from_code(KeyCode::Delete));
                }
            }
            KeyCode::Char('o') if key.ctrl => self.transcript.toggle_expansion(),
            KeyCode::PageUp => self.transcript.scroll_by(-self.transcript.page_rows()),
            KeyCode::PageDown => self.transcript.scroll_by(self.transcript.page_rows()),
            KeyCode::Home if key.ctrl => self.transcript.scroll_to_start(),
            KeyCode::End if key.ctrl => self.transcript.follow_end(),
            KeyCode::Up if key.ctrl || key.alt => self.transcript.move_selection(true),
            KeyCode::Down if key.ctrl || key.alt => self.transcript.move_selection(false),
            KeyCode::Esc => {
                if !self.transcript.clear_selection() {
                    self.transcript.follow_end();
                }
            }
            KeyCode::Enter if !key.alt && !key.shift => self.submit_editor(actions),
            _ => {
                if self.editor.handle_key(key) {
                    self.update_completions(actions);
                }
            }
        }
    }

    /// Handles a key of the question. Returns `false` if the key is none of its keys.
    fn handle_question_key(&mut self, key: KeyPress, actions: &mut Vec<ChatAction>) -> bool {
        let moment = self.key_press_context();
        let has_popup = self.popup.is_some();
        let Some(asking) = &mut self.question_view else { return false };
        let number = asking.question.number;
        let is_open = asking.accepts_answers(moment);
        if key.is_ctrl('c') && (is_open || !moment.has_draft) {
            actions.push(ChatAction::AnswerQuestion { number, permission: PermissionAnswer::Deny });
            self.show_next_question();
            self.stop_agent(actions);
            return true;
        }
        if !is_open && has_popup {
            // Tab completes a word first.
            return false;
        }
        match asking.handle_key(key, moment) {
            permission_question::QuestionKeyOutcome::Answer(permission) => {
                actions.push(ChatAction::AnswerQuestion { number, permission });
                self.transcript.restart_call_timers(self.now_ms);
                self.show_next_question();
                true
            }
            permission_question::QuestionKeyOutcome::Consumed => true,
            permission_question::QuestionKeyOutcome::PassToEditor => false,
        }
    }

    fn handle_map_key(&mut self, key: KeyPress, actions: &mut Vec<ChatAction>) {
        let Some(map) = &mut self.map_view else { return };
        let is_left = key.is_ctrl('c');
        match map.handle_key(key) {
            _ if is_left => self.map_view = None,
            prompt_map_view::PromptMapKeyOutcome::Close => self.map_view = None,
            prompt_map_view::PromptMapKeyOutcome::Change(change) => {
                actions.push(ChatAction::ChangePrompt(change));
            }
            prompt_map_view::PromptMapKeyOutcome::Consumed => {}
        }
    }

    fn handle_settings_key(&mut self, key: KeyPress, actions: &mut Vec<ChatAction>) {
        let Some(view) = &mut self.settings_view else { return };
        if key.is_ctrl('c') {
            self.settings_view = None;
            return;
        }
        match view.handle_key(key) {
            settings_view::SettingsKeyOutcome::Close => self.settings_view = None,
            settings_view::SettingsKeyOutcome::Set { name, value } => {
                actions.push(ChatAction::ChangeSetting { name, value: Some(value) });
            }
            settings_view::SettingsKeyOutcome::Unset(name) => {
                actions.push(ChatAction::ChangeSetting { name, value: None });
            }
            settings_view::SettingsKeyOutcome::Undo => actions.push(ChatAction::UndoSettingChange),
            settings_view::SettingsKeyOutcome::Consumed => {}
        }
    }

    /// Handles a key of the completion popup. Returns `false` if the key is none of its keys.
    fn handle_popup_key(&mut self, key: KeyPress) -> bool {
        let Some(popup) = &mut self.popup else { return false };
        match key.code {
            KeyCode::Up => popup.move_selection(true),
            KeyCode::Down => popup.move_selection(false),
            KeyCode::Tab => self.accept_completion(),
            KeyCode::Enter if !key.alt && !key.shift => {
                // A word that is complete already is sent at once.
                let chosen =
                    popup.candidates.get(popup.selected).map(|it| it.replacement.trim().to_owned());
                let is_whole = chosen.as_deref() == Some(self.editor.text().trim());
                if is_whole {
                    self.popup = None;
                    return false;
                }
                self.accept_completion();
            }
            KeyCode::Esc => {
                self.dismissed_word = self.completable_word();
                self.popup = None;
            }
            _ => return false,
        }
        true
    }

    fn accept_completion(&mut self) {
        if let Some(popup) = self.popup.take()
            && let Some(candidate) = popup.candidates.get(popup.selected)
        {
            self.editor.replace_range(popup.replaced_range, &candidate.replacement);
            self.dismissed_word = self.completable_word();
        }
    }

    /// Returns the word at the cursor that can be completed, with its `@` or `/`.
    fn completable_word(&self) -> Option<String> {
        let file = self.editor.word_before_cursor('@').map(|(_, word)| format!("@{word}"));
        file.or_else(|| {
            let (range, word) = self.editor.word_before_cursor('/')?;
            (range.start == 0).then(|| format!("/{word}"))
        })
    }

    /// Shows or requests completions after a change of the text.
    fn update_completions(&mut self, actions: &mut Vec<ChatAction>) {
        self.popup = None;
        let word = self.completable_word();
        if word.is_none() || word != self.dismissed_word {
            self.dismissed_word = None;
        }
        let Some(word) = word.filter(|word| self.dismissed_word.as_ref() != Some(word)) else {
            return;
        };
        if let Some(prefix) = word.strip_prefix('@') {
            return actions.push(ChatAction::RequestCompletions(prefix.to_owned()));
        }
        let found = commands_with_prefix(&word[1..]);
        let candidates = found.into_iter().map(|command| CompletionCandidate {
            replacement: format!("/{} ", command.name()),
            description: format!("{} {}", command.arguments(), command.description())
                .trim()
                .to_owned(),
        });
        let candidates: Vec<CompletionCandidate> = candidates.collect();
        if !candidates.is_empty() {
            self.popup =
                Some(CompletionPopup { replaced_range: 0..word.len(), candidates, selected: 0 });
        }
    }

    /// Shows completions, unless the word at the cursor has changed since.
    fn show_completions(&mut self, prefix: &str, found: Vec<CompletionCandidate>) {
        let Some((range, word)) = self.editor.word_before_cursor('@') else { return };
        if word == prefix && self.dismissed_word.is_none() {
            // More candidates may arrive for the same word; the selection stays.
            let before = self
                .popup
                .take()
                .filter(|popup| popup.replaced_range == range && popup.selected > 0);
            let before = before.and_then(|popup| popup.candidates.into_iter().nth(popup.selected));
            let place = found
                .iter()
                .position(|it| Some(&it.replacement) == before.as_ref().map(|it| &it.replacement));
            let chosen = place.unwrap_or(0);
            self.popup = (!found.is_empty()).then_some(CompletionPopup {
                replaced_range: range,
                candidates: found,
                selected: chosen,
            });
        }
    }

    fn handle_paste(&mut self, text: &str, actions: &mut Vec<ChatAction>) {
        if self.map_view.is_some() {
            return;
        }
        if let Some(settings) = &mut self.settings_view {
            return settings.paste_value(text);
        }
        // Only keys answer a question. Pasted text may hold any characters, and belongs to the
        // message.
        self.question_view.iter_mut().for_each(|asking| asking.restart_pause(self.now_ms));
        if !self.editor.insert(text) {
            let text = "too long for a message: save it to a file, and mention the file";
            self.transcript.push_notice(NoticeLevel::Warning, text.to_owned());
        }
        self.update_completions(actions);
        self.popup = None;
    }

    fn scroll_focused_view(&mut self, lines: isize) {
        if let Some(map) = &mut self.map_view {
            map.move_selection(lines);
        } else if let Some(settings) = &mut self.settings_view {
            settings.move_selection(lines);
        } else if let Some(asking) = &mut self.question_view {
            asking.scroll(lines);
        } else {
            self.transcript.scroll_by(lines);
        }
    }

    /// Selects the clicked block and expands it.
    fn handle_click(&mut self, row: usize) {
        if self.question_view.is_none() && self.map_view.is_none() && self.settings_view.is_none() {
            self.transcript.select_at_row(row);
        }
    }

    /// Handles Ctrl+C: clears the editor, else stops the agent, else quits at the second press.
    fn handle_ctrl_c(&mut self, actions: &mut Vec<ChatAction>) {
        if !self.editor.is_empty() {
            self.editor.clear_text();
            self.popup = None;
        } else if self.is_working() {
            self.stop_agent(actions);
        } else if self.first_ctrl_c_ms.is_some() {
            actions.push(ChatAction::Quit);
        } else {
            self.first_ctrl_c_ms = Some(self.now_ms);
        }
    }

    fn stop_agent(&mut self, actions: &mut Vec<ChatAction>) {
        if let Some(working) = &mut self.status.activity {
            working.is_stopping = true;
        }
        actions.push(ChatAction::StopAgent);
    }

    fn submit_editor(&mut self, actions: &mut Vec<ChatAction>) {
        if self.editor.text().trim().is_empty() {
            return;
        }
        let text = self.editor.take_text();
        self.popup = None;
        self.transcript.clear_selection();
        self.transcript.follow_end();
        match text.trim().strip_prefix('/') {
            Some(line) if is_command_line(line) => self.run_command(line, actions),
            _ if !self.is_working() => self.send_message(text, actions),
            _ if self.queued_messages.len() < QUEUED_MESSAGES_MAX => {
                self.queued_messages.push(text);
            }
            _ => {
                self.transcript.push_notice(
                    NoticeLevel::Warning,
                    "too many messages are queued already".to_owned(),
                );
                self.editor.insert(&text);
            }
        }
    }

    fn send_message(&mut self, text: String, actions: &mut Vec<ChatAction>) {
        self.transcript.push_block(ChatBlock::User(text.clone()));
        self.transcript.begin_answer();
        self.status.begin_turn(self.now_ms);
        actions.push(ChatAction::SendMessage(text));
    }

    fn run_command(&mut self, line: &str, actions: &mut Vec<ChatAction>) {
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (command, argument) = match find_command(name) {
            Ok(command) => (command, argument.trim().to_owned()),
            Err(close) => {
                let what = match close {
                    Some(close) => format!("did you mean /{}?", close.name()),
                    None => "/help lists all commands".to_owned(),
                };
                let text = format!("unknown command /{name}: {what}");
                return self.transcript.push_notice(NoticeLevel::Warning, text);
            }
        };
        match command {
            SlashCommand::Help => {
                self.transcript.push_notice(NoticeLevel::Info, command_output::format_help());
            }
            SlashCommand::Stats => self
                .transcript
                .push_notice(NoticeLevel::Info, command_output::format_stats(&self.status)),
            SlashCommand::Files => self
                .transcript
                .push_notice(NoticeLevel::Info, command_output::format_files(&self.transcript)),
            SlashCommand::Quit => actions.push(ChatAction::Quit),
            SlashCommand::Context => {
                self.map_view = Some(PromptMapView::default());
                actions.push(ChatAction::RequestPromptMap);
            }
            SlashCommand::Config if argument.is_empty() => {
                self.settings_view = Some(SettingsView::default());
                actions.push(ChatAction::RequestSettings);
            }
            SlashCommand::Compact
            | SlashCommand::Rewind
            | SlashCommand::Undo
            | SlashCommand::Model
            | SlashCommand::Config => actions.push(ChatAction::RunCommand { command, argument }),
        }
    }
}

/// Returns a model's name without the address of its server.
fn model_name_without_server(model: &str) -> String {
    escape_one_line(model.split('@').next().unwrap_or_default()).into_owned()
}

/// Returns whether the text behind a `/` may be a command, and not a path.
fn is_command_line(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default();
    !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-')
}
