//! The transcript: a conversation as it was recorded, append-only, the ground truth.
//!
//! Every reader and codec produces these types and the engine only ever reads them.
//! An [`Entry`] is one message; a tool entry holds exactly one tool result, so that
//! an [`EntryIndex`] names a result without a second number.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, as recorded; never read from a clock here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to `self`; negative when the records are out of order.
    pub fn since_ms(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Position of an entry in its conversation, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryIndex(pub u32);

impl EntryIndex {
    /// The index as a slice position.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// The number of a line, from 1. Four billion lines are more than any answer shows; of larger
/// files the first can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineNumber(pub u32);

impl LineNumber {
    /// The first line.
    pub const FIRST: Self = Self(1);

    /// The number of the line at `index`, from 0.
    pub fn of_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX - 1).saturating_add(1))
    }

    /// The line's place counted from 0.
    pub fn index(self) -> usize {
        self.0.saturating_sub(1) as usize
    }
}

impl fmt::Display for LineNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where an entry stands in the recording: the step (1-based, as ATIF counts) and, for a
/// tool result, its place among the results of that step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Source {
    /// 1-based step of the recording.
    pub step: u32,
    /// 0-based place among the step's results; `None` for the step's own message.
    pub result: Option<u16>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// Instructions that precede the conversation.
    System,
    /// A person, or what their client says in their name.
    User,
    /// The model.
    Assistant,
    /// A tool; the entry holds one [`Block::Result`].
    Tool,
}

/// What an entry means for the conversation's course, beyond its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Mark {
    /// An ordinary message.
    #[default]
    None,
    /// Text the client put in on its own (reminders, hook output, skill texts).
    Injected,
    /// A worked example that precedes the task.
    Demonstration,
    /// The client compacted: nothing before this entry is sent any more, save the leading
    /// system entries and, where `keep_from` says so, the entries from there on.
    CompactBoundary {
        /// First earlier entry that stays in the prompt.
        keep_from: Option<EntryIndex>,
    },
    /// The summary that takes the compacted history's place.
    CompactSummary,
    /// The conversation went back: entries from `to` up to this one are no longer sent.
    /// The entry itself is sent unless it is empty.
    Rewind {
        /// First entry that is dropped.
        to: EntryIndex,
    },
}

/// Token counts a provider reported for one response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Uncached input tokens (Anthropic's sense: cached ones are not included).
    pub input: u64,
    /// Input tokens read from the provider's cache.
    pub cache_read: u64,
    /// Input tokens written to the provider's cache.
    pub cache_write: u64,
    /// Those of them that Anthropic keeps for an hour, where that is told.
    #[serde(default)]
    pub cache_write_hour: u64,
    /// Output tokens.
    pub output: u64,
}

impl Usage {
    /// Tokens of the whole prompt, whatever each costs.
    pub fn prompt(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

/// One tool call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The provider's id; results name it.
    pub id: String,
    /// The tool's name, as the client calls it.
    pub name: String,
    /// The arguments as recorded; an object for nearly every tool.
    pub arguments: serde_json::Value,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The [`Call::id`] this answers.
    pub call: String,
    /// The text the model was sent, all text parts joined by a newline.
    pub content: String,
    /// Whether the client flagged the result as an error.
    pub is_error: bool,
}

/// The kind of the [`Block::Opaque`] beside the result of a read that a client recorded as
/// showing a part of its file: `{"startLine":17,"numLines":1,"totalLines":300}`. The model is not
/// sent it.
pub const PART_OF_FILE: &str = "part of a file";

/// One content part of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// Text of the user, the model or the system.
    Text(String),
    /// The model's reasoning. Kept for reading; not counted as part of later prompts.
    Reasoning(String),
    /// A tool call.
    Call(Call),
    /// A tool result; only in entries of [`Role::Tool`], and there alone.
    Result(ToolResult),
    /// Something this version does not understand, byte for byte.
    Opaque {
        /// What the recording calls it.
        kind: String,
        /// The recorded JSON text.
        raw: String,
    },
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Where it stands in the recording.
    pub source: Source,
    /// Who speaks.
    pub role: Role,
    /// When it was recorded, if the recording says.
    pub time: Option<Timestamp>,
    /// Its meaning for the conversation's course.
    pub mark: Mark,
    /// The model that produced it, if the recording says.
    pub model: Option<Arc<str>>,
    /// Reported usage of the response that produced it.
    pub usage: Option<Usage>,
    /// The content, in order.
    pub blocks: Vec<Block>,
}

impl Entry {
    /// The tool result this entry holds, if it is a tool entry.
    pub fn result(&self) -> Option<&ToolResult> {
        self.blocks.iter().find_map(|block| match block {
            Block::Result(result) => Some(result),
            Block::Text(_) | Block::Reasoning(_) | Block::Call(_) | Block::Opaque { .. } => None,
        })
    }

    /// The tool calls this entry makes, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            Block::Text(_) | Block::Reasoning(_) | Block::Result(_) | Block::Opaque { .. } => None,
        })
    }

    /// The text blocks, joined by newlines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for block in &self.blocks {
            if let Block::Text(part) = block {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part);
            }
        }
        text
    }

    /// The entry as the text of one prompt message: a tool result's content; otherwise the
    /// text blocks, followed for each call by a line with its name, a space and its
    /// arguments as compact JSON. Reasoning and opaque blocks are left out.
    pub fn prompt_text(&self) -> String {
        if let Some(result) = self.result() {
            return result.content.clone();
        }
        let mut text = self.text();
        for call in self.calls() {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&call.name);
            text.push(' ');
            text.push_str(&call.arguments.to_string());
        }
        text
    }
}

/// The kind of a [`Block::Opaque`] at a result that names the conversations of the sub-agents that
/// carried the call out: a JSON list of objects, each with a `trajectory_id`.
pub const SUB_AGENT_REFERENCE: &str = "subagent_trajectory_ref";

/// One agent's conversation with a model. A sub-agent has one of its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conversation {
    /// The recording's id for it; unique within a session.
    pub id: String,
    /// The conversation that started it, for sub-agents.
    pub parent: Option<String>,
    /// The agent's name ("Claude Code"), as far as the recording tells.
    pub agent: Option<String>,
    /// The working directory at the start, if recorded.
    pub directory: Option<String>,
    entries: Vec<Entry>,
}

impl FromIterator<Entry> for Conversation {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect(), ..Self::default() }
    }
}

impl Conversation {
    /// The messages, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Appends a message; entries are never taken away.
    ///
    /// # Panics
    /// With more entries than an [`EntryIndex`] can count.
    pub fn push(&mut self, entry: Entry) -> EntryIndex {
        let index = u32::try_from(self.entries.len()).expect("4 billion messages are no recording");
        self.entries.push(entry);
        EntryIndex(index)
    }

    /// The conversation with each entry as `change` leaves it: for readers that know better
    /// than the recording what was sent.
    #[must_use]
    pub fn edited(mut self, change: impl FnMut(&mut Entry)) -> Self {
        self.entries.iter_mut().for_each(change);
        self
    }

    /// A conversation with the same name and place, and no messages.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self {
            id: self.id.clone(),
            parent: self.parent.clone(),
            agent: self.agent.clone(),
            directory: self.directory.clone(),
            entries: Vec::new(),
        }
    }

    /// The entry at `index`.
    ///
    /// # Panics
    /// If `index` is not one of this conversation's.
    pub fn entry(&self, index: EntryIndex) -> &Entry {
        &self.entries[index.at()]
    }

    /// Indices of the model's responses. The prompt of each is the window before it.
    pub fn responses(&self) -> impl Iterator<Item = EntryIndex> + '_ {
        (0u32..).zip(&self.entries).filter_map(|(index, entry)| {
            (entry.role == Role::Assistant).then_some(EntryIndex(index))
        })
    }
}

/// A recorded session: the main conversation and those of its sub-agents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Session {
    /// The recording's id.
    pub id: String,
    /// Conversations, the main one first.
    pub conversations: Vec<Conversation>,
}

/// Which entries the client sends right now: leading system entries, then what compactions
/// and rewinds left. Advanced entry by entry; see [`Window::push`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    entries: Vec<EntryIndex>,
    next: u32,
}

/// What one more entry did to the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowChange {
    /// The entry was appended.
    Appended,
    /// The entry is not part of any prompt (an empty marker); nothing else changed.
    Skipped,
    /// Earlier entries left the window; the entries from this window position on differ.
    Cut {
        /// First window position whose entry is not what it was.
        from: usize,
    },
}

impl Window {
    /// The entries in prompt order.
    pub fn entries(&self) -> &[EntryIndex] {
        &self.entries
    }

    /// Takes the next entry of the conversation. Entries must come in order.
    pub fn push(&mut self, conversation: &Conversation) -> WindowChange {
        let index = EntryIndex(self.next);
        self.next += 1;
        let entry = conversation.entry(index);
        let change = match entry.mark {
            Mark::CompactBoundary { keep_from } => {
                let lead = self
                    .entries
                    .iter()
                    .take_while(|i| conversation.entry(**i).role == Role::System)
                    .count();
                let stays = |i: &EntryIndex| keep_from.is_some_and(|from| *i >= from);
                let goes = self.entries[lead..].iter().position(|i| !stays(i));
                let Some(first) = goes else { return WindowChange::Skipped };
                let mut at = 0;
                self.entries.retain(|i| {
                    at += 1;
                    at <= lead || stays(i)
                });
                // The boundary itself is the client's mark, not a message.
                return WindowChange::Cut { from: lead + first };
            }
            Mark::Rewind { to } => {
                let from = self.entries.partition_point(|i| *i < to);
                self.entries.truncate(from);
                WindowChange::Cut { from }
            }
            Mark::None | Mark::Injected | Mark::Demonstration | Mark::CompactSummary => {
                WindowChange::Appended
            }
        };
        let sent = entry
            .blocks
            .iter()
            .any(|block| !matches!(block, Block::Reasoning(_) | Block::Opaque { .. }));
        if sent {
            self.entries.push(index);
            change
        } else if change == WindowChange::Appended {
            WindowChange::Skipped
        } else {
            change
        }
    }
}
