//! What the program takes from its surroundings: the one place that reads the environment.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use crate::colour::{ColourChoice, Painter};
use foveal_embedder::{ApiKey, KEY_VARIABLE};

/// The surroundings, read once at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// The user's home folder.
    pub(crate) home: Option<PathBuf>,
    /// Where Claude Code keeps its data, if the user moved it.
    pub(crate) claude: Option<PathBuf>,
    /// Where Codex keeps its data, if the user moved it.
    pub(crate) codex: Option<PathBuf>,
    /// Where programs keep the user's data, if the user moved it.
    pub(crate) data: Option<PathBuf>,
    /// opencode's database, if the user moved it; relative to its folder of data.
    pub(crate) opencode_database: Option<PathBuf>,
    /// The key for an embedding server.
    pub(crate) embeddings_key: Option<ApiKey>,
    /// Whether standard output is a terminal that wants colour, or the user asked for it.
    pub(crate) colour: bool,
}

impl Environment {
    /// The folder for the user's data of all programs: `XDG_DATA_HOME`, or `.local/share` in
    /// the home folder.
    pub(crate) fn data_folder(&self) -> Option<PathBuf> {
        let own = self.home.as_ref().map(|home| home.join(".local").join("share"));
        // The specification has relative paths ignored.
        self.data.clone().filter(|path| path.is_absolute()).or(own)
    }

    /// What prints for standard output.
    pub(crate) fn painter(&self) -> Painter {
        Painter { on: self.colour }
    }

    /// Reads the environment of this process.
    pub(crate) fn read(choice: ColourChoice) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let refused = variable("NO_COLOR").is_some() || dumb;
        Self {
            home: path("HOME").or_else(|| path("USERPROFILE")),
            claude: path("CLAUDE_CONFIG_DIR"),
            codex: path("CODEX_HOME"),
            data: path("XDG_DATA_HOME"),
            opencode_database: path("OPENCODE_DB").filter(|path| path.as_os_str() != ":memory:"),
            embeddings_key: variable(KEY_VARIABLE)
                .and_then(|key| ApiKey::new(&key.to_string_lossy())),
            colour: match choice {
                ColourChoice::Auto => std::io::stdout().is_terminal() && !refused,
                ColourChoice::Always => true,
                ColourChoice::Never => false,
            },
        }
    }
}

/// An empty variable counts as unset.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn path(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
}
