//! One event: read, answered within its time, whatever goes wrong.

use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::Duration;

use foveal_store::{SqliteStore, Store as _};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::settings::{COLLECT_EVERY_MS, KEPT};
use serde_json::Value;

use super::event::{Event, Occasion};
use super::expand::Expand;
use super::host::Host;
use super::reply::{Means, reply};
use crate::clients::{Program, quoted};
use crate::environment::Environment;
use crate::gateway::{Listener, local_origin};
use crate::project_settings::trusted_settings;
use crate::toolbox;
use crate::uptime;
use crate::user_settings;

/// How long another process may keep the store to itself before the hook gives up.
const STORE_TIME_MAX: Duration = Duration::from_millis(400);

/// How long the hook may take; a little less than agents are told to wait.
const TIME_MAX: Duration = Duration::from_millis(2_800);

/// Bytes of an event that are read; a larger one is left alone.
const EVENT_BYTES_MAX: u64 = 64 << 20;

/// Answers the event of an agent on `input` by `tell`, if there is something to answer.
pub(crate) fn answer(
    host: Host,
    input: impl Read,
    environment: &Environment,
    tell: impl FnOnce(&Value),
) {
    end_in_time();
    let mut text = Vec::new();
    let read = input.take(EVENT_BYTES_MAX + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > EVENT_BYTES_MAX {
        return;
    }
    // Whoever works with the agent must not be told of a fault of ours in the midst of it.
    panic::set_hook(Box::new(|_| {}));
    let answered = || {
        let event = Event::parse(&text, host)?;
        let place = toolbox::store_path(environment)?;
        let store = SqliteStore::open_within(&place, STORE_TIME_MAX).ok()?;
        let store = store.told_uptime(uptime::now);
        let expand = expand(environment);
        let settings = user_settings::read(environment).ok();
        let keeps_contents = settings.as_ref().is_some_and(|all| !all.keeps_no_contents);
        let calls = settings.map(|user| {
            trusted_settings(&user, Path::new(&event.directory), environment).tools.calls
        });
        let calls = calls.unwrap_or_default();
        let has_gateway = has_gateway(&event, environment);
        let (expand, now) = (expand.as_ref(), SystemClock.now());
        let means = Means { expand, keeps_contents, has_gateway, calls: &calls, now };
        // A store that another process holds is not waited for a second time.
        if let Some(answer) = reply(&event, &store, means).ok()? {
            tell(&answer);
        }
        // What cannot be removed now is removed the next time.
        store.collect_if_due(KEPT, COLLECT_EVERY_MS, SystemClock.now()).ok()
    };
    drop(panic::catch_unwind(AssertUnwindSafe(answered)));
}

/// Whether foveal stands between the agent and its provider. Only results go there, so that nothing else
/// waits for a connection.
fn has_gateway(event: &Event, environment: &Environment) -> bool {
    if !matches!(event.occasion, Occasion::Answered(_)) {
        return false;
    }
    let told = event.provider_url.as_deref();
    let variable = event.host.address_variable();
    let address = told.or_else(|| Some(environment.of_agents.get(variable?)?.as_str()));
    address.and_then(local_origin).is_some_and(|origin| Listener::at(origin) == Listener::Foveal)
}

/// How the model gets back what is left out: with the absolute path of this program.
fn expand(environment: &Environment) -> Option<Expand> {
    let program = Program::own(environment).ok()?;
    Some(Expand::by(&quoted(program.shown())))
}

/// Ends this process when the agent has waited long enough, whatever is under way: its result
/// stays as it is.
fn end_in_time() {
    std::thread::spawn(|| {
        std::thread::sleep(TIME_MAX);
        std::process::exit(0);
    });
}
