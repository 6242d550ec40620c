//! `foveal init`: has agents on this machine start the tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::address;
use super::change::{Change, Outcome};
use super::gateways::{self, AgentGateway, agent_gateways};
use super::text;
use crate::clients::{CLIENTS, Client, Edit, HooksProblem, Program, Start, Target};
use crate::commands::mcp::ToolChoice;
use crate::environment::Environment;
use crate::exit_code;
use crate::gateway::Routes;
use crate::notice;
use crate::output;

/// The command line of `foveal init`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Agents: claude-code, codex, opencode, cursor, vscode, zed, cline, gemini, qwen, pi. If not
    /// given, all that are found on this machine.
    #[arg(value_name = "AGENT", value_parser = client)]
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

/// An agent that there is not.
#[derive(Debug, thiserror::Error)]
#[error("unknown agent `{0}`: one of {known}", known = CLIENTS.each_ref().map(|client| client.name).join(", "))]
struct UnknownClient(String);

fn client(text: &str) -> Result<&'static str, UnknownClient> {
    Client::named(text).map(|client| client.name).ok_or_else(|| UnknownClient(text.to_owned()))
}

/// Shows each change and makes it if it is wanted.
///
/// # Errors
/// If there is nothing to set up, or nobody to ask.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let clients = chosen(arguments, environment)?;
    let program = Program::own(environment)?;
    let folder = match arguments.project {
        true => Some(std::env::current_dir().context("there is no current folder")?),
        false => None,
    };
    let asks = environment.terminal.input && environment.terminal.error && !arguments.json;
    let offers_rules = arguments.allow_read_only
        || arguments.remove
        || (asks && !arguments.yes && !arguments.dry_run);
    let routes = match (address::routes(environment, arguments.remove), arguments.gateway) {
        (Ok(routes), _) => Some(routes),
        (Err(_), false) => None,
        (Err(error), true) => return Err(error),
    };
    let mut changes = Vec::new();
    for client in clients {
        changes.extend(changes_of(
            client,
            arguments,
            environment,
            folder.as_ref(),
            &program,
            (offers_rules, routes.as_ref()),
        ));
    }
    let is_open = changes.iter().any(Change::is_open);
    let must_ask = is_open && !arguments.yes && !arguments.dry_run;
    carry_out(&mut changes, arguments, environment, asks)?;
    let gateways = agent_gateways(environment);
    if arguments.json {
        let all: Vec<Value> = changes.iter().map(as_json).collect();
        let gateways: Vec<Value> = gateways.iter().map(AgentGateway::as_json).collect();
        let all = json!({ "program": program.shown(), "files": all, "gateways": gateways });
        output::print(format!("{all}\n"))?;
    }
    if !arguments.json {
        output::print(gateways::lines(&gateways))?;
    }
    if must_ask && !asks {
        bail!("nothing was written, because nobody can be asked: give --yes or --dry-run");
    }
    let is_done = changes.iter().any(|change| change.outcome == Outcome::Done);
    if arguments.gateway && is_done && !arguments.remove {
        if let Some(routes) = &routes {
            address::remember(environment, routes);
        }
        if !arguments.json {
            output::print(address::NOW)?;
        }
    }
    if arguments.remove && changes.is_empty() && !arguments.json {
        output::print("foveal is set up nowhere\n")?;
    }
    let has_failed = changes.iter().any(|change| matches!(change.outcome, Outcome::Failed(_)));
    Ok(if has_failed { ExitCode::from(exit_code::FAILED) } else { ExitCode::SUCCESS })
}

/// Shows each change and makes it if it is wanted.
fn carry_out(
    changes: &mut [Change],
    arguments: &Arguments,
    environment: &Environment,
    asks: bool,
) -> anyhow::Result<()> {
    let verb = if arguments.remove { "Take this out" } else { "Write this" };
    // The agent that is not set up, whose rules nobody needs.
    let mut left_alone = None;
    for change in changes.iter_mut() {
        if change.is_extra() && left_alone == Some(change.client.name) {
            change.outcome = Outcome::LeftAlone;
            continue;
        }
        change.look_again(arguments.remove);
        if !arguments.json {
            let shown = text::change(change, arguments.remove, environment);
            output::print(shown)?;
        }
        if change.is_open() && arguments.dry_run {
            change.outcome = Outcome::Would;
        } else if change.is_open()
            && (arguments.yes || (asks && notice::confirm(&format!("{verb}?"))))
        {
            change.make(arguments.remove);
        } else if change.is_open() {
            change.outcome = Outcome::LeftAlone;
        }
        if matches!(change.outcome, Outcome::LeftAlone | Outcome::Failed(_)) {
            left_alone = Some(change.client.name);
        }
        if !arguments.json {
            output::print(text::outcome(change, arguments.remove))?;
        }
    }
    Ok(())
}

/// The agents that are meant.
fn chosen(
    arguments: &Arguments,
    environment: &Environment,
) -> anyhow::Result<Vec<&'static Client>> {
    if !arguments.clients.is_empty() {
        let named = |client: &&Client| arguments.clients.contains(&client.name);
        return Ok(CLIENTS.iter().filter(named).collect());
    }
    if arguments.remove {
        return Ok(CLIENTS.iter().collect());
    }
    let found: Vec<_> = CLIENTS.iter().filter(|client| client.is_installed(environment)).collect();
    if found.is_empty() {
        let known = CLIENTS.each_ref().map(|client| client.name).join(", ");
        bail!("no agent was found on this machine: name one of {known}");
    }
    Ok(found)
}

/// What is to be changed for one agent.
fn changes_of(
    client: &'static Client,
    arguments: &Arguments,
    environment: &Environment,
    folder: Option<&PathBuf>,
    program: &Program,
    (offers_rules, routes): (bool, Option<&Routes>),
) -> Vec<Change> {
    let folder = folder.map(PathBuf::as_path);
    let shown = if folder.is_some() { program.shared() } else { program.shown() };
    let start = Start::new(shown, arguments.profile.map(ToolChoice::name));
    let servers = client.servers(environment, folder, &start);
    let hooks = client.hooks(environment, folder, program);
    let rules = client.rules(environment, folder);
    let addresses = routes.filter(|_| folder.is_none());
    let addresses = addresses.and_then(|routes| client.addresses(environment, routes));
    let possible = [&servers, &hooks, &rules, &addresses].into_iter().flatten();
    let possible: Vec<(PathBuf, Edit)> =
        possible.map(|target| (target.path.clone(), target.edit.clone())).collect();
    let hooks = hooks.filter(|_| !arguments.no_hooks);
    let rules = rules.filter(|_| offers_rules);
    let has_hooks = hooks.is_some();
    let wanted = match (arguments.gateway, arguments.remove) {
        (true, _) => [None, None, None, addresses],
        // What was set goes with all else.
        (false, true) => {
            let addresses = addresses.filter(address::is_set);
            let addresses = addresses.map(|target| Target { is_extra: true, ..target });
            [servers, hooks, rules, addresses]
        }
        (false, false) => [servers, hooks, rules, None],
    };
    let targets = by_file(wanted.into_iter().flatten(), arguments.remove);
    let ours = |target: &Target| {
        let same = possible.iter().filter(|(path, _)| *path == target.path);
        same.map(|(_, edit)| edit.clone()).collect()
    };
    let mut changes = Vec::new();
    if arguments.gateway {
        changes.extend(address::no_place(client, targets.is_empty()));
    } else {
        changes.extend(no_place(client, arguments, folder, (&targets, has_hooks)));
    }
    let told = routes.filter(|_| arguments.gateway && !arguments.remove);
    for target in targets {
        let is_hooks = target.is_hooks;
        let ours = ours(&target);
        let remarks = told.map(|routes| address::remarks(client, &target, environment, routes));
        let mut change = Change::plan(client, (target, ours), folder, arguments.remove);
        change.remarks = remarks.unwrap_or_default();
        changes.push(match is_hooks && !arguments.remove {
            true => heeded(change, environment),
            false => change,
        });
    }
    // Where nothing was ever put in, there is nothing to say.
    changes.retain(|change| {
        let is_named = !arguments.clients.is_empty() && !change.is_extra();
        !(arguments.remove && !is_named && change.outcome == Outcome::Already)
    });
    changes
}

/// Changes of the same file as one. Rules are asked about by themselves, and taken out with all
/// else.
fn by_file(wanted: impl Iterator<Item = Target>, removes: bool) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for target in wanted {
        let of_same = targets.iter().position(|known| known.path == target.path);
        match of_same.filter(|_| removes || !target.is_extra) {
            Some(at) => {
                let (both, _) = targets.remove(at).with(target);
                targets.insert(at, both);
            }
            None => targets.push(target),
        }
    }
    targets
}

/// That there is no file for an agent that was named.
fn no_place(
    client: &'static Client,
    arguments: &Arguments,
    folder: Option<&Path>,
    (targets, has_hooks): (&[Target], bool),
) -> Option<Change> {
    // Who names nothing gets what there is.
    let is_asked = !arguments.clients.is_empty();
    let has_place = match client.starts_servers() {
        true => targets.iter().any(|target| !target.is_hooks && !target.is_extra),
        false => has_hooks,
    };
    let why = match folder {
        Some(_) => "it has no settings for one project: leave --project away",
        None if !client.starts_servers() && arguments.no_hooks => {
            "it starts no servers, and its plugin is all there is: leave --no-hooks away"
        }
        None => "there is no place for its settings: set HOME",
    };
    (is_asked && !has_place).then(|| Change::failed(client, why))
}

/// A change of a file with hooks, where this version of the agent can use them.
fn heeded(mut change: Change, environment: &Environment) -> Change {
    match change.client.hooks_problem(environment) {
        Some(HooksProblem::Version(why)) => Change::failed(change.client, &why),
        Some(HooksProblem::NotYet(why)) if change.is_open() => {
            change.outcome = Outcome::NotYet(why);
            change
        }
        _ => change,
    }
}

fn as_json(change: &Change) -> Value {
    let (outcome, problem) = match &change.outcome {
        Outcome::Open | Outcome::Would => ("would_change", None),
        Outcome::Already => ("already", None),
        Outcome::Done => ("changed", None),
        Outcome::LeftAlone => ("left_alone", None),
        Outcome::NotYet(why) => ("not_yet", Some(why)),
        Outcome::Failed(why) => ("failed", Some(why)),
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
