//! `foveal init`: sets up agents on this machine to start the tools.

use std::io;
use std::path::Path;
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
    /// and Qwen Code.
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

/// Shows a summary and each change, and applies all after one confirmation.
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
        adds_rules: arguments.allow_read_only || arguments.remove,
        is_gateway: arguments.gateway,
        is_named: !arguments.clients.is_empty(),
        routes: routes.as_ref(),
        passes_websockets: gateway_address::passes_websockets(environment),
    };
    let mut changes = Vec::new();
    for client in clients {
        changes.extend(plan_client_changes(client, &options, &environment.user, &program));
    }
    let can_ask = environment.terminal.input && environment.terminal.error && !arguments.json;
    let consent = confirm_changes(&changes, arguments, environment, can_ask)?;
    apply_changes(&mut changes, consent, arguments, environment)?;
    let gateways = gateway_address::find_gateways(environment);
    if arguments.json {
        let all: Vec<Value> = changes.iter().map(change_to_json).collect();
        let gateways: Vec<Value> = gateways.iter().map(AgentGateway::to_json).collect();
        let all = json!({ "program": program.path(), "files": all, "gateways": gateways });
        output::print(format!("{all}\n"))?;
    } else {
        output::print(render_problems(&gateways))?;
    }
    if consent == SetupConsent::Unavailable {
        let why = match arguments.json {
            true => "--json does not ask for confirmation",
            false => "there is no terminal to ask for confirmation",
        };
        bail!("nothing was written: {why}; use --yes or --dry-run");
    }
    let is_done = changes.iter().any(|change| change.outcome == SetupOutcome::Applied);
    if let Some(routes) =
        routes.as_ref().filter(|_| arguments.gateway && is_done && !arguments.remove)
    {
        gateway_address::record_gateway(environment, routes);
    }
    if !arguments.json {
        print_ending(&changes, arguments, environment, folder.as_deref())?;
    }
    let has_failed = changes.iter().any(|change| matches!(change.outcome, SetupOutcome::Failed(_)));
    Ok(if has_failed { ExitCode::from(exit_code::FAILED) } else { ExitCode::SUCCESS })
}

/// The decision about all pending changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SetupConsent {
    /// They are written.
    Given,
    /// They are only shown.
    DryRun,
    /// The user declined them.
    Declined,
    /// There is no user to ask.
    Unavailable,
}

/// Prints a summary of the pending changes, and asks about them once.
fn confirm_changes(
    changes: &[SetupChange],
    arguments: &InitArguments,
    environment: &Environment,
    can_ask: bool,
) -> anyhow::Result<SetupConsent> {
    let pending: Vec<&SetupChange> = changes.iter().filter(|change| change.is_pending()).collect();
    if !arguments.json && !pending.is_empty() {
        output::print(text::render_summary(&pending, arguments.remove, environment))?;
    }
    if arguments.dry_run {
        return Ok(SetupConsent::DryRun);
    }
    if arguments.yes || pending.is_empty() {
        return Ok(SetupConsent::Given);
    }
    if !can_ask {
        return Ok(SetupConsent::Unavailable);
    }
    let question = text::question(&pending, arguments.remove);
    let is_confirmed = notice::confirm_with_details(&question, || {
        pending.iter().try_for_each(|change| {
            output::print(text::render_change(change, arguments.remove, environment))
        })
    })?;
    Ok(if is_confirmed { SetupConsent::Given } else { SetupConsent::Declined })
}

/// Carries out the decision, and prints each change with its outcome.
fn apply_changes(
    changes: &mut [SetupChange],
    consent: SetupConsent,
    arguments: &InitArguments,
    environment: &Environment,
) -> anyhow::Result<()> {
    let is_declined = consent == SetupConsent::Declined;
    // A user who was asked could see the lines before.
    let has_asked = is_declined || (consent == SetupConsent::Given && !arguments.yes);
    for change in changes.iter_mut() {
        change.replan(arguments.remove);
        // After a refusal, only problems are printed: one line covers the rest.
        let is_problem =
            matches!(change.outcome, SetupOutcome::Blocked(_) | SetupOutcome::Failed(_));
        let is_printed = !arguments.json && (is_problem || !is_declined);
        if is_printed {
            output::print(match has_asked {
                true => text::render_file(change, environment),
                false => text::render_change(change, arguments.remove, environment),
            })?;
        }
        if change.is_pending() {
            match consent {
                SetupConsent::Given => change.apply(arguments.remove),
                SetupConsent::DryRun => change.outcome = SetupOutcome::WouldChange,
                SetupConsent::Declined | SetupConsent::Unavailable => {
                    change.outcome = SetupOutcome::Declined;
                }
            }
        }
        if is_printed {
            output::print(text::render_outcome(change, arguments.remove))?;
        }
    }
    if is_declined {
        output::print("Nothing was changed.\n")?;
    }
    Ok(())
}

/// Prints what the user does next.
fn print_ending(
    changes: &[SetupChange],
    arguments: &InitArguments,
    environment: &Environment,
    folder: Option<&Path>,
) -> io::Result<()> {
    if arguments.remove && changes.is_empty() {
        return output::print("foveal is not set up anywhere\n");
    }
    let mut clients: Vec<&'static ClientAgent> = Vec::new();
    for change in changes.iter().filter(|change| change.outcome == SetupOutcome::Applied) {
        if !clients.iter().any(|known| known.name == change.client.name) {
            clients.push(change.client);
        }
    }
    if clients.is_empty() {
        return output::print(text::dry_run_advice(changes, arguments.remove));
    }
    let titles: Vec<&str> = clients.iter().map(|client| client.title).collect();
    if arguments.remove {
        return output::print(text::removal_advice(&titles));
    }
    let mut steps = Vec::new();
    if arguments.gateway {
        steps.push(gateway_address::KEEP_SERVING_NOTICE.to_owned());
    }
    steps.push(text::restart_advice(&titles));
    steps.push(text::CHECK_ADVICE.to_owned());
    let mut asking =
        clients.iter().filter(|client| client.lacks_permission_rules(&environment.user, folder));
    if let Some(client) = asking.next().filter(|_| !arguments.gateway) {
        steps.push(text::rules_advice(client));
    }
    output::print(text::render_steps(&steps))
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
