//! How a model gets omitted content back.

use foveal_engine::note::Note;

/// The shell command that prints the content of a handle.
const EXPAND_COMMAND: &str = "foveal expand";

/// The way that notes offer to the omitted content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HandleStyle {
    /// The tool `expand`, with a handle.
    #[default]
    Expand,
    /// foveal's own shell command, with a handle.
    Command,
    /// The result's long hash, for a tool of another program.
    Hash,
}

impl HandleStyle {
    /// Returns the text of a note that names a handle.
    pub fn render_note(self, note: &Note) -> String {
        match self {
            Self::Command => note.display_with_command(EXPAND_COMMAND).to_string(),
            Self::Expand | Self::Hash => note.to_string(),
        }
    }
}
