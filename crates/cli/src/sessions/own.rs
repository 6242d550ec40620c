//! The sessions that coding agents keep on this machine.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use foveal_wire::Format;

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

/// opencode keeps sessions in many small files or a database; only what its `export`
/// command wrote is a session by itself, and a user may have put it there. Files with keys
/// are none of our business.
fn is_export(path: &Path) -> bool {
    let in_parts = path.components().any(|part| part.as_os_str() == STORAGE);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if in_parts || name.contains("auth") || !name.ends_with(".json") {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path)
        .and_then(|file| file.take(foveal_wire::DETECT_BYTES as u64).read_to_end(&mut head));
    read.is_ok() && foveal_wire::detect(&head) == Some(Format::OpenCode)
}

/// Where opencode keeps the parts of sessions, and where newer versions do.
const STORAGE: &str = "storage";
const DATABASE: &str = "opencode.db";

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
        let in_parts = [STORAGE, DATABASE].iter().any(|part| place.folder.join(part).exists());
        let _ = match files.len() {
            0 if in_parts => writeln!(
                text,
                "{}: sessions in parts in {folder}; to read one, export it: \
                 `opencode export SESSION > session.json`",
                place.agent
            ),
            0 => writeln!(text, "{}: nothing in {folder}", place.agent),
            many => writeln!(text, "{}: {} in {folder}", place.agent, plural(many as u64, "file")),
        };
    }
    text
}

/// What to do where nothing was found.
pub(crate) const NOTHING: &str = "no recorded sessions were found: name a file or folder, or try \
`foveal replay examples/sessions` in foveal's source folder";
