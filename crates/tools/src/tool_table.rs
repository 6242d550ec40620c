//! The table of all tools.

use crate::tool;

pub use crate::tool_definition::{RepeatPolicy, Tool, ToolHints};

/// A selection of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolSet {
    /// The six tools that reading and changing a code base need, for use beside an agent's own
    /// tools.
    Lean,
    /// All tools.
    #[default]
    Full,
}

impl ToolSet {
    /// Returns the tools of the set, in the order of the table.
    pub fn tools(self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(move |tool| self == Self::Full || tool.is_lean)
    }
}

/// All tools, in the order in which clients list them.
pub const TOOLS: &[Tool] = &[
    tool::read_file::TOOL,
    tool::read_lines::TOOL,
    tool::read_files::TOOL,
    tool::write_file::TOOL,
    tool::edit_file::TOOL,
    tool::multi_edit::TOOL,
    tool::grep::TOOL,
    tool::glob::TOOL,
    tool::list::TOOL,
    tool::outline::TOOL,
    tool::search_code::TOOL,
    tool::graph::TOOL,
    tool::map::TOOL,
    tool::bash::TOOL,
    tool::terminal::EXEC,
    tool::terminal::WRITE_STDIN,
    tool::terminal::CLOSE,
    tool::terminal::TERMINALS,
    tool::web_fetch::TOOL,
    tool::expand::TOOL,
    tool::focus::FOCUS,
    tool::focus::UNFOCUS,
    tool::reset::TOOL,
];

/// Returns the tool of this name.
pub fn find_tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
