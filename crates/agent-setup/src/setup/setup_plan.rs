//! Plans the changes of one agent's settings.

use std::path::{Path, PathBuf};

use super::setup_change::{SetupChange, SetupOutcome};
use crate::addresses::{GatewayAddressMap, shadowing_remarks};
use crate::agent_settings_file::read_settings_file;
use crate::client_agents::{AddressPlace, ClientAgent};
use crate::foveal_entry::ServerCommand;
use crate::program::FovealProgram;
use crate::settings_edit::SettingsEdit;
use crate::settings_targets::{HooksProblem, SettingsTarget};
use crate::user_environment::UserEnvironment;

/// The wishes of the user.
#[derive(Debug, Clone, Copy)]
pub struct SetupOptions<'a> {
    /// The folder of the project to set up; `None` for the user's own settings.
    pub folder: Option<&'a Path>,
    /// Whether earlier changes are removed.
    pub removes: bool,
    /// The profile that the server is started with.
    pub profile: Option<&'static str>,
    /// Whether hooks and plugins are left out.
    pub no_hooks: bool,
    /// Whether rules for read-only tools are added or removed.
    pub adds_rules: bool,
    /// Whether only the address of the model is changed.
    pub is_gateway: bool,
    /// Whether the user named the agent, and so expects an explanation of what is impossible.
    pub is_named: bool,
    /// The gateway's addresses, unless the user's settings of it cannot be used.
    pub routes: Option<&'a GatewayAddressMap>,
    /// Whether the gateway passes WebSockets.
    pub passes_websockets: bool,
}

/// Plans the changes for one agent.
pub fn plan_client_changes(
    client: &'static ClientAgent,
    options: &SetupOptions<'_>,
    environment: &UserEnvironment,
    program: &FovealProgram,
) -> Vec<SetupChange> {
    let folder = options.folder;
    let shown = if folder.is_some() { program.portable_name() } else { program.path() };
    let start = ServerCommand::new(shown, options.profile);
    let servers = client.server_target(environment, folder, &start);
    let hooks = client.hook_target(environment, folder, program);
    let rules = client.permission_target(environment, folder);
    let addresses = options.routes.filter(|_| folder.is_none());
    let addresses = addresses.and_then(|routes| client.address_target(environment, routes));
    let possible = [&servers, &hooks, &rules, &addresses].into_iter().flatten();
    let possible: Vec<(PathBuf, SettingsEdit)> =
        possible.map(|target| (target.path.clone(), target.edit.clone())).collect();
    let hooks = hooks.filter(|_| !options.no_hooks);
    let rules = rules.filter(|_| options.adds_rules);
    let has_hooks = hooks.is_some();
    let wanted = match (options.is_gateway, options.removes) {
        (true, _) => [None, None, None, addresses],
        // Removal includes the gateway's address.
        (false, true) => {
            let addresses = addresses.filter(is_gateway_set);
            let addresses = addresses.map(|target| SettingsTarget { is_optional: true, ..target });
            [servers, hooks, rules, addresses]
        }
        (false, false) => [servers, hooks, rules, None],
    };
    let targets = merge_by_file(wanted.into_iter().flatten(), options.removes);
    let ours = |target: &SettingsTarget| {
        let same = possible.iter().filter(|(path, _)| *path == target.path);
        same.map(|(_, edit)| edit.clone()).collect()
    };
    let mut changes = Vec::new();
    changes.extend(match options.is_gateway {
        true => unsupported_address_change(client, targets.is_empty()),
        false => missing_settings_change(client, options, &targets, has_hooks),
    });
    for target in targets {
        let is_hooks = target.is_hooks;
        let ours = ours(&target);
        let remarks = address_remarks(client, &target, options, environment);
        let mut change = SetupChange::plan(client, target, ours, folder, options.removes);
        change.remarks = remarks;
        changes.push(match is_hooks && !options.removes {
            true => check_hook_support(change, environment),
            false => change,
        });
    }
    // Agents in which foveal was never set up are not listed.
    changes.retain(|change| {
        let is_named = options.is_named && !change.is_optional();
        !(options.removes && !is_named && change.outcome == SetupOutcome::UpToDate)
    });
    changes
}

/// Merges changes of the same file. Permission rules are added as a change of their own, but removed
/// together with the rest.
fn merge_by_file(
    wanted: impl Iterator<Item = SettingsTarget>,
    removes: bool,
) -> Vec<SettingsTarget> {
    let mut targets: Vec<SettingsTarget> = Vec::new();
    for target in wanted {
        let of_same = targets.iter().position(|known| known.path == target.path);
        match of_same.filter(|_| removes || !target.is_optional) {
            Some(at) => {
                let both = targets.remove(at).merge(target);
                targets.insert(at, both);
            }
            None => targets.push(target),
        }
    }
    targets
}

/// Returns a failed change for a named agent without a settings file.
fn missing_settings_change(
    client: &'static ClientAgent,
    options: &SetupOptions<'_>,
    targets: &[SettingsTarget],
    has_hooks: bool,
) -> Option<SetupChange> {
    let has_place = match client.starts_servers() {
        true => targets.iter().any(|target| !target.is_hooks && !target.is_optional),
        false => has_hooks,
    };
    let why = match options.folder {
        Some(_) => "it has no project settings: omit --project",
        None if !client.starts_servers() && options.no_hooks => {
            "it starts no MCP servers, and only its plugin can be set up: omit --no-hooks"
        }
        None => NO_PLACE,
    };
    (options.is_named && !has_place).then(|| SetupChange::new_failed(client, why))
}

/// The reason of a failed change if not even the home folder is known.
const NO_PLACE: &str = "cannot determine the path of its settings: set HOME";

/// Returns a failed change for an agent whose provider address foveal cannot set.
fn unsupported_address_change(
    client: &'static ClientAgent,
    is_unknown: bool,
) -> Option<SetupChange> {
    let why = match client.address {
        AddressPlace::Unsupported(why) => why,
        AddressPlace::Settings(..) => NO_PLACE,
    };
    is_unknown.then(|| SetupChange::new_failed(client, why))
}

/// Checks that this version of the agent supports the hooks of a change.
fn check_hook_support(mut change: SetupChange, environment: &UserEnvironment) -> SetupChange {
    match change.client.hooks_problem(environment) {
        Some(HooksProblem::UnsupportedVersion(why)) => SetupChange::new_failed(change.client, &why),
        Some(HooksProblem::SetupNeeded(why)) if change.is_pending() => {
            change.outcome = SetupOutcome::Blocked(why);
            change
        }
        _ => change,
    }
}

/// Returns whether this file points an agent at the gateway.
fn is_gateway_set(target: &SettingsTarget) -> bool {
    let text = read_settings_file(&target.path).ok().flatten();
    text.is_some_and(|text| !matches!(target.edit.remove(&text), Ok(None)))
}

/// Returns remarks about other settings of the address, as seen from the current folder, and about
/// lost features. There are none for other changes.
fn address_remarks(
    client: &ClientAgent,
    target: &SettingsTarget,
    options: &SetupOptions<'_>,
    environment: &UserEnvironment,
) -> Vec<String> {
    let is_set = options.is_gateway && !options.removes;
    let (Some(routes), AddressPlace::Settings(file, _)) =
        (options.routes.filter(|_| is_set), &client.address)
    else {
        return Vec::new();
    };
    let folder = std::env::current_dir().ok();
    let mut remarks =
        shadowing_remarks(*file, &target.path, environment, folder.as_deref(), routes);
    let text = read_settings_file(&target.path).ok().flatten().unwrap_or_default();
    if target.edit.uses_vendor_api(&text) {
        remarks.extend(client.feature_losses(options.passes_websockets).map(str::to_owned));
    }
    remarks
}
