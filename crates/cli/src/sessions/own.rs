//! The sessions that coding agents keep on this machine.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::find::{self, SessionFile};
use super::opencode;
use crate::environment::Environment;
use crate::numbers::plural;

/// Where one agent keeps its sessions.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The agent's name.
    pub(crate) agent: &'static str,
    /// The folder.
    pub(crate) folder: PathBuf,
    /// A file elsewhere.
    also: Option<PathBuf>,
    /// What one of the files there is called.
    unit: &'static str,
    /// Which of the files there are sessions.
    accepts: fn(&SessionFile) -> bool,
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
    let lines = |agent, folder: Option<PathBuf>, below| {
        let folder = folder?.join(below);
        Some(Place { agent, folder, also: None, unit: "file", accepts: is_lines })
    };
    let opencode = data.map(|data| {
        let folder = data.join("opencode");
        let also = environment.opencode_database.as_ref().map(|path| folder.join(path));
        Place { agent: "opencode", folder, also, unit: "session", accepts: is_opencode }
    });
    [lines("Claude Code", claude, "projects"), lines("Codex", codex, "sessions"), opencode]
        .into_iter()
        .flatten()
        .collect()
}

fn is_lines(file: &SessionFile) -> bool {
    file.path.extension().is_some_and(|extension| extension == "jsonl")
}

/// What opencode keeps itself, and exports that a user has put there. Files with keys are
/// none of our business.
fn is_opencode(file: &SessionFile) -> bool {
    let keys = file.path.file_name().is_some_and(|name| name.to_string_lossy().contains("auth"));
    !keys && (opencode::is_own(file) || opencode::is_export(&file.path))
}

/// Looks into every place.
pub(crate) fn look(places: Vec<Place>) -> Vec<Kept> {
    let files = |place: &Place| {
        let also = place.also.clone().filter(|path| path.is_file());
        let paths: Vec<PathBuf> = [Some(place.folder.clone()).filter(|path| path.is_dir()), also]
            .into_iter()
            .flatten()
            .collect();
        let found = find::find(&paths).unwrap_or_default();
        // Nobody named the file elsewhere on the command line.
        let files = found.files.into_iter().map(|file| SessionFile { named: false, ..file });
        files.filter(|file| (place.accepts)(file)).collect()
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
            many => {
                let many = plural(many as u64, place.unit);
                writeln!(text, "{}: {many} in {folder}", place.agent)
            }
        };
    }
    text
}

/// What to do where nothing was found.
pub(crate) const NOTHING: &str = "no recorded sessions were found: name a file or folder, or try \
`foveal replay examples/sessions` in foveal's source folder";
