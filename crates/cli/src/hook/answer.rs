//! One event: what is answered, and what is remembered of it.

use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use foveal_store::{SqliteStore, Store};
use foveal_tools::session::note_reader;
use foveal_tools::settings::{COLLECT_EVERY_MS, KEPT};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use super::event::{Event, Occasion};
use super::expand::Expand;
use super::past::Past;
use super::{output, shaped, transcript};
use crate::environment::Environment;
use crate::toolbox;

/// Bytes of an event that are read; a larger one is left alone.
const EVENT_BYTES_MAX: u64 = 64 << 20;

/// Answers the event on `input` by `tell`, if there is something to answer.
pub(crate) fn answer(input: impl Read, environment: &Environment, tell: impl FnOnce(&Value)) {
    let mut text = Vec::new();
    let read = input.take(EVENT_BYTES_MAX + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > EVENT_BYTES_MAX {
        return;
    }
    // Whoever works with the agent must not be told of a fault of ours in the midst of it.
    panic::set_hook(Box::new(|_| {}));
    let answered = || {
        let event = Event::parse(&text)?;
        let store = SqliteStore::open(&toolbox::store_path(environment)?).ok()?;
        if let Some(answer) = answered(&event, &store, environment) {
            tell(&answer);
        }
        // What cannot be removed now is removed the next time.
        store.collect_if_due(KEPT, COLLECT_EVERY_MS, now()).ok()
    };
    drop(panic::catch_unwind(AssertUnwindSafe(answered)));
}

fn answered(event: &Event, store: &dyn Store, environment: &Environment) -> Option<Value> {
    // As the roots of servers are spelled.
    let named = Path::new(&event.directory);
    let folder = &named.canonicalize().unwrap_or_else(|_| named.to_owned());
    match &event.occasion {
        Occasion::Forgets => {
            // What cannot be noted is no reason to trouble anybody.
            drop(note_reader(store, folder, None, now()));
            Past::open(store, event, now())?.forget(transcript::length(event));
            None
        }
        Occasion::Asks(call) => {
            let agent = event.agent.as_deref().unwrap_or_default();
            let reader = format!("{}/{agent}", event.session);
            // What cannot be noted makes the server point at nothing.
            drop(store.note_asker(call, &reader, now()));
            // For servers that cannot match the call.
            drop(note_reader(store, folder, Some(&reader), now()));
            None
        }
        Occasion::Answered(answered) => {
            let past = Past::open(store, event, now())?;
            let result = output::Output::of(answered)?;
            let seen = transcript::read(event, past.forgotten, |call| past.of(call));
            let expand = Expand::new(environment)?;
            let shaped = shaped::shape(seen, &past, answered, &result, &expand)?;
            // Without the whole, what is left out would be gone.
            store.put(Some(past.session()), shaped.whole.as_bytes(), now()).ok()?;
            past.sent(answered, &shaped.sent)?;
            let told = shaped.told(past.is_first(), &expand);
            let mut all = json!({
                "hookEventName": "PostToolUse",
                "updatedToolOutput": shaped.output,
            });
            if let Some(told) = told {
                all["additionalContext"] = told.into();
            }
            Some(json!({ "hookSpecificOutput": all }))
        }
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
