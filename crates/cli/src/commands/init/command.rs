//! `foveal init`: has agents on this machine start the tools.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::change::{Change, Outcome};
use super::text;
use crate::clients::{CLIENTS, Client, HOOKS_SINCE, Program, Start, Target, Version, version_of};
use crate::commands::mcp::ToolChoice;
use crate::confirm;
use crate::environment::Environment;
use crate::exit_code;
use crate::output;

/// The command line of `foveal init`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Agents: claude-code, codex, opencode, cursor, vscode, zed, cline, gemini, qwen. If not given,
    /// all that are found on this machine.
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
    /// Does not set up the hooks of Claude Code, Codex and Gemini CLI.
    #[arg(long)]
    no_hooks: bool,
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
    let mut changes = Vec::new();
    for client in clients {
        changes.extend(changes_of(client, arguments, environment, folder.as_ref(), &program));
    }
    let asks = environment.terminal.input && environment.terminal.error && !arguments.json;
    let is_open = changes.iter().any(Change::is_open);
    let must_ask = is_open && !arguments.yes && !arguments.dry_run;
    for change in &mut changes {
        if !arguments.json {
            let shown = text::change(change, arguments.remove, environment);
            output::print(&shown)?;
        }
        let verb = if arguments.remove { "Take this out" } else { "Write this" };
        if change.is_open() && arguments.dry_run {
            change.outcome = Outcome::Would;
        } else if change.is_open() && (arguments.yes || (asks && confirm::yes(&format!("{verb}?"))))
        {
            change.make(arguments.remove);
        } else if change.is_open() {
            change.outcome = Outcome::LeftAlone;
        }
        if !arguments.json {
            output::print(&text::outcome(change, arguments.remove))?;
        }
    }
    if arguments.json {
        let all: Vec<Value> = changes.iter().map(as_json).collect();
        let all = json!({ "program": program.shown(), "files": all });
        output::print(&format!("{all}\n"))?;
    }
    if must_ask && !asks {
        bail!("nothing was written, because nobody can be asked: give --yes or --dry-run");
    }
    if arguments.remove && changes.is_empty() && !arguments.json {
        output::print("foveal is set up nowhere\n")?;
    }
    let has_failed = changes.iter().any(|change| matches!(change.outcome, Outcome::Failed(_)));
    Ok(if has_failed { ExitCode::from(exit_code::FAILED) } else { ExitCode::SUCCESS })
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
) -> Vec<Change> {
    let folder = folder.map(PathBuf::as_path);
    let mut changes = Vec::new();
    let shown = if folder.is_some() { program.shared() } else { program.shown() };
    let start = Start::new(shown, arguments.profile.map(ToolChoice::name));
    let hooks = client.hooks(environment, folder, program).filter(|_| !arguments.no_hooks);
    let (servers, hooks) = match (client.servers(environment, folder, &start), hooks) {
        (Some(servers), Some(hooks)) => {
            let (servers, hooks) = servers.with(hooks);
            (Some(servers), hooks)
        }
        other => other,
    };
    match servers {
        Some(target) => changes.push(Change::plan(client, target, folder, arguments.remove)),
        // Who names nothing gets what there is.
        None if arguments.clients.is_empty() => {}
        None => {
            let why = match folder {
                Some(_) => "it has no settings for one project: leave --project away",
                None => "there is no place for its settings: set HOME",
            };
            changes.push(Change::failed(client, why));
        }
    }
    if let Some(target) = hooks {
        changes.push(hooks_change(client, target, arguments, environment, folder));
    }
    // Where nothing was ever put in, there is nothing to say.
    changes.retain(|change| {
        !(arguments.remove && arguments.clients.is_empty() && change.outcome == Outcome::Already)
    });
    changes
}

/// The change of a file with hooks, where this version of the agent can use them.
fn hooks_change(
    client: &'static Client,
    target: Target,
    arguments: &Arguments,
    environment: &Environment,
    folder: Option<&Path>,
) -> Change {
    let version = || client.program(environment).and_then(|program| version_of(&program));
    let is_old = |version: &Version| client.name == "claude-code" && *version < HOOKS_SINCE;
    match version().filter(|version| !arguments.remove && is_old(version)) {
        Some(version) => Change::failed(
            client,
            &format!(
                "its hooks can shape answers since version {HOOKS_SINCE}, and this is {version}: \
                 update it, or say --no-hooks"
            ),
        ),
        None => Change::plan(client, target, folder, arguments.remove),
    }
}

fn as_json(change: &Change) -> Value {
    let (outcome, problem) = match &change.outcome {
        Outcome::Open | Outcome::Would => ("would_change", None),
        Outcome::Already => ("already", None),
        Outcome::Done => ("changed", None),
        Outcome::LeftAlone => ("left_alone", None),
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
    })
}
