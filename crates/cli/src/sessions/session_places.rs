//! The sessions on this machine: those of agents, and those of foveal's own agent.

use std::fmt::Write as _;

use foveal_agent_setup::client_agents;
use foveal_agent_setup::sessions::{AgentSessions, find_agent_sessions};
use foveal_session_readers::SessionFormat;

use super::stored_runs;
use crate::environment::Environment;
use crate::numbers::format_plural;

/// Finds the sessions of each agent that can be read in `format`, if the user named one.
pub(crate) fn find_machine_sessions(
    environment: &Environment,
    format: Option<SessionFormat>,
) -> Vec<AgentSessions> {
    let user = &environment.user;
    let mut all = find_agent_sessions(client_agents::session_folders(), user, format);
    all.extend(user.data_folder().map(|data| {
        let folder = data.join("foveal");
        let files = stored_runs::find_runs(&folder, format);
        AgentSessions { title: "foveal", folder, unit: "session", files, unlisted: Vec::new() }
    }));
    all
}

/// Returns one line for each agent with the number of its sessions.
pub(crate) fn describe_sessions(kept: &[AgentSessions]) -> String {
    let mut text = String::new();
    for AgentSessions { title, folder, unit, files, .. } in kept {
        let folder = folder.display();
        let _ = match files.len() {
            0 => writeln!(text, "{title}: nothing in {folder}"),
            many => {
                let many = format_plural(many as u64, unit);
                writeln!(text, "{title}: {many} in {folder}")
            }
        };
    }
    text
}

/// The advice for a user without any recorded session.
pub(crate) const NO_SESSIONS_HINT: &str = "no recorded sessions were found: name a file or folder, or try \
`foveal replay examples/sessions` in foveal's source folder";
