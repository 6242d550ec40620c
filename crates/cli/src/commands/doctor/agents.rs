//! Checks of the agents on this machine and of their setup with foveal.

use std::path::Path;

use super::diagnosis::{Diagnosis, HealthStatus};
use super::gateways;
use crate::clients::{
    self, CLIENT_AGENTS, ClientAgent, FovealProgram, HOOKS_SINCE, ServerCommand, SettingsTarget,
    program_version,
};
use crate::environment::Environment;

/// Checks all agents that are installed, or that have foveal set up.
pub(super) fn check_agents(environment: &Environment) -> Vec<Diagnosis> {
    let Ok(program) = FovealProgram::locate(environment) else { return Vec::new() };
    let folder = std::env::current_dir().ok();
    let mut findings = Vec::new();
    for client in &CLIENT_AGENTS {
        let is_installed = client.is_installed(environment);
        let user =
            client.server_target(environment, None, &ServerCommand::new(program.path(), None));
        let project = folder.as_deref().and_then(|folder| {
            client.server_target(
                environment,
                Some(folder),
                &ServerCommand::new(program.path(), None),
            )
        });
        let found = [user, project].into_iter().flatten().map(|target| setup_state(&target));
        let mut found: Vec<SetupState> = found.collect();
        found.retain(|found| *found != SetupState::Absent);
        if found.is_empty() && !is_installed {
            continue;
        }
        if found.is_empty() && client.starts_servers() {
            let remedy = format!("foveal init {}", client.name);
            findings.push(
                Diagnosis::new(HealthStatus::Note, client.name, "foveal is not set up in it")
                    .with_remedy(remedy),
            );
        }
        findings.extend(found.into_iter().map(|found| found.into_diagnosis(client)));
        findings.extend(check_hooks(client, environment, &program));
        findings.extend(gateways::check_gateways(client, environment));
    }
    if findings.is_empty() {
        findings.push(Diagnosis::new(
            HealthStatus::Note,
            "agents",
            "none was found on this machine",
        ));
    }
    findings
}

/// The setup of foveal in a settings file.
#[derive(Debug, PartialEq, Eq)]
enum SetupState {
    /// The file does not name foveal.
    Absent,
    /// The file names foveal, and the program exists.
    Active(String),
    /// The file names foveal, and the agent has it switched off.
    SwitchedOff(String),
    /// The file names a program that does not exist.
    MissingProgram { path: String, program: String },
    /// The file cannot be read or parsed.
    Unreadable { path: String, why: String },
}

fn setup_state(target: &SettingsTarget) -> SetupState {
    let path = target.path.display().to_string();
    let text = match clients::read_settings_file(&target.path) {
        Ok(None) => return SetupState::Absent,
        Ok(Some(text)) => text,
        Err(error) => return SetupState::Unreadable { path, why: error.to_string() },
    };
    if let Err(clients::EditError::Broken { line, what }) = target.edit.remove(&text) {
        return SetupState::Unreadable { path, why: format!("line {line}: {what}") };
    }
    match target.edit.installed_program(&text) {
        None => SetupState::Absent,
        // The agent resolves a bare name through PATH.
        Some(program) if program.contains('/') && !Path::new(&program).exists() => {
            SetupState::MissingProgram { path, program }
        }
        Some(_) if target.edit.is_disabled(&text) => SetupState::SwitchedOff(path),
        Some(_) => SetupState::Active(path),
    }
}

impl SetupState {
    fn into_diagnosis(self, client: &ClientAgent) -> Diagnosis {
        let name = client.name;
        match self {
            Self::Absent => Diagnosis::new(HealthStatus::Note, name, "foveal is not set up in it"),
            Self::Active(path) => {
                Diagnosis::new(HealthStatus::Ok, name, format!("set up in {path}"))
            }
            Self::SwitchedOff(path) => Diagnosis::new(
                HealthStatus::Note,
                name,
                format!("set up in {path}, but switched off there"),
            ),
            Self::MissingProgram { path, program } => {
                let what = format!("{path} starts `{program}`, which is not there");
                Diagnosis::new(HealthStatus::Broken, name, what)
                    .with_remedy(format!("foveal init {name}"))
            }
            Self::Unreadable { path, why } => {
                let what = format!("{path} cannot be understood: {why}");
                Diagnosis::new(HealthStatus::Broken, name, what).with_remedy("correct the file")
            }
        }
    }
}

fn check_hooks(
    client: &ClientAgent,
    environment: &Environment,
    program: &FovealProgram,
) -> Option<Diagnosis> {
    let target = client.hook_target(environment, None, program)?;
    let about = format!("{} hooks", client.name);
    let found = setup_state(&target);
    // Asking some agents for their version may create folders in the home folder.
    let is_asked = client.name == "claude-code" && matches!(found, SetupState::Active(_));
    let program = client.program_path(environment).filter(|_| is_asked);
    let version = program.and_then(|program| program_version(&program));
    let is_old = version.filter(|version| *version < HOOKS_SINCE);
    match (found, is_old) {
        (SetupState::Absent, _) => Some(
            Diagnosis::new(
                HealthStatus::Note,
                about,
                "not set up: its own tools answer as they do",
            )
            .with_remedy(format!("foveal init {}", client.name)),
        ),
        (SetupState::Active(_), Some(version)) => Some(
            Diagnosis::new(
                HealthStatus::Broken,
                about,
                format!("version {version} does not heed them"),
            )
            .with_remedy(format!("update it to {HOOKS_SINCE} or later")),
        ),
        (found, _) => Some(Diagnosis { subject: about, ..found.into_diagnosis(client) }),
    }
}
