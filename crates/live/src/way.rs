//! How a model gets back what is left out.

use foveal_context::note::Note;

/// What gives back in a shell what a handle stands for.
const EXPAND_COMMAND: &str = "foveal expand";

/// How notes say what gives back what they stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// By the tool `expand`, with a handle.
    #[default]
    Expand,
    /// By foveal's own command in a shell, with a handle.
    Command,
    /// By the result's hash, in its long spelling, for a tool of somebody else's.
    Hash,
}

impl Way {
    /// Returns the text of a note that names the way back by its handle.
    pub fn spell(self, note: &Note) -> String {
        match self {
            Self::Command => note.by_command(EXPAND_COMMAND).to_string(),
            Self::Expand | Self::Hash => note.to_string(),
        }
    }
}
