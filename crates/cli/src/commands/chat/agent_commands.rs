//! Commands of the user to the agent: the map of the prompt, changes of it, undo and rewind.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use anyhow::{Context, bail};
use foveal_agent::{Agent, AgentInput, PromptMapChange};
use foveal_agent_runtime::AgentCommand;
use foveal_agent_runtime::session_control::{
    RewindPoint, RewindStage, build_prompt_map, change_prompt, describe_file_rewind,
    request_compaction, rewind_points,
};
use foveal_proxy::RequestShaper;
use foveal_screen::numbers::{format_count, format_plural};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::{RewindState, RewindableFile, ToolSession};
use foveal_transcript::CancelToken;
use foveal_tui::{ChatInput, NoticeLevel};

use super::chat_event::ChatEvent;
use crate::notice;

/// Builds the commands that the agent's event loop runs. Their results are sent to the chat.
#[derive(Clone)]
pub(super) struct AgentCommands {
    shaper: Arc<RequestShaper>,
    tools: Arc<ToolSession>,
    chat_events: SyncSender<ChatEvent>,
}

/// The part of the session that goes back to an earlier message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RewindScope {
    Conversation,
    Files,
    Both,
}

impl AgentCommands {
    /// Returns the commands for an agent with this shaper and tool session.
    pub(super) fn new(
        shaper: Arc<RequestShaper>,
        tools: Arc<ToolSession>,
        chat_events: SyncSender<ChatEvent>,
    ) -> Self {
        Self { shaper, tools, chat_events }
    }

    /// Returns a command that shows the map of the prompt.
    pub(super) fn show_map(&self) -> AgentCommand {
        let it = self.clone();
        Box::new(move |agent| {
            it.send_map(agent);
            None
        })
    }

    /// Returns a command that applies a change to the prompt and shows its new map.
    pub(super) fn change_map(&self, wanted: PromptMapChange) -> AgentCommand {
        let it = self.clone();
        Box::new(move |agent| {
            if let Err(error) = change_prompt(&it.shaper, agent, wanted, SystemClock.now()) {
                it.send_note(NoticeLevel::Warning, error.to_string());
            }
            it.send_map(agent);
            None
        })
    }

    /// Returns a command that makes the next request rewrite old results.
    pub(super) fn compact_results(&self) -> AgentCommand {
        let it = self.clone();
        Box::new(move |agent| {
            match request_compaction(&it.shaper, agent, SystemClock.now()) {
                Ok(done) if done.results == 0 => {
                    it.send_note(
                        NoticeLevel::Info,
                        "no result in the prompt can be shortened further".into(),
                    );
                }
                Ok(done) => it.send_note(
                    NoticeLevel::Info,
                    format!(
                        "the next request sends {} tokens instead of {}: {} shortened",
                        format_count(done.after.0),
                        format_count(done.before.0),
                        format_plural(done.results as u64, "result")
                    ),
                ),
                Err(error) => it.send_note(NoticeLevel::Warning, error.to_string()),
            }
            None
        })
    }

    /// Returns a command that restores the files that changed since the user's last message.
    pub(super) fn undo_files(&self) -> AgentCommand {
        let it = self.clone();
        Box::new(move |agent| {
            let said = rewind_points(agent.conversation().entries());
            let done = it.check_is_idle(agent).and_then(|()| {
                let last = said.last().context("there are no messages yet")?;
                it.restore_files(last)
            });
            it.send_result(done);
            None
        })
    }

    /// Returns a command that goes back to before a message, as `argument` says. Without a scope
    /// the command shows the effect, and without any argument it lists the messages.
    pub(super) fn rewind_session(&self, argument: String) -> AgentCommand {
        let it = self.clone();
        Box::new(move |agent| match it.rewind_or_describe(agent, &argument) {
            Ok((told, event)) => {
                it.send_result(Ok(told));
                event
            }
            Err(error) => {
                it.send_result(Err(error));
                None
            }
        })
    }

    fn rewind_or_describe(
        &self,
        agent: &Agent,
        argument: &str,
    ) -> anyhow::Result<(String, Option<AgentInput>)> {
        self.check_is_idle(agent)?;
        let entries = agent.conversation().entries();
        let said = rewind_points(entries);
        let mut words = argument.split_whitespace();
        let Some(number) = words.next() else { return Ok((message_list(&said), None)) };
        let target =
            number.parse::<usize>().ok().and_then(|number| said.get(number.checked_sub(1)?));
        let target = target
            .with_context(|| format!("you have no message `{number}`\n{}", message_list(&said)))?;
        let back = match words.next() {
            None => return Ok((self.rewind_preview(target, number, entries.len())?, None)),
            Some("both") => RewindScope::Both,
            Some("files") => RewindScope::Files,
            Some("conversation") => RewindScope::Conversation,
            Some(other) => {
                bail!("`{other}` is not valid: expected `both`, `conversation` or `files`");
            }
        };
        let mut told = match back {
            RewindScope::Conversation => String::new(),
            RewindScope::Files | RewindScope::Both => self.restore_files(target)?,
        };
        if back == RewindScope::Files {
            return Ok((told, None));
        }
        self.tools.clear_visibility();
        let text = entries.get(target.entry_index).map(foveal_transcript::TranscriptEntry::text);
        let entries = entries[..target.entry_index].to_vec();
        self.send_input(ChatInput::Rewound { entries, text: text.unwrap_or_default() });
        told = format!("rewound the conversation to before message {number}\n{told}");
        Ok((told.trim_end().to_owned(), Some(AgentInput::Rewind { to: target.entry_index })))
    }

    /// Returns a description of the changes that going back would make.
    fn rewind_preview(
        &self,
        target: &RewindPoint,
        number: &str,
        messages: usize,
    ) -> anyhow::Result<String> {
        let gone = format_plural((messages - target.entry_index) as u64, "message");
        let mut told =
            format!("rewind to before \"{}\": {gone} would be removed", target.first_words);
        for file in &self.files_changed_since(target)? {
            let line = describe_file_rewind(file, RewindStage::Planned, false);
            write!(told, "\n  {line}").expect("strings take all text");
        }
        let how = format!(
            "\n/rewind {number} both does this; with `conversation` or `files` instead of `both`, \
             it rewinds only that"
        );
        told.push_str(&how);
        Ok(told)
    }

    fn files_changed_since(&self, target: &RewindPoint) -> anyhow::Result<Vec<RewindableFile>> {
        let since =
            target.time.context("the time of that message is unknown: files stay unchanged")?;
        Ok(self.tools.files_written_since(since, &CancelToken::NEVER)?)
    }

    /// Restores the files that changed since a message. Returns a line for each file.
    fn restore_files(&self, target: &RewindPoint) -> anyhow::Result<String> {
        let files = self.files_changed_since(target)?;
        let ours: Vec<&RewindableFile> =
            files.iter().filter(|file| file.state == RewindState::OnlyOurs).collect();
        self.tools.rewind_files(&ours, &CancelToken::NEVER)?;
        if files.is_empty() {
            return Ok("no files were written since".to_owned());
        }
        let lines: Vec<String> =
            files.iter().map(|file| describe_file_rewind(file, RewindStage::Done, false)).collect();
        Ok(lines.join("\n"))
    }

    fn check_is_idle(&self, agent: &Agent) -> anyhow::Result<()> {
        match agent.is_idle() {
            true => Ok(()),
            false => bail!("the agent is still working: press Ctrl+C to stop it first"),
        }
    }

    fn send_map(&self, agent: &Agent) {
        self.send_input(ChatInput::PromptMap(build_prompt_map(
            &self.shaper,
            agent,
            SystemClock.now(),
        )));
    }

    fn send_result(&self, done: anyhow::Result<String>) {
        match done {
            Ok(text) => self.send_note(NoticeLevel::Info, text),
            Err(error) => {
                self.send_note(NoticeLevel::Warning, notice::describe_error(error.as_ref()));
            }
        }
    }

    fn send_note(&self, kind: NoticeLevel, text: String) {
        self.send_input(ChatInput::Notice(kind, text));
    }

    fn send_input(&self, input: ChatInput) {
        // Without a receiver the chat has ended.
        drop(self.chat_events.send(ChatEvent::Input(input)));
    }
}

/// Returns the numbered list of the user's messages.
fn message_list(said: &[RewindPoint]) -> String {
    if said.is_empty() {
        return "there are no messages yet".to_owned();
    }
    let lines =
        said.iter().zip(1..).map(|(said, number)| format!("\n  {number}  {}", said.first_words));
    let lines: String = lines.collect();
    format!("/rewind N goes back to before one of these messages:{lines}")
}
