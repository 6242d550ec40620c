//! Checks of the agents on this machine and of their setup with foveal.

use foveal_agent_setup::client_agents::{CLIENT_AGENTS, ClientAgent};
use foveal_agent_setup::{
    FovealProgram, ServerCommand, SettingsTarget, SetupState, UserEnvironment, program_version,
};

use super::diagnosis::{Diagnosis, HealthStatus};
use super::gateways;
use crate::commands::init;
use crate::environment::Environment;

/// Checks all agents that are installed, or that have foveal set up.
pub(super) fn check_agents(environment: &Environment) -> Vec<Diagnosis> {
    let user = &environment.user;
    let Ok(program) = FovealProgram::locate(user) else { return Vec::new() };
    let folder = std::env::current_dir().ok();
    let routes = init::gateway_routes(environment, true).ok();
    let passes_websockets = init::passes_websockets(environment);
    let start = ServerCommand::new(program.path(), None);
    let mut findings = Vec::new();
    for client in &CLIENT_AGENTS {
        let is_installed = client.is_installed(user);
        let of_user = client.server_target(user, None, &start);
        let of_project =
            folder.as_deref().and_then(|folder| client.server_target(user, Some(folder), &start));
        let targets = [of_user, of_project].into_iter().flatten();
        let states = targets.map(|target| (target.setup_state(), target));
        let found: Vec<_> = states.filter(|(state, _)| *state != SetupState::Absent).collect();
        if found.is_empty() && !is_installed {
            continue;
        }
        if found.is_empty() && client.starts_servers() {
            let remedy = format!("foveal init {}", client.name);
            findings.push(
                Diagnosis::new(HealthStatus::Note, client.name, "foveal is not set up")
                    .with_remedy(remedy),
            );
        }
        let found = found.into_iter();
        findings.extend(found.map(|(state, target)| setup_diagnosis(client, &target, state)));
        findings.extend(check_hooks(client, user, &program));
        if let Some(routes) = &routes {
            findings.extend(gateways::check_gateways(client, user, routes, passes_websockets));
        }
    }
    if findings.is_empty() {
        findings.push(Diagnosis::new(
            HealthStatus::Note,
            "agents",
            "no agent was found on this machine",
        ));
    }
    findings
}

fn setup_diagnosis(client: &ClientAgent, target: &SettingsTarget, state: SetupState) -> Diagnosis {
    let (name, path) = (client.name, target.path.display());
    match state {
        SetupState::Absent => Diagnosis::new(HealthStatus::Note, name, "foveal is not set up"),
        SetupState::Active => Diagnosis::new(HealthStatus::Ok, name, format!("set up in {path}")),
        SetupState::SwitchedOff => Diagnosis::new(
            HealthStatus::Note,
            name,
            format!("set up in {path}, but disabled there"),
        ),
        SetupState::MissingProgram(program) => {
            let what = format!("{path} starts `{program}`, which does not exist");
            Diagnosis::new(HealthStatus::Broken, name, what)
                .with_remedy(format!("foveal init {name}"))
        }
        SetupState::Unreadable(why) => {
            let what = format!("{path} cannot be read: {why}");
            Diagnosis::new(HealthStatus::Broken, name, what).with_remedy("correct the file")
        }
    }
}

fn check_hooks(
    client: &ClientAgent,
    environment: &UserEnvironment,
    program: &FovealProgram,
) -> Option<Diagnosis> {
    let target = client.hook_target(environment, None, program)?;
    let about = format!("{} hooks", client.name);
    let found = target.setup_state();
    // Asking some agents for their version may create folders in the home folder.
    let since = client.hooks_since().filter(|_| found == SetupState::Active);
    let is_old = since.and_then(|since| {
        let version = program_version(&client.program_path(environment)?)?;
        (version < since).then_some((version, since))
    });
    match (found, is_old) {
        (SetupState::Absent, _) => Some(
            Diagnosis::new(
                HealthStatus::Note,
                about,
                "not set up: results of its own tools are not shortened",
            )
            .with_remedy(format!("foveal init {}", client.name)),
        ),
        (SetupState::Active, Some((version, since))) => Some(
            Diagnosis::new(
                HealthStatus::Broken,
                about,
                format!("version {version} does not support them"),
            )
            .with_remedy(format!("update it to {since} or later")),
        ),
        (found, _) => Some(Diagnosis { subject: about, ..setup_diagnosis(client, &target, found) }),
    }
}
