//! A block of the displayed transcript.

use std::rc::Rc;

use ratatui_core::text::Line;

use super::tool_block::ToolBlock;

/// A block with its display state.
#[derive(Debug)]
pub(crate) struct TranscriptItem {
    pub(crate) block: ChatBlock,
    /// Whether the whole block is shown.
    pub(crate) is_expanded: bool,
    /// The block's lines in the last layout; `None` where the block has changed since.
    pub(super) cached_lines: Option<CachedLines>,
}

/// The laid-out lines of a block.
#[derive(Debug, Clone)]
pub(super) struct CachedLines {
    /// The width of the layout.
    pub(super) columns: usize,
    pub(super) lines: Rc<[Line<'static>]>,
}

/// A block of the displayed transcript.
#[derive(Debug)]
pub(crate) enum ChatBlock {
    /// A message of the user.
    User(String),
    /// A part of the model's answer.
    Reply(String),
    /// A model's reasoning.
    Thinking {
        thinker: Thinker,
        text: String,
        began_ms: u64,
        /// The duration; `None` while the reasoning continues.
        took_ms: Option<u64>,
    },
    /// A tool call.
    Tool(Box<ToolBlock>),
    /// A message of foveal.
    Notice(NoticeLevel, String),
    /// The finished work of the model that describes files for the index.
    Indexing { summary: String, reasoning: String },
}

/// The model whose reasoning a block shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinker {
    /// The model that answers.
    Main,
    /// The model that chooses lines of a file.
    Curator,
}

/// The level of a message of foveal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeLevel {
    /// Information.
    Info,
    /// A warning.
    Warning,
    /// A failure.
    Error,
}

impl TranscriptItem {
    pub(crate) fn new(block: ChatBlock) -> Self {
        Self { block, is_expanded: false, cached_lines: None }
    }

    /// Returns whether expansion shows more of the block.
    pub(crate) fn is_expandable(&self) -> bool {
        match &self.block {
            ChatBlock::Tool(_) => true,
            ChatBlock::Thinking { took_ms, .. } => took_ms.is_some(),
            ChatBlock::Indexing { reasoning, .. } => !reasoning.is_empty(),
            ChatBlock::User(_) | ChatBlock::Reply(_) | ChatBlock::Notice(..) => false,
        }
    }

    /// Returns whether the block's lines change as time passes.
    pub(super) fn is_animated(&self) -> bool {
        match &self.block {
            ChatBlock::Tool(tool) => tool.is_animated(),
            ChatBlock::Thinking { took_ms, .. } => took_ms.is_none(),
            ChatBlock::User(_)
            | ChatBlock::Reply(_)
            | ChatBlock::Notice(..)
            | ChatBlock::Indexing { .. } => false,
        }
    }
}
