//! The sessions that coding agents keep on this machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::find::{self, SessionFile};
use crate::environment::Environment;
use crate::numbers::plural;

/// Where one agent keeps its sessions.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The agent's name.
    pub(crate) agent: &'static str,
    /// The folder.
    pub(crate) folder: PathBuf,
    /// Which of the files there are sessions.
    accepts: fn(&Path) -> bool,
}

/// What a place holds.
#[derive(Debug)]
pub(crate) struct Kept {
    /// The place.
    pub(crate) place: Place,
    /// The session files there.
    pub(crate) files: Vec<SessionFile>,
}

/// The places where agents keep sessions, whether they exist or not.
pub(crate) fn places(environment: &Environment) -> Vec<Place> {
    let home = |below: &str| environment.home.as_ref().map(|home| home.join(below));
    let claude = environment.claude.clone().or_else(|| home(".claude"));
    let codex = environment.codex.clone().or_else(|| home(".codex"));
    let data = environment.data.clone().or_else(|| home(".local/share"));
    let place = |agent, folder: Option<PathBuf>, below, accepts: fn(&Path) -> bool| {
        folder.map(|folder| Place { agent, folder: folder.join(below), accepts })
    };
    [
        place("Claude Code", claude, "projects", is_lines),
        place("Codex", codex, "sessions", is_lines),
        place("opencode", data, "opencode", is_export),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

/// opencode keeps the parts of a session in thousands of small files below `storage`; only
/// what its `export` command wrote is a session by itself.
fn is_export(path: &Path) -> bool {
    let in_parts = path.components().any(|part| part.as_os_str() == "storage");
    path.extension().is_some_and(|extension| extension == "json") && !in_parts
}

/// Looks into every place.
pub(crate) fn look(places: Vec<Place>) -> Vec<Kept> {
    let files = |place: &Place| {
        let found = find::find(std::slice::from_ref(&place.folder)).unwrap_or_default();
        found.files.into_iter().filter(|file| (place.accepts)(&file.path)).collect()
    };
    places.into_iter().map(|place| Kept { files: files(&place), place }).collect()
}

/// What was found, a line a place.
pub(crate) fn describe(kept: &[Kept]) -> String {
    let mut text = String::new();
    for Kept { place, files } in kept {
        let folder = place.folder.display();
        let _ = match files.len() {
            0 => writeln!(text, "{}: nothing in {folder}", place.agent),
            many => writeln!(text, "{}: {} in {folder}", place.agent, plural(many as u64, "file")),
        };
    }
    text
}

/// What to do where nothing was found.
pub(crate) const NOTHING: &str = "no recorded sessions were found: name a file or folder, or try \
`foveal replay examples/sessions` in foveal's source folder (what opencode keeps has to be \
exported first: `opencode export SESSION > session.json`)";
