//! `foveal hook`: the answer to one event of an agent, within its time limit, whatever goes wrong.

use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use foveal_agent_setup::FovealProgram;
use foveal_agent_setup::client_agents::ClientAgent;
use foveal_agent_setup::hook::{AgentHook, ExpandCommand, HookEvent, ReplyContext, reply_to_event};
use foveal_settings::UserSettings;
use foveal_store::{GarbageCollection as _, SqliteStore};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::settings::{COLLECT_EVERY_MS, RETENTION_LIMITS};
use serde_json::Value;

use crate::environment::Environment;
use crate::project_settings::with_trusted_project;
use crate::{notice, output, toolbox, uptime};

/// The longest wait for a store that another process has locked.
const STORE_TIME_MAX: Duration = Duration::from_millis(400);

/// The time limit of a hook call, a little below the time-out that agents are given.
const TIME_MAX: Duration = Duration::from_millis(2_800);

/// The largest event that is read, in bytes. The hook ignores larger ones.
const EVENT_BYTES_MAX: u64 = 64 << 20;

/// The command line of `foveal hook`.
#[derive(Debug, clap::Args)]
pub(crate) struct HookArguments {
    /// The agent that tells the event.
    #[arg(value_parser = hook_parser(), value_name = "AGENT", default_value = "claude-code")]
    agent: &'static AgentHook,
}

/// Returns the parser of the names of agents that have a hook.
fn hook_parser() -> impl TypedValueParser<Value = &'static AgentHook> {
    let mut names: Vec<&str> = ClientAgent::hooks().map(|hook| hook.agent).collect();
    names.sort_unstable();
    PossibleValuesParser::new(names).try_map(|name| ClientAgent::find_hook(&name).ok_or("no hook"))
}

/// Reads an event on standard input and prints the answer. On any error no answer is printed, and
/// the agent continues as without foveal.
pub(crate) fn run(arguments: &HookArguments, environment: &Environment) -> ExitCode {
    if environment.terminal.input {
        notice::print_notice("agents run this command and give it an event: see `foveal init`");
        return ExitCode::from(2);
    }
    handle_event(arguments.agent, io::stdin().lock(), environment, |answer| {
        // A reader that is gone does not need the answer.
        let _ = output::print_raw(&format!("{answer}\n"));
    });
    ExitCode::SUCCESS
}

/// Reads the event of `host` from `input` and hands the answer, if there is one, to `tell`. Any
/// error leaves the tool result unchanged.
fn handle_event(
    host: &'static AgentHook,
    input: impl Read,
    environment: &Environment,
    tell: impl FnOnce(&Value),
) {
    start_watchdog();
    let mut text = Vec::new();
    let read = input.take(EVENT_BYTES_MAX + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > EVENT_BYTES_MAX {
        return;
    }
    // A panic message of the hook must not appear in the agent's session.
    panic::set_hook(Box::new(|_| {}));
    let answered = || {
        let event = HookEvent::parse(&text, host)?;
        let place = toolbox::store_path(environment)?;
        let store = SqliteStore::open_within(&place, STORE_TIME_MAX).ok()?;
        let store = store.with_uptime_clock(uptime::machine_uptime);
        let expand = expand_command(environment);
        let settings = environment.read_user_settings().ok();
        let keeps_contents = settings.as_ref().is_some_and(UserSettings::keeps_contents);
        let calls = settings.map(|user| {
            with_trusted_project(&user, event.directory(), environment).call_settings()
        });
        let calls = calls.unwrap_or_default();
        let has_gateway = event.has_gateway(&environment.user);
        let (expand, now) = (expand.as_ref(), SystemClock.now());
        let means = ReplyContext { expand, keeps_contents, has_gateway, calls: &calls, now };
        // A store that another process has locked is not waited for a second time.
        if let Some(answer) = reply_to_event(&event, &store, means).ok()? {
            tell(&answer);
        }
        // Contents that cannot be removed now are removed by a later call.
        store.collect_garbage_if_due(RETENTION_LIMITS, COLLECT_EVERY_MS, SystemClock.now()).ok()
    };
    drop(panic::catch_unwind(AssertUnwindSafe(answered)));
}

/// Returns the command that restores omitted content, with the absolute path of this program.
fn expand_command(environment: &Environment) -> Option<ExpandCommand> {
    let program = FovealProgram::locate(&environment.user).ok()?;
    Some(ExpandCommand::from_program(program.path()))
}

/// Ends this process at the time limit, whatever it is doing. The tool result then stays unchanged.
fn start_watchdog() {
    std::thread::spawn(|| {
        std::thread::sleep(TIME_MAX);
        std::process::exit(0);
    });
}
