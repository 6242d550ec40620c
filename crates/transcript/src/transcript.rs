//! The transcript: a recorded conversation, append-only, the ground truth.
//!
//! Session readers and codecs produce these types; the engine only reads them. A
//! [`TranscriptEntry`] is one message. A tool entry holds exactly one tool result, so that an
//! [`EntryIndex`] identifies a result without a second number.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, as recorded. This crate never reads a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Returns the milliseconds from `earlier` to `self`; negative if the records are out of order.
    pub fn since_ms(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The 0-based position of an entry in its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryIndex(pub u32);

impl EntryIndex {
    /// Returns the index as a slice position.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// A 1-based line number. An answer never shows more than four billion lines; of larger files, the
/// first four billion lines can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LineNumber(pub u32);

impl LineNumber {
    /// The first line.
    pub const FIRST: Self = Self(1);

    /// Returns the number of the line at the 0-based `index`.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX - 1).saturating_add(1))
    }

    /// Returns the 0-based index of the line.
    pub fn index(self) -> usize {
        self.0.saturating_sub(1) as usize
    }
}

impl fmt::Display for LineNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The position of an entry in the recording: the step (1-based, as ATIF counts) and, for a tool
/// result, its place among the results of that step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordingPosition {
    /// 1-based step of the recording.
    pub step: u32,
    /// 0-based place among the step's results; `None` for the step's own message.
    pub result: Option<u16>,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MessageRole {
    /// Instructions that precede the conversation.
    System,
    /// The user, or text that the client adds in their name.
    User,
    /// The model.
    Assistant,
    /// A tool; the entry holds one [`ContentBlock::Result`].
    Tool,
}

/// The role of an entry in the course of the conversation, beyond its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum EntryMark {
    /// An ordinary message.
    #[default]
    None,
    /// Text that the client inserted on its own (reminders, hook output, skill texts).
    Injected,
    /// A worked example that precedes the task.
    Demonstration,
    /// The client compacted the conversation: it no longer sends the entries before this one,
    /// except the leading system entries and, if `keep_from` is set, the entries from there on.
    CompactBoundary {
        /// First earlier entry that stays in the prompt.
        keep_from: Option<EntryIndex>,
    },
    /// The summary that takes the compacted history's place.
    CompactSummary,
    /// The conversation went back: the client no longer sends the entries from `to` up to this one.
    /// This entry itself is sent unless it is empty.
    Rewind {
        /// First entry that is dropped.
        to: EntryIndex,
    },
}

/// Token counts that a provider reported for one response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Uncached input tokens (Anthropic's meaning: cached tokens are not included).
    pub input: u64,
    /// Input tokens read from the provider's cache.
    pub cache_read: u64,
    /// Input tokens written to the provider's cache.
    pub cache_write: u64,
    /// The part of `cache_write` that Anthropic keeps for an hour, if reported.
    #[serde(default)]
    pub cache_write_hour: u64,
    /// Output tokens.
    pub output: u64,
}

impl Usage {
    /// Returns the tokens of the whole prompt, cached or not.
    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

/// A tool call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id, which the result refers to.
    pub id: String,
    /// The tool's name as the client spells it.
    pub name: String,
    /// The recorded arguments; an object for nearly every tool.
    pub arguments: serde_json::Value,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The [`ToolCall::id`] that this result answers.
    pub call: String,
    /// The text that the model received, all text parts joined by newlines.
    pub content: String,
    /// Whether the client flagged the result as an error.
    pub is_error: bool,
}

/// The kind of the [`ContentBlock::Opaque`] beside a read result that the client recorded as
/// showing only part of the file: `{"startLine":17,"numLines":1,"totalLines":300}`. It is not sent
/// to the model.
pub const PARTIAL_READ_KIND: &str = "part of a file";

/// One content part of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ContentBlock {
    /// Text of the user, the model or the system.
    Text(String),
    /// The model's reasoning. Kept for reading; not counted as part of later prompts.
    Reasoning(String),
    /// A tool call.
    Call(ToolCall),
    /// A tool result; occurs only in entries of [`MessageRole::Tool`].
    Result(ToolResult),
    /// Content that this version does not understand, byte for byte.
    Opaque {
        /// The name of the kind in the recording.
        kind: String,
        /// The recorded JSON text.
        raw: String,
    },
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TranscriptEntry {
    /// The position in the recording.
    pub source: RecordingPosition,
    /// The author.
    pub role: MessageRole,
    /// The recorded time, if any.
    pub time: Option<Timestamp>,
    /// The role in the course of the conversation.
    pub mark: EntryMark,
    /// The model that produced the entry, if recorded.
    pub model: Option<Arc<str>>,
    /// The reported usage of the response that produced the entry.
    pub usage: Option<Usage>,
    /// The content, in order.
    pub blocks: Vec<ContentBlock>,
}

impl TranscriptEntry {
    /// Returns the tool result of a tool entry.
    pub fn tool_result(&self) -> Option<&ToolResult> {
        self.blocks.iter().find_map(|block| match block {
            ContentBlock::Result(result) => Some(result),
            ContentBlock::Text(_)
            | ContentBlock::Reasoning(_)
            | ContentBlock::Call(_)
            | ContentBlock::Opaque { .. } => None,
        })
    }

    /// Returns the tool calls of this entry, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            ContentBlock::Call(call) => Some(call),
            ContentBlock::Text(_)
            | ContentBlock::Reasoning(_)
            | ContentBlock::Result(_)
            | ContentBlock::Opaque { .. } => None,
        })
    }

    /// Returns the text blocks, joined by newlines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for block in &self.blocks {
            if let ContentBlock::Text(part) = block {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part);
            }
        }
        text
    }

    /// Returns the entry as the text of one prompt message: the content of a tool result; otherwise
    /// the text blocks, followed for each call by a line with its name, a space and its arguments
    /// as compact JSON. Leaves out reasoning and opaque blocks.
    pub fn prompt_text(&self) -> String {
        if let Some(result) = self.tool_result() {
            return result.content.clone();
        }
        let mut text = self.text();
        for call in self.tool_calls() {
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

/// The kind of a [`ContentBlock::Opaque`] at a result that names the conversations of the
/// sub-agents that carried out the call: a JSON list of objects, each with a `trajectory_id`.
pub const SUB_AGENT_REFERENCE_KIND: &str = "subagent_trajectory_ref";

/// The conversation of one agent with a model. Each sub-agent has its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conversation {
    /// The recording's id for the conversation; unique within a session.
    pub id: String,
    /// The id of the conversation that started this one, for sub-agents.
    pub parent: Option<String>,
    /// The name of the agent ("Claude Code"), if recorded.
    pub agent: Option<String>,
    /// The working directory at the start, if recorded.
    pub directory: Option<String>,
    /// Whether the results of foveal's own tools are recorded whole, as foveal's own agent records
    /// them before it shapes its requests.
    #[serde(default)]
    pub has_unshaped_results: bool,
    entries: Vec<TranscriptEntry>,
}

impl FromIterator<TranscriptEntry> for Conversation {
    fn from_iter<I: IntoIterator<Item = TranscriptEntry>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect(), ..Self::default() }
    }
}

impl Conversation {
    /// Returns the messages, in order.
    pub fn entries(&self) -> &[TranscriptEntry] {
        &self.entries
    }

    /// Appends a message. Entries are never removed.
    ///
    /// # Panics
    /// If there are more entries than an [`EntryIndex`] can count.
    pub fn push(&mut self, entry: TranscriptEntry) -> EntryIndex {
        let index = u32::try_from(self.entries.len()).expect("4 billion messages are no recording");
        self.entries.push(entry);
        EntryIndex(index)
    }

    /// Returns the conversation with `change` applied to each entry, for session readers that know
    /// better than the recording what was sent.
    #[must_use]
    pub fn map_entries(mut self, change: impl FnMut(&mut TranscriptEntry)) -> Self {
        self.entries.iter_mut().for_each(change);
        self
    }

    /// Returns a conversation with the same metadata and no messages.
    #[must_use]
    pub fn without_entries(&self) -> Self {
        Self {
            id: self.id.clone(),
            parent: self.parent.clone(),
            agent: self.agent.clone(),
            directory: self.directory.clone(),
            has_unshaped_results: self.has_unshaped_results,
            entries: Vec::new(),
        }
    }

    /// Returns the entry at `index`.
    ///
    /// # Panics
    /// If `index` is out of range.
    pub fn entry(&self, index: EntryIndex) -> &TranscriptEntry {
        &self.entries[index.as_usize()]
    }

    /// Returns the indices of the responses of the model. The prompt of each is the client prompt
    /// before it.
    pub fn response_indices(&self) -> impl Iterator<Item = EntryIndex> + '_ {
        (0u32..).zip(&self.entries).filter_map(|(index, entry)| {
            (entry.role == MessageRole::Assistant).then_some(EntryIndex(index))
        })
    }
}

/// A recorded session: the main conversation and those of its sub-agents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecordedSession {
    /// The recording's id.
    pub id: String,
    /// The conversations, the main one first.
    pub conversations: Vec<Conversation>,
}

/// The entries that the client currently sends: the leading system entries, then the entries that
/// compactions and rewinds left. [`ClientPrompt::push`] advances it entry by entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientPrompt {
    entries: Vec<EntryIndex>,
    next: u32,
}

/// The effect of one more entry on the client prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientPromptChange {
    /// The entry was appended.
    Appended,
    /// The entry is part of no prompt (an empty marker); nothing else changed.
    Skipped,
    /// Earlier entries left the prompt; the entries from this position on differ.
    Cut {
        /// The first position in the prompt whose entry changed.
        from: usize,
    },
}

impl ClientPrompt {
    /// Returns the entries in prompt order.
    pub fn entries(&self) -> &[EntryIndex] {
        &self.entries
    }

    /// Adds the next entry of the conversation. Entries must come in order.
    pub fn push(&mut self, conversation: &Conversation) -> ClientPromptChange {
        let index = EntryIndex(self.next);
        self.next += 1;
        let entry = conversation.entry(index);
        let change = match entry.mark {
            EntryMark::CompactBoundary { keep_from } => {
                let lead = self
                    .entries
                    .iter()
                    .take_while(|i| conversation.entry(**i).role == MessageRole::System)
                    .count();
                let stays = |i: &EntryIndex| keep_from.is_some_and(|from| *i >= from);
                let goes = self.entries[lead..].iter().position(|i| !stays(i));
                let Some(first) = goes else { return ClientPromptChange::Skipped };
                let mut at = 0;
                self.entries.retain(|i| {
                    at += 1;
                    at <= lead || stays(i)
                });
                // The boundary itself is a marker of the client, not a message.
                return ClientPromptChange::Cut { from: lead + first };
            }
            EntryMark::Rewind { to } => {
                let from = self.entries.partition_point(|i| *i < to);
                self.entries.truncate(from);
                ClientPromptChange::Cut { from }
            }
            EntryMark::None
            | EntryMark::Injected
            | EntryMark::Demonstration
            | EntryMark::CompactSummary => ClientPromptChange::Appended,
        };
        let sent = entry.blocks.iter().any(|block| {
            !matches!(block, ContentBlock::Reasoning(_) | ContentBlock::Opaque { .. })
        });
        if sent {
            self.entries.push(index);
            change
        } else if change == ClientPromptChange::Appended {
            ClientPromptChange::Skipped
        } else {
            change
        }
    }
}
