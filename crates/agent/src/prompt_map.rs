//! A map of the prompt: its blocks with their tokens, their costs, and the reasons why they are
//! sent, reduced or dropped. The prompt's shaper creates it; user interfaces show it.

use serde::Serialize;

/// The blocks of a prompt, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PromptMap {
    /// All blocks, including those that are not sent.
    pub blocks: Vec<PromptBlock>,
    /// Prompt tokens that the provider billed last; `None` before the first answer.
    pub tokens_billed: Option<u64>,
    /// The model's window in tokens, if known.
    pub window: Option<u64>,
    /// Whether the model's price is unknown, so that all costs are 0.
    pub has_unknown_cost: bool,
}

/// One block of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptBlock {
    /// The position in the prompt.
    pub place: PromptBlockPosition,
    /// The kind of content.
    pub kind: PromptBlockKind,
    /// The file that the block is about, as the call named it.
    pub path: Option<String>,
    /// A short title for the user: the call, or the first words.
    pub title: String,
    /// Tokens of the whole block.
    pub tokens_whole: u64,
    /// Tokens that are sent.
    pub tokens_sent: u64,
    /// US dollars that the block has cost so far, in all prompts that held it.
    pub cost: f64,
    /// The share of it that is sent.
    pub state: PromptBlockState,
    /// The reason for that state, in a few words.
    pub why: String,
    /// Additional US dollars of the next request if the whole block is sent again; `None` where it
    /// is sent whole or cannot be changed.
    pub restore_cost: Option<f64>,
    /// Additional US dollars of the next request if a short note replaces the block; negative where
    /// that saves at once. `None` where it cannot be changed.
    pub drop_cost: Option<f64>,
}

/// The position of a block in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptBlockPosition {
    /// The tool definitions.
    Tools,
    /// A block of a message; the system prompt is the first one.
    Message {
        /// The message's index, from 0.
        entry: usize,
        /// The block's index in the message, from 0.
        block: usize,
    },
}

/// The kind of a prompt block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptBlockKind {
    /// The system prompt.
    System,
    /// Tool definitions.
    Tools,
    /// Text of the user.
    User,
    /// Text of the model.
    Assistant,
    /// Reasoning of the model.
    Reasoning,
    /// A tool call.
    Call,
    /// Content of a file.
    Read,
    /// Hits of a search.
    Search,
    /// A directory listing.
    List,
    /// Output of a command.
    Run,
    /// The result of an edit.
    Edit,
    /// A web page.
    Fetch,
    /// Any other content.
    Other,
}

/// The share of a block that the model is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptBlockState {
    /// The whole block.
    Whole,
    /// A part, or a note in its place.
    Reduced,
    /// The whole block, because the user pinned it.
    Pinned,
    /// A note in its place, because the user dropped it.
    Dropped,
}

/// A user's override for a prompt, in force from the next request on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptMapChange {
    /// Replace the block by a short note.
    Drop(PromptBlockPosition),
    /// Send the whole block, and keep it whole.
    Pin(PromptBlockPosition),
    /// Send the whole block again; the engine may reduce it later like others.
    Restore(PromptBlockPosition),
    /// Undo the last change.
    Undo,
}
