//! Finds the sessions that coding agents store on this machine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use foveal_session_readers::SessionFormat;

use super::session_file::{FindError, FoundSessions, SessionFile, strip_compression_extension};
use super::{discovery, opencode, sidecar_files};
use crate::user_environment::UserEnvironment;

/// A folder in which an agent stores its sessions.
#[derive(Debug)]
pub struct SessionFolder {
    /// The position among the folders of all agents. A request that several sessions record counts
    /// in the first.
    pub(crate) rank: u8,
    /// The name in messages.
    pub(crate) title: &'static str,
    pub(crate) folder: fn(&UserEnvironment) -> Option<PathBuf>,
    pub(crate) search: SessionSearch,
    /// Whether the folder is passed over if it does not exist.
    pub(crate) is_optional: bool,
}

/// The way to find the sessions in a folder.
#[derive(Debug)]
pub(crate) enum SessionSearch {
    /// Files of JSON lines, which may be compressed.
    JsonLines,
    /// Gemini CLI's chats, beside which its folder holds tool outputs and logs.
    GeminiChats,
    /// Cline's message files, beside which its folder holds metadata of sessions.
    ClineMessages,
    /// opencode's files and databases, and a database that the user moved.
    Opencode { database: fn(&UserEnvironment) -> Option<PathBuf> },
}

/// The sessions in one folder.
#[derive(Debug)]
pub struct AgentSessions {
    /// The agent's name in messages.
    pub title: &'static str,
    /// The folder.
    pub folder: PathBuf,
    /// The noun for one session in a count.
    pub unit: &'static str,
    /// The files with sessions.
    pub files: Vec<SessionFile>,
    /// The folders that could not be listed.
    pub unlisted: Vec<FindError>,
}

/// Finds the sessions in each of `folders` that can be read in `format`, if the user named one.
pub fn find_agent_sessions(
    folders: impl IntoIterator<Item = &'static SessionFolder>,
    environment: &UserEnvironment,
    format: Option<SessionFormat>,
) -> Vec<AgentSessions> {
    let mut folders: Vec<&SessionFolder> = folders.into_iter().collect();
    folders.sort_by_key(|folder| folder.rank);
    folders.into_iter().filter_map(|folder| folder.find_sessions(environment, format)).collect()
}

impl SessionFolder {
    fn find_sessions(
        &self,
        environment: &UserEnvironment,
        format: Option<SessionFormat>,
    ) -> Option<AgentSessions> {
        let folder = (self.folder)(environment)?;
        if self.is_optional && !folder.is_dir() {
            return None;
        }
        let (unit, found) = match &self.search {
            SessionSearch::JsonLines => {
                ("file", find_matching_files(&folder, format, is_json_lines))
            }
            SessionSearch::GeminiChats => ("file", find_matching_files(&folder, format, is_chat)),
            SessionSearch::ClineMessages => (
                "file",
                find_matching_files(&folder, format, sidecar_files::is_cline_messages_file),
            ),
            SessionSearch::Opencode { database } => {
                ("session", find_opencode_sessions(&folder, database(environment), format))
            }
        };
        let FoundSessions { mut files, unlisted } = found;
        let mut known = HashSet::new();
        files.retain(|file| known.insert((file.path.clone(), file.session.clone())));
        Some(AgentSessions { title: self.title, folder, unit, files, unlisted })
    }
}

fn is_json_lines(path: &Path) -> bool {
    strip_compression_extension(path).extension().is_some_and(|extension| extension == "jsonl")
}

fn is_chat(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "chats")
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

fn find_opencode_sessions(
    folder: &Path,
    database: Option<PathBuf>,
    format: Option<SessionFormat>,
) -> FoundSessions {
    let kept = opencode::find_in_data_folder(folder, format);
    let mut found = FoundSessions { files: kept.files, unlisted: kept.unlisted };
    if let Some(database) = database.filter(|path| path.is_file()) {
        // The user did not name this database on the command line.
        let sessions = opencode::find_in_database(&database, false, format);
        found.files.extend(sessions.unwrap_or_default());
    }
    found
}
