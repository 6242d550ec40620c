//! The sessions that coding agents keep on this machine.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use foveal_wire::Format;

use super::file::{FindError, FoundSessions, SessionFile, without_compression};
use super::{beside, find, opencode, own_runs};
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
    find: Find,
}

/// Finds the sessions in a folder.
type Find = fn(&Path, Option<Format>) -> FoundSessions;

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
    let files = |agent, folder: Option<PathBuf>, below, find| {
        let folder = folder?.join(below);
        Some(AgentFolder { agent, folder, also: None, unit: "file", find })
    };
    let cline = environment.cline.clone().or_else(|| environment.in_home(".cline"));
    let cline = environment.cline_data.clone().or_else(|| Some(cline?.join("data")));
    let opencode = data.map(|data| {
        let folder = data.join("opencode");
        let also = environment.opencode_database.as_ref().map(|path| folder.join(path));
        AgentFolder { agent: "opencode", folder, also, unit: "session", find: opencodes }
    });
    [
        files("Claude Code", environment.claude_folder(), "projects", lines as Find),
        files("Codex", environment.codex_folder(), "sessions", lines),
        files("Codex (archived)", environment.codex_folder(), "archived_sessions", lines)
            .filter(|place| place.folder.is_dir()),
        files("Gemini CLI", environment.in_home(".gemini"), "tmp", gemini_chats),
        files("Qwen Code", environment.in_home(".qwen"), "projects", lines),
        files("Cline", cline, "sessions", cline_messages),
        files("pi", environment.in_home(".pi/agent"), "sessions", lines),
        opencode,
        environment.data_folder().map(|data| {
            let (agent, folder) = ("foveal", data.join("foveal"));
            AgentFolder { agent, folder, also: None, unit: "session", find: own_runs::runs_in }
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn lines(folder: &Path, format: Option<Format>) -> FoundSessions {
    let is_lines = |path: &Path| {
        without_compression(path).extension().is_some_and(|extension| extension == "jsonl")
    };
    files(folder, format, is_lines)
}

/// Beside its sessions Gemini CLI keeps what tools printed, and logs.
fn gemini_chats(folder: &Path, format: Option<Format>) -> FoundSessions {
    files(folder, format, |path| path.components().any(|part| part.as_os_str() == "chats"))
}

/// Beside the messages of a session Cline keeps what it says of it elsewhere.
fn cline_messages(folder: &Path, format: Option<Format>) -> FoundSessions {
    files(folder, format, beside::has_cline_messages)
}

/// The files at and below `folder` that `is_one` takes for sessions.
fn files(folder: &Path, format: Option<Format>, is_one: impl Fn(&Path) -> bool) -> FoundSessions {
    let mut found = match find::find(&[folder.to_owned()], format) {
        Ok(found) => found,
        Err(FindError::Missing { .. } | FindError::NoFiles { .. }) => FoundSessions::default(),
        Err(error) => FoundSessions { files: Vec::new(), unlisted: vec![error] },
    };
    found.files.retain(|file| is_one(&file.path));
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
