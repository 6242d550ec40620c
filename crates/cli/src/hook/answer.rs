//! One event: what is answered, and what is remembered of it.

use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foveal_store::{SqliteStore, Store, StoreError};
use foveal_tools::session::{note_edit, note_reader};
use foveal_tools::settings::{COLLECT_EVERY_MS, KEPT};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use super::event::{Answered, Event, Occasion};
use super::expand::Expand;
use super::host::Host;
use super::past::Past;
use super::shaped::Shaped;
use super::{failure, output, own_edit, shaped, transcript};
use crate::environment::Environment;
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
        // A store that another process holds is not waited for a second time.
        if let Some(answer) = answered(&event, &store, environment).ok()? {
            tell(&answer);
        }
        // What cannot be removed now is removed the next time.
        store.collect_if_due(KEPT, COLLECT_EVERY_MS, now()).ok()
    };
    drop(panic::catch_unwind(AssertUnwindSafe(answered)));
}

/// What is answered to an event, if anything is.
///
/// # Errors
/// If the store cannot be used: what is not kept must not be left out.
fn answered(
    event: &Event,
    store: &dyn Store,
    environment: &Environment,
) -> Result<Option<Value>, StoreError> {
    // As the roots of servers are spelled.
    let named = Path::new(&event.directory);
    let folder = &named.canonicalize().unwrap_or_else(|_| named.to_owned());
    match &event.occasion {
        Occasion::Forgets => {
            note_reader(store, folder, None, now())?;
            store.forget_edits(&event.session)?;
            if user_settings::keep_contents(environment) {
                Past::open(store, event, now())?.forget(transcript::length(event));
            }
            Ok(None)
        }
        Occasion::Asks(call) => {
            let reader = event.reader();
            // A server that finds no note points at nothing.
            store.note_asker(call, &reader, now())?;
            // For servers that cannot match the call.
            note_reader(store, folder, Some(&reader), now())?;
            Ok(None)
        }
        Occasion::Answered(answered) if own_edit::TOOLS.contains(&&*answered.tool) => {
            // Where nothing is noted, the server takes the change for that of others.
            if let Some((path, changes)) = own_edit::of(answered, folder) {
                note_edit(store, (&event.session, &event.reader()), &path, &changes, now())?;
            }
            Ok(None)
        }
        // What is left out could not be had again.
        Occasion::Answered(_) if !user_settings::keep_contents(environment) => Ok(None),
        Occasion::Answered(answered) => {
            let past = Past::open(store, event, now())?;
            let shaped = shaped(event, answered, &past, environment);
            let Some((shaped, expand)) = shaped else { return Ok(None) };
            // Without the whole, what is left out would be gone.
            store.put(Some(past.session()), shaped.whole.as_bytes(), now())?;
            past.sent(answered, &shaped.sent)?;
            let told = shaped.told(past.is_first(), &expand);
            if event.host != Host::ClaudeCode {
                let told = told.map(|told| format!("\n[{told}]")).unwrap_or_default();
                let text = format!("{}{told}", shaped.sent);
                return Ok(Some(event.host.replacement(&text)));
            }
            let mut all = json!({
                "hookEventName": "PostToolUse",
                "updatedToolOutput": shaped.output,
            });
            if let Some(told) = told {
                all["additionalContext"] = told.into();
            }
            Ok(Some(json!({ "hookSpecificOutput": all })))
        }
        Occasion::Failed(error) => Ok(failure::advice(error).map(|told| {
            let name = "PostToolUseFailure";
            json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": told } })
        })),
    }
}

/// The result of a call shaped, if it is, with the way to what is left out.
fn shaped(
    event: &Event,
    answered: &Answered,
    past: &Past<'_>,
    environment: &Environment,
) -> Option<(Shaped, Expand)> {
    let result = output::Output::of(answered, event.host)?;
    let seen = transcript::read(event, past.forgotten, |call| past.of(call));
    let expand = Expand::new(environment)?;
    let shaped = shaped::shape(seen, past, (answered, event.host), &result, &expand)?;
    Some((shaped, expand))
}

/// Ends this process when the agent has waited long enough, whatever is under way: its result
/// stays as it is.
fn end_in_time() {
    std::thread::spawn(|| {
        std::thread::sleep(TIME_MAX);
        std::process::exit(0);
    });
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
