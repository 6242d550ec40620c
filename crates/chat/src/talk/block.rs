//! One block of a chat.

use std::rc::Rc;

use ratatui_core::text::Line;

use super::tool::ToolBlock;

/// One block, and how it is shown.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) block: Block,
    /// Whether all of it is shown.
    pub(crate) is_expanded: bool,
    /// Its lines as they were made last; `None` where it has changed since.
    pub(super) laid: Option<Laid>,
}

/// The lines of a block.
#[derive(Debug, Clone)]
pub(super) struct Laid {
    /// For so many columns.
    pub(super) columns: usize,
    pub(super) lines: Rc<[Line<'static>]>,
}

/// What was said or done.
#[derive(Debug)]
pub(crate) enum Block {
    /// What the person said.
    User(String),
    /// What the model said, or a part of it.
    Reply(String),
    /// What the model thought.
    Thinking {
        text: String,
        began_ms: u64,
        /// How long it took; `None` while it goes on.
        took_ms: Option<u64>,
    },
    /// A call of a tool.
    Tool(Box<ToolBlock>),
    /// What foveal says.
    Note(NoteKind, String),
}

/// What kind of thing foveal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Something to know.
    Aside,
    /// Something to look at.
    Warning,
    /// Something that failed.
    Error,
}

impl Item {
    pub(crate) fn new(block: Block) -> Self {
        Self { block, is_expanded: false, laid: None }
    }

    /// Whether there is more to see of it than is shown unasked.
    pub(crate) fn can_expand(&self) -> bool {
        match &self.block {
            Block::Tool(_) => true,
            Block::Thinking { took_ms, .. } => took_ms.is_some(),
            Block::User(_) | Block::Reply(_) | Block::Note(..) => false,
        }
    }

    /// Whether it looks different as time passes.
    pub(super) fn is_live(&self) -> bool {
        match &self.block {
            Block::Tool(tool) => tool.is_live(),
            Block::Thinking { took_ms, .. } => took_ms.is_none(),
            Block::User(_) | Block::Reply(_) | Block::Note(..) => false,
        }
    }
}
