//! The agents on this machine, and whether foveal is set up in them.

use std::path::Path;

use super::finding::{Finding, State};
use super::gateways;
use crate::clients::{self, CLIENTS, Client, HOOKS_SINCE, Program, Start, Target, version_of};
use crate::environment::Environment;

/// All agents that are found, or that foveal is set up in.
pub(super) fn look(environment: &Environment) -> Vec<Finding> {
    let Ok(program) = Program::own(environment) else { return Vec::new() };
    let folder = std::env::current_dir().ok();
    let mut findings = Vec::new();
    for client in &CLIENTS {
        let is_installed = client.is_installed(environment);
        let user = client.servers(environment, None, &Start::new(program.shown(), None));
        let project = folder.as_deref().and_then(|folder| {
            client.servers(environment, Some(folder), &Start::new(program.shown(), None))
        });
        let found = [user, project].into_iter().flatten().map(|target| state(&target));
        let mut found: Vec<Setup> = found.collect();
        found.retain(|found| *found != Setup::Absent);
        if found.is_empty() && !is_installed {
            continue;
        }
        if found.is_empty() && client.starts_servers() {
            let remedy = format!("foveal init {}", client.name);
            findings.push(
                Finding::new(State::Note, client.name, "foveal is not set up in it").remedy(remedy),
            );
        }
        findings.extend(found.into_iter().map(|found| found.told(client)));
        findings.extend(hooks(client, environment, &program));
        findings.extend(gateways::look(client, environment));
    }
    if findings.is_empty() {
        findings.push(Finding::new(State::Note, "agents", "none was found on this machine"));
    }
    findings
}

/// How foveal stands in a file.
#[derive(Debug, PartialEq, Eq)]
enum Setup {
    /// It is not named there.
    Absent,
    /// It is, and there is such a program.
    Works(String),
    /// The same, and the agent is not to start it.
    Off(String),
    /// It is, and there is no such program.
    Gone { path: String, program: String },
    /// The file cannot be understood.
    Unreadable { path: String, why: String },
}

fn state(target: &Target) -> Setup {
    let path = target.path.display().to_string();
    let text = match clients::read(&target.path) {
        Ok(None) => return Setup::Absent,
        Ok(Some(text)) => text,
        Err(error) => return Setup::Unreadable { path, why: error.to_string() },
    };
    if let Err(clients::EditError::Broken { line, what }) = target.edit.remove(&text) {
        return Setup::Unreadable { path, why: format!("line {line}: {what}") };
    }
    match target.edit.program(&text) {
        None => Setup::Absent,
        // A name alone is looked for by who starts it.
        Some(program) if program.contains('/') && !Path::new(&program).exists() => {
            Setup::Gone { path, program }
        }
        Some(_) if target.edit.is_off(&text) => Setup::Off(path),
        Some(_) => Setup::Works(path),
    }
}

impl Setup {
    fn told(self, client: &Client) -> Finding {
        let name = client.name;
        match self {
            Self::Absent => Finding::new(State::Note, name, "foveal is not set up in it"),
            Self::Works(path) => Finding::new(State::Ok, name, format!("set up in {path}")),
            Self::Off(path) => {
                Finding::new(State::Note, name, format!("set up in {path}, but switched off there"))
            }
            Self::Gone { path, program } => {
                let what = format!("{path} starts `{program}`, which is not there");
                Finding::new(State::Broken, name, what).remedy(format!("foveal init {name}"))
            }
            Self::Unreadable { path, why } => {
                let what = format!("{path} cannot be understood: {why}");
                Finding::new(State::Broken, name, what).remedy("correct the file")
            }
        }
    }
}

fn hooks(client: &Client, environment: &Environment, program: &Program) -> Option<Finding> {
    let target = client.hooks(environment, None, program)?;
    let about = format!("{} hooks", client.name);
    let found = state(&target);
    // An agent that is asked for its version may make folders in the home folder.
    let is_asked = client.name == "claude-code" && matches!(found, Setup::Works(_));
    let program = client.program(environment).filter(|_| is_asked);
    let version = program.and_then(|program| version_of(&program));
    let is_old = version.filter(|version| *version < HOOKS_SINCE);
    match (found, is_old) {
        (Setup::Absent, _) => Some(
            Finding::new(State::Note, about, "not set up: its own tools answer as they do")
                .remedy(format!("foveal init {}", client.name)),
        ),
        (Setup::Works(_), Some(version)) => Some(
            Finding::new(State::Broken, about, format!("version {version} does not heed them"))
                .remedy(format!("update it to {HOOKS_SINCE} or later")),
        ),
        (found, _) => Some(Finding { about, ..found.told(client) }),
    }
}
