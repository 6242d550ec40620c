//! Reads one hook event and answers it within its time limit, whatever goes wrong.

use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::Duration;

use foveal_store::{SqliteStore, Store as _};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::settings::{COLLECT_EVERY_MS, RETENTION_LIMITS};
use serde_json::Value;

use super::event::{HookEvent, HookEventKind};
use super::expand_command::ExpandCommand;
use super::hook_agent::HookAgent;
use super::reply::{ReplyContext, reply_to_event};
use crate::clients::{FovealProgram, shell_quote};
use crate::environment::Environment;
use crate::gateway::{ListeningProgram, local_origin};
use crate::project_settings::with_trusted_project;
use crate::toolbox;
use crate::uptime;
use crate::user_settings;

/// The longest wait for a store that another process has locked.
const STORE_TIME_MAX: Duration = Duration::from_millis(400);

/// The time limit of a hook call, a little below the time-out that agents are given.
const TIME_MAX: Duration = Duration::from_millis(2_800);

/// The largest event that is read, in bytes. The hook ignores larger ones.
const EVENT_BYTES_MAX: u64 = 64 << 20;

/// Reads the event of `host` from `input` and hands the answer, if there is one, to `tell`. Any
/// error leaves the tool result unchanged.
pub(crate) fn handle_event(
    host: HookAgent,
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
        let settings = user_settings::read_user_settings(environment).ok();
        let keeps_contents = settings.as_ref().is_some_and(|all| !all.keeps_no_contents);
        let calls = settings.map(|user| {
            with_trusted_project(&user, Path::new(&event.directory), environment).tools.calls
        });
        let calls = calls.unwrap_or_default();
        let has_gateway = has_gateway(&event, environment);
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

/// Returns whether the agent's requests pass through foveal's gateway. Only tool answers are
/// checked, so that no other event waits for a connection.
fn has_gateway(event: &HookEvent, environment: &Environment) -> bool {
    if !matches!(event.kind, HookEventKind::ToolAnswered(_)) {
        return false;
    }
    let told = event.provider_url.as_deref();
    let variable = event.host.address_variable();
    let address = told.or_else(|| Some(environment.agent_variables.get(variable?)?.as_str()));
    address
        .and_then(local_origin)
        .is_some_and(|origin| ListeningProgram::probe(origin) == ListeningProgram::Foveal)
}

/// Returns the command that restores omitted content, with the absolute path of this program.
fn expand_command(environment: &Environment) -> Option<ExpandCommand> {
    let program = FovealProgram::locate(environment).ok()?;
    Some(ExpandCommand::from_program(&shell_quote(program.path())))
}

/// Ends this process at the time limit, whatever it is doing. The tool result then stays unchanged.
fn start_watchdog() {
    std::thread::spawn(|| {
        std::thread::sleep(TIME_MAX);
        std::process::exit(0);
    });
}
