//! The sessions that coding agents keep on this machine.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use foveal_wire::Format;

use super::file::{FindError, FoundSessions, SessionFile};
use super::{find, opencode};
use crate::environment::Environment;
use crate::numbers::plural;

/// Where one agent keeps its sessions.
#[derive(Debug, Clone)]
pub(crate) struct AgentFolder {
    /// The agent's name.
    pub(crate) agent: &'static str,
    /// The folder.
    pub(crate) folder: PathBuf,
    /// A file elsewhere.
    also: Option<PathBuf>,
    /// What one of the files there is called.
    unit: &'static str,
    /// Finds the sessions in the folder.
    find: fn(&Path, Option<Format>) -> FoundSessions,
}

/// What a place holds.
#[derive(Debug)]
pub(crate) struct AgentSessions {
    /// The place.
    pub(crate) place: AgentFolder,
    /// The session files there.
    pub(crate) files: Vec<SessionFile>,
    /// Folders there that could not be listed.
    pub(crate) unlisted: Vec<FindError>,
}

/// The places where agents keep sessions, whether they exist or not.
pub(crate) fn places(environment: &Environment) -> Vec<AgentFolder> {
    // opencode uses these folders on every platform.
    let data = environment.data.clone().or_else(|| environment.in_home(".local/share"));
    let files = |agent, folder: Option<PathBuf>, below| {
        let folder = folder?.join(below);
        Some(AgentFolder { agent, folder, also: None, unit: "file", find: lines })
    };
    let opencode = data.map(|data| {
        let folder = data.join("opencode");
        let also = environment.opencode_database.as_ref().map(|path| folder.join(path));
        AgentFolder { agent: "opencode", folder, also, unit: "session", find: opencodes }
    });
    [
        files("Claude Code", environment.claude_folder(), "projects"),
        files("Codex", environment.codex_folder(), "sessions"),
        opencode,
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn lines(folder: &Path, format: Option<Format>) -> FoundSessions {
    let mut found = match find::find(&[folder.to_owned()], format) {
        Ok(found) => found,
        Err(FindError::Missing { .. } | FindError::NoFiles { .. }) => FoundSessions::default(),
        Err(error) => FoundSessions { files: Vec::new(), unlisted: vec![error] },
    };
    found.files.retain(|file| file.path.extension().is_some_and(|extension| extension == "jsonl"));
    found
}

fn opencodes(folder: &Path, format: Option<Format>) -> FoundSessions {
    let kept = opencode::in_data_folder(folder, format);
    FoundSessions { files: kept.files, unlisted: kept.unlisted }
}

/// Looks into every place for what is to be read in `format`, if the user named one.
pub(crate) fn look(places: Vec<AgentFolder>, format: Option<Format>) -> Vec<AgentSessions> {
    let look = |place: AgentFolder| {
        let FoundSessions { mut files, unlisted } = (place.find)(&place.folder, format);
        if let Some(also) = place.also.as_ref().filter(|path| path.is_file()) {
            // Nobody named it on the command line.
            files.extend(opencode::in_database(also, false, format).unwrap_or_default());
        }
        let mut known = HashSet::new();
        files.retain(|file| known.insert((file.path.clone(), file.session.clone())));
        AgentSessions { place, files, unlisted }
    };
    places.into_iter().map(look).collect()
}

/// What was found, a line a place.
pub(crate) fn describe(kept: &[AgentSessions]) -> String {
    let mut text = String::new();
    for AgentSessions { place, files, .. } in kept {
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
