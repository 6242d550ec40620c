//! `foveal init`: sets up agents on this machine to start the tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::change::{SetupChange, SetupOutcome};
use super::gateway_address;
use super::gateways::{self, AgentGateway, find_agent_gateways};
use super::text;
use crate::clients::{
    CLIENT_AGENTS, ClientAgent, FovealProgram, HooksProblem, ServerCommand, SettingsEdit,
    SettingsTarget,
};
use crate::commands::mcp::ToolChoice;
use crate::environment::Environment;
use crate::exit_code;
use crate::gateway::GatewayAddressMap;
use crate::notice;
use crate::output;

/// The command line of `foveal init`.
#[derive(Debug, clap::Args)]
pub(crate) struct InitArguments {
    /// Agents: claude-code, codex, opencode, cursor, vscode, zed, cline, gemini, qwen, pi. If not
    /// given, all that are found on this machine.
    #[arg(value_name = "AGENT", value_parser = parse_client)]
    clients: Vec<&'static str>,
    /// Sets up only the project in the current folder.
    #[arg(long)]
    project: bool,
    /// Writes without asking.
    #[arg(short, long)]
    yes: bool,
    /// Shows what would be written, and writes nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Removes what an earlier run wrote, and nothing else.
    #[arg(long)]
    remove: bool,
    /// Which tools the agent gets: six, or all. If not given, all; an agent that is set up keeps
    /// its choice.
    #[arg(long, value_name = "PROFILE", conflicts_with = "remove")]
    profile: Option<ToolChoice>,
    /// Does not set up the hooks of Claude Code, Codex and Gemini CLI, nor the plugins for opencode
    /// and pi.
    #[arg(long)]
    no_hooks: bool,
    /// Sets in the named agents the address of their model to that of `foveal serve`, and nothing
    /// else; with --remove, puts back what was there.
    #[arg(long, requires = "clients", conflicts_with_all = ["project", "profile", "no_hooks", "allow_read_only"])]
    gateway: bool,
    /// Also lets the tools of foveal that only read run without asking, in Claude Code, Gemini CLI
    /// and Qwen Code. Without it, you are asked about that if you can be.
    #[arg(long)]
    allow_read_only: bool,
    /// Prints JSON and asks nothing: give --yes or --dry-run too.
    #[arg(long)]
    json: bool,
}

/// The error for an unknown agent.
#[derive(Debug, thiserror::Error)]
#[error("unknown agent `{0}`: one of {known}", known = CLIENT_AGENTS.each_ref().map(|client| client.name).join(", "))]
struct UnknownClient(String);

fn parse_client(text: &str) -> Result<&'static str, UnknownClient> {
    ClientAgent::from_agent_name(text)
        .map(|client| client.name)
        .ok_or_else(|| UnknownClient(text.to_owned()))
}

/// Shows each change and applies it after confirmation.
///
/// # Errors
/// If there is no agent to set up, or no user to ask.
pub(crate) fn run(
    arguments: &InitArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let clients = selected_clients(arguments, environment)?;
    let program = FovealProgram::locate(environment)?;
    let folder = match arguments.project {
        true => Some(std::env::current_dir().context("there is no current folder")?),
        false => None,
    };
    let asks = environment.terminal.input && environment.terminal.error && !arguments.json;
    let offers_rules = arguments.allow_read_only
        || arguments.remove
        || (asks && !arguments.yes && !arguments.dry_run);
    let routes =
        match (gateway_address::gateway_routes(environment, arguments.remove), arguments.gateway) {
            (Ok(routes), _) => Some(routes),
            (Err(_), false) => None,
            (Err(error), true) => return Err(error),
        };
    let mut changes = Vec::new();
    for client in clients {
        changes.extend(plan_client_changes(
            client,
            arguments,
            environment,
            folder.as_ref(),
            &program,
            offers_rules,
            routes.as_ref(),
        ));
    }
    let is_open = changes.iter().any(SetupChange::is_pending);
    let must_ask = is_open && !arguments.yes && !arguments.dry_run;
    apply_changes(&mut changes, arguments, environment, asks)?;
    let gateways = find_agent_gateways(environment);
    if arguments.json {
        let all: Vec<Value> = changes.iter().map(change_to_json).collect();
        let gateways: Vec<Value> = gateways.iter().map(AgentGateway::to_json).collect();
        let all = json!({ "program": program.path(), "files": all, "gateways": gateways });
        output::print(format!("{all}\n"))?;
    }
    if !arguments.json {
        output::print(gateways::render_problems(&gateways))?;
    }
    if must_ask && !asks {
        bail!("nothing was written, because nobody can be asked: give --yes or --dry-run");
    }
    let is_done = changes.iter().any(|change| change.outcome == SetupOutcome::Applied);
    if arguments.gateway && is_done && !arguments.remove {
        if let Some(routes) = &routes {
            gateway_address::record_gateway(environment, routes);
        }
        if !arguments.json {
            output::print(gateway_address::KEEP_SERVING_NOTICE)?;
        }
    }
    if arguments.remove && changes.is_empty() && !arguments.json {
        output::print("foveal is set up nowhere\n")?;
    }
    let has_failed = changes.iter().any(|change| matches!(change.outcome, SetupOutcome::Failed(_)));
    Ok(if has_failed { ExitCode::from(exit_code::FAILED) } else { ExitCode::SUCCESS })
}

/// Shows each change and applies it after confirmation.
fn apply_changes(
    changes: &mut [SetupChange],
    arguments: &InitArguments,
    environment: &Environment,
    asks: bool,
) -> anyhow::Result<()> {
    let verb = if arguments.remove { "Take this out" } else { "Write this" };
    // The agent whose setup was declined or failed; its optional changes are pointless.
    let mut left_alone = None;
    for change in changes.iter_mut() {
        if change.is_optional() && left_alone == Some(change.client.name) {
            change.outcome = SetupOutcome::Declined;
            continue;
        }
        change.replan(arguments.remove);
        if !arguments.json {
            let shown = text::render_change(change, arguments.remove, environment);
            output::print(shown)?;
        }
        if change.is_pending() && arguments.dry_run {
            change.outcome = SetupOutcome::WouldChange;
        } else if change.is_pending()
            && (arguments.yes || (asks && notice::confirm(&format!("{verb}?"))))
        {
            change.apply(arguments.remove);
        } else if change.is_pending() {
            change.outcome = SetupOutcome::Declined;
        }
        if matches!(change.outcome, SetupOutcome::Declined | SetupOutcome::Failed(_)) {
            left_alone = Some(change.client.name);
        }
        if !arguments.json {
            output::print(text::render_outcome(change, arguments.remove))?;
        }
    }
    Ok(())
}

/// Returns the selected agents.
fn selected_clients(
    arguments: &InitArguments,
    environment: &Environment,
) -> anyhow::Result<Vec<&'static ClientAgent>> {
    if !arguments.clients.is_empty() {
        let named = |client: &&ClientAgent| arguments.clients.contains(&client.name);
        return Ok(CLIENT_AGENTS.iter().filter(named).collect());
    }
    if arguments.remove {
        return Ok(CLIENT_AGENTS.iter().collect());
    }
    let found: Vec<_> =
        CLIENT_AGENTS.iter().filter(|client| client.is_installed(environment)).collect();
    if found.is_empty() {
        let known = CLIENT_AGENTS.each_ref().map(|client| client.name).join(", ");
        bail!("no agent was found on this machine: name one of {known}");
    }
    Ok(found)
}

/// Plans the changes for one agent.
fn plan_client_changes(
    client: &'static ClientAgent,
    arguments: &InitArguments,
    environment: &Environment,
    folder: Option<&PathBuf>,
    program: &FovealProgram,
    offers_rules: bool,
    routes: Option<&GatewayAddressMap>,
) -> Vec<SetupChange> {
    let folder = folder.map(PathBuf::as_path);
    let shown = if folder.is_some() { program.portable_name() } else { program.path() };
    let start = ServerCommand::new(shown, arguments.profile.map(ToolChoice::value_name));
    let servers = client.server_target(environment, folder, &start);
    let hooks = client.hook_target(environment, folder, program);
    let rules = client.permission_target(environment, folder);
    let addresses = routes.filter(|_| folder.is_none());
    let addresses = addresses.and_then(|routes| client.address_target(environment, routes));
    let possible = [&servers, &hooks, &rules, &addresses].into_iter().flatten();
    let possible: Vec<(PathBuf, SettingsEdit)> =
        possible.map(|target| (target.path.clone(), target.edit.clone())).collect();
    let hooks = hooks.filter(|_| !arguments.no_hooks);
    let rules = rules.filter(|_| offers_rules);
    let has_hooks = hooks.is_some();
    let wanted = match (arguments.gateway, arguments.remove) {
        (true, _) => [None, None, None, addresses],
        // Removal includes the gateway's address.
        (false, true) => {
            let addresses = addresses.filter(gateway_address::is_gateway_set);
            let addresses = addresses.map(|target| SettingsTarget { is_optional: true, ..target });
            [servers, hooks, rules, addresses]
        }
        (false, false) => [servers, hooks, rules, None],
    };
    let targets = merge_by_file(wanted.into_iter().flatten(), arguments.remove);
    let ours = |target: &SettingsTarget| {
        let same = possible.iter().filter(|(path, _)| *path == target.path);
        same.map(|(_, edit)| edit.clone()).collect()
    };
    let mut changes = Vec::new();
    if arguments.gateway {
        changes.extend(gateway_address::unsupported_address_change(client, targets.is_empty()));
    } else {
        changes.extend(missing_settings_change(client, arguments, folder, &targets, has_hooks));
    }
    let told = routes.filter(|_| arguments.gateway && !arguments.remove);
    for target in targets {
        let is_hooks = target.is_hooks;
        let ours = ours(&target);
        let remarks = told
            .map(|routes| gateway_address::address_remarks(client, &target, environment, routes));
        let mut change = SetupChange::plan(client, target, ours, folder, arguments.remove);
        change.remarks = remarks.unwrap_or_default();
        changes.push(match is_hooks && !arguments.remove {
            true => check_hook_support(change, environment),
            false => change,
        });
    }
    // Agents in which foveal was never set up are not listed.
    changes.retain(|change| {
        let is_named = !arguments.clients.is_empty() && !change.is_optional();
        !(arguments.remove && !is_named && change.outcome == SetupOutcome::UpToDate)
    });
    changes
}

/// Merges changes of the same file. Permission rules are confirmed separately, but removed together
/// with the rest.
fn merge_by_file(
    wanted: impl Iterator<Item = SettingsTarget>,
    removes: bool,
) -> Vec<SettingsTarget> {
    let mut targets: Vec<SettingsTarget> = Vec::new();
    for target in wanted {
        let of_same = targets.iter().position(|known| known.path == target.path);
        match of_same.filter(|_| removes || !target.is_optional) {
            Some(at) => {
                let (both, _) = targets.remove(at).merge(target);
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
    arguments: &InitArguments,
    folder: Option<&Path>,
    targets: &[SettingsTarget],
    has_hooks: bool,
) -> Option<SetupChange> {
    // Only agents that the user named need an explanation.
    let is_asked = !arguments.clients.is_empty();
    let has_place = match client.starts_servers() {
        true => targets.iter().any(|target| !target.is_hooks && !target.is_optional),
        false => has_hooks,
    };
    let why = match folder {
        Some(_) => "it has no settings for one project: leave --project away",
        None if !client.starts_servers() && arguments.no_hooks => {
            "it starts no servers, and its plugin is all there is: leave --no-hooks away"
        }
        None => "there is no place for its settings: set HOME",
    };
    (is_asked && !has_place).then(|| SetupChange::new_failed(client, why))
}

/// Checks that this version of the agent supports the hooks of a change.
fn check_hook_support(mut change: SetupChange, environment: &Environment) -> SetupChange {
    match change.client.hooks_problem(environment) {
        Some(HooksProblem::UnsupportedVersion(why)) => SetupChange::new_failed(change.client, &why),
        Some(HooksProblem::SetupNeeded(why)) if change.is_pending() => {
            change.outcome = SetupOutcome::Blocked(why);
            change
        }
        _ => change,
    }
}

fn change_to_json(change: &SetupChange) -> Value {
    let (outcome, problem) = match &change.outcome {
        SetupOutcome::Pending | SetupOutcome::WouldChange => ("would_change", None),
        SetupOutcome::UpToDate => ("already", None),
        SetupOutcome::Applied => ("changed", None),
        SetupOutcome::Declined => ("left_alone", None),
        SetupOutcome::Blocked(why) => ("not_yet", Some(why)),
        SetupOutcome::Failed(why) => ("failed", Some(why)),
    };
    let diff = Some(change.diff()).filter(|diff| !diff.is_empty() && problem.is_none());
    json!({
        "agent": change.client.name,
        "path": change.target.as_ref().map(|target| &target.path),
        "purpose": change.target.as_ref().map(|target| target.purpose),
        "outcome": outcome,
        "problem": problem,
        "diff": diff,
        "notes": change.remarks,
    })
}
