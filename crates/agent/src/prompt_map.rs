//! What stands in a prompt, as a map: block by block, with what each takes and costs, and why it is
//! there or gone. Whoever decides about prompts makes it; whoever shows them draws it.

use serde::Serialize;

/// A prompt, block by block, in its order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PromptMap {
    /// All that was said, what is gone included.
    pub blocks: Vec<PromptBlock>,
    /// Tokens of the prompt as the provider billed it last; `None` before the first answer.
    pub tokens_billed: Option<u64>,
    /// Tokens that the model can hold, where that is known.
    pub window: Option<u64>,
}

/// One block of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptBlock {
    /// Where it stands.
    pub place: BlockPlace,
    /// What it is.
    pub kind: BlockKind,
    /// The file that it speaks of, as the call named it, where it is one.
    pub path: Option<String>,
    /// What it is, in a few words for a person: the call, or the first words.
    pub title: String,
    /// Tokens of all of it.
    pub tokens_whole: u64,
    /// Tokens of what the model is sent of it.
    pub tokens_sent: u64,
    /// US dollars that it came to so far, in all prompts that it stood in.
    pub cost: f64,
    /// How much of it is sent.
    pub state: BlockState,
    /// Why it is sent so, in a few words.
    pub why: String,
    /// US dollars that the next request costs more if all of it is sent again; `None` where all of
    /// it is sent, or it cannot be changed.
    pub restore_cost: Option<f64>,
    /// US dollars that the next request costs more if it becomes a short note; less than zero where
    /// that pays at once. `None` where it cannot be changed.
    pub drop_cost: Option<f64>,
}

/// Where a block of a prompt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockPlace {
    /// The descriptions of all tools.
    Tools,
    /// A block of a message; the system prompt is the first one.
    Message {
        /// The message, from 0.
        entry: usize,
        /// Its block, from 0.
        block: usize,
    },
}

/// What a block of a prompt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// The system prompt.
    System,
    /// Descriptions of tools.
    Tools,
    /// What the person said.
    User,
    /// What the model said.
    Assistant,
    /// What the model thought.
    Reasoning,
    /// A call of a tool.
    Call,
    /// What was read of a file.
    Read,
    /// What a search found.
    Search,
    /// What a folder holds.
    List,
    /// What a command printed.
    Run,
    /// The answer to a change of files.
    Edit,
    /// A page.
    Fetch,
    /// Anything else.
    Other,
}

/// How much of a block the model is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockState {
    /// All of it.
    Whole,
    /// A part, or a note in its place.
    Reduced,
    /// All of it, because the person wants it to stay.
    Pinned,
    /// A note in its place, because the person dropped it.
    Dropped,
}

/// What a person wants changed in a prompt. It holds from the next request on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapChange {
    /// Send a short note in place of the block.
    Drop(BlockPlace),
    /// Send all of the block, and keep it so.
    Pin(BlockPlace),
    /// Send all of the block again; what becomes of it later is decided as for others.
    Restore(BlockPlace),
    /// Take back the last of these changes.
    Undo,
}
