//! `foveal init`: sets up agents on this machine to start the tools.

use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use foveal_agent_setup::FovealProgram;
use foveal_agent_setup::client_agents::{CLIENT_AGENTS, ClientAgent};
use foveal_agent_setup::setup::{
    AgentGateway, SetupChange, SetupOptions, SetupOutcome, plan_client_changes, render_problems,
};

use super::gateway_address;
use super::text;
use crate::commands::mcp::ToolChoice;
use crate::environment::Environment;
use crate::exit_code;
use crate::notice;
use crate::output;

/// The command line of `foveal init`.
#[derive(Debug, clap::Args)]
pub(crate) struct InitArguments {
    #[arg(value_name = "AGENT", value_parser = parse_client, help = format!(
        "Agents: {}. If not given, all that are found on this machine",
        agent_names()
    ))]
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
#[error("unknown agent `{0}`: expected one of {known}", known = agent_names())]
struct UnknownClient(String);

fn agent_names() -> String {
    CLIENT_AGENTS.each_ref().map(|client| client.name).join(", ")
}

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
    let program = FovealProgram::locate(&environment.user)?;
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
    let options = SetupOptions {
        folder: folder.as_deref(),
        removes: arguments.remove,
        profile: arguments.profile.map(ToolChoice::value_name),
        no_hooks: arguments.no_hooks,
        offers_rules,
        is_gateway: arguments.gateway,
        is_named: !arguments.clients.is_empty(),
        routes: routes.as_ref(),
        passes_websockets: gateway_address::passes_websockets(environment),
    };
    let mut changes = Vec::new();
    for client in clients {
        changes.extend(plan_client_changes(client, &options, &environment.user, &program));
    }
    let is_open = changes.iter().any(SetupChange::is_pending);
    let must_ask = is_open && !arguments.yes && !arguments.dry_run;
    apply_changes(&mut changes, arguments, environment, asks)?;
    let gateways = gateway_address::find_gateways(environment);
    if arguments.json {
        let all: Vec<Value> = changes.iter().map(change_to_json).collect();
        let gateways: Vec<Value> = gateways.iter().map(AgentGateway::to_json).collect();
        let all = json!({ "program": program.path(), "files": all, "gateways": gateways });
        output::print(format!("{all}\n"))?;
    }
    if !arguments.json {
        output::print(render_problems(&gateways))?;
    }
    if must_ask && !asks {
        bail!(
            "nothing was written: there is no terminal to ask for confirmation; use --yes or \
             --dry-run"
        );
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
        output::print("foveal is not set up anywhere\n")?;
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
    let verb = if arguments.remove { "Remove this" } else { "Write this" };
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
        CLIENT_AGENTS.iter().filter(|client| client.is_installed(&environment.user)).collect();
    if found.is_empty() {
        bail!("no agent was found on this machine: name one of {}", agent_names());
    }
    Ok(found)
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
