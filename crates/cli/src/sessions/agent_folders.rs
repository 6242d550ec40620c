//! Finds the sessions that coding agents store on this machine.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use foveal_wire::SessionFormat;

use super::session_file::{FindError, FoundSessions, SessionFile, strip_compression_extension};
use super::{discovery, opencode, sidecar_files, stored_runs};
use crate::environment::Environment;
use crate::numbers::format_plural;

/// The place where one agent stores its sessions.
#[derive(Debug, Clone)]
pub(crate) struct AgentFolder {
    pub(crate) agent: &'static str,
    pub(crate) folder: PathBuf,
    /// A database outside of the folder.
    extra_database: Option<PathBuf>,
    /// The noun for one of its sessions in a count.
    unit: &'static str,
    /// Finds the sessions in the folder.
    find_sessions: FindSessions,
}

/// A function that finds the sessions in a folder.
type FindSessions = fn(&Path, Option<SessionFormat>) -> FoundSessions;

/// The sessions of one agent.
#[derive(Debug)]
pub(crate) struct AgentSessions {
    pub(crate) agent_folder: AgentFolder,
    pub(crate) files: Vec<SessionFile>,
    /// The folders that could not be listed.
    pub(crate) unlisted: Vec<FindError>,
}

/// Returns the places where agents store sessions, whether they exist or not.
pub(crate) fn list_agent_folders(environment: &Environment) -> Vec<AgentFolder> {
    // opencode uses these folders on every platform.
    let data = environment.data_home.clone().or_else(|| environment.path_in_home(".local/share"));
    let files = |agent, folder: Option<PathBuf>, below, find| {
        let folder = folder?.join(below);
        Some(AgentFolder { agent, folder, extra_database: None, unit: "file", find_sessions: find })
    };
    let cline = environment.cline.clone().or_else(|| environment.path_in_home(".cline"));
    let cline = environment.cline_data.clone().or_else(|| Some(cline?.join("data")));
    let opencode = data.map(|data| {
        let folder = data.join("opencode");
        let also = environment.opencode_database.as_ref().map(|path| folder.join(path));
        AgentFolder {
            agent: "opencode",
            folder,
            extra_database: also,
            unit: "session",
            find_sessions: find_opencode_sessions,
        }
    });
    [
        files(
            "Claude Code",
            environment.claude_folder(),
            "projects",
            find_jsonl_files as FindSessions,
        ),
        files("Codex", environment.codex_folder(), "sessions", find_jsonl_files),
        files(
            "Codex (archived)",
            environment.codex_folder(),
            "archived_sessions",
            find_jsonl_files,
        )
        .filter(|place| place.folder.is_dir()),
        files("Gemini CLI", environment.path_in_home(".gemini"), "tmp", find_gemini_chats),
        files("Qwen Code", environment.path_in_home(".qwen"), "projects", find_jsonl_files),
        files("Cline", cline, "sessions", find_cline_messages),
        files("pi", environment.path_in_home(".pi/agent"), "sessions", find_jsonl_files),
        opencode,
        environment.data_folder().map(|data| {
            let (agent, folder) = ("foveal", data.join("foveal"));
            AgentFolder {
                agent,
                folder,
                extra_database: None,
                unit: "session",
                find_sessions: stored_runs::find_runs,
            }
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn find_jsonl_files(folder: &Path, format: Option<SessionFormat>) -> FoundSessions {
    let is_lines = |path: &Path| {
        strip_compression_extension(path).extension().is_some_and(|extension| extension == "jsonl")
    };
    find_matching_files(folder, format, is_lines)
}

/// Finds Gemini CLI's chats. Its folder holds tool outputs and logs as well.
fn find_gemini_chats(folder: &Path, format: Option<SessionFormat>) -> FoundSessions {
    find_matching_files(folder, format, |path| {
        path.components().any(|part| part.as_os_str() == "chats")
    })
}

/// Finds Cline's message files. Its folder holds metadata of sessions as well.
fn find_cline_messages(folder: &Path, format: Option<SessionFormat>) -> FoundSessions {
    find_matching_files(folder, format, sidecar_files::is_cline_messages_file)
}

/// Returns the session files at and below `folder` for which `is_one` holds.
fn find_matching_files(
    folder: &Path,
    format: Option<SessionFormat>,
    is_one: impl Fn(&Path) -> bool,
) -> FoundSessions {
    let mut found = match discovery::find_session_files(&[folder.to_owned()], format) {
        Ok(found) => found,
        Err(FindError::Missing { .. } | FindError::NoFiles { .. }) => FoundSessions::default(),
        Err(error) => FoundSessions { files: Vec::new(), unlisted: vec![error] },
    };
    found.files.retain(|file| is_one(&file.path));
    found
}

fn find_opencode_sessions(folder: &Path, format: Option<SessionFormat>) -> FoundSessions {
    let kept = opencode::find_in_data_folder(folder, format);
    FoundSessions { files: kept.files, unlisted: kept.unlisted }
}

/// Finds the sessions of each agent that can be read in `format`, if the user named one.
pub(crate) fn find_agent_sessions(
    places: Vec<AgentFolder>,
    format: Option<SessionFormat>,
) -> Vec<AgentSessions> {
    let look = |place: AgentFolder| {
        let FoundSessions { mut files, unlisted } = (place.find_sessions)(&place.folder, format);
        if let Some(also) = place.extra_database.as_ref().filter(|path| path.is_file()) {
            // The user did not name this database on the command line.
            files.extend(opencode::find_in_database(also, false, format).unwrap_or_default());
        }
        let mut known = HashSet::new();
        files.retain(|file| known.insert((file.path.clone(), file.session.clone())));
        AgentSessions { agent_folder: place, files, unlisted }
    };
    places.into_iter().map(look).collect()
}

/// Returns one line for each agent with the number of its sessions.
pub(crate) fn describe_sessions(kept: &[AgentSessions]) -> String {
    let mut text = String::new();
    for AgentSessions { agent_folder: place, files, .. } in kept {
        let folder = place.folder.display();
        let _ = match files.len() {
            0 => writeln!(text, "{}: nothing in {folder}", place.agent),
            many => {
                let many = format_plural(many as u64, place.unit);
                writeln!(text, "{}: {many} in {folder}", place.agent)
            }
        };
    }
    text
}

/// The advice for a user without any recorded session.
pub(crate) const NO_SESSIONS_HINT: &str = "no recorded sessions were found: name a file or folder, or try \
`foveal replay examples/sessions` in foveal's source folder";
