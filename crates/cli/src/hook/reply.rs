//! What is replied to one event, and what is remembered of it.

use std::path::Path;

use foveal_calls::CallSettings;
use foveal_store::{Store, StoreError};
use foveal_tools::session::{note_edit, note_reader};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use super::event::{Answered, Event, Occasion};
use super::expand::Expand;
use super::host::Host;
use super::past::Past;
use super::shaped::Shaped;
use super::{failure, output, own_edit, shaped, transcript};

/// What a reply rests on besides the event and the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Means<'a> {
    /// How the model gets back what is left out; `None`: it cannot.
    pub(super) expand: Option<&'a Expand>,
    /// Whether contents may be kept.
    pub(super) keeps_contents: bool,
    /// Whether foveal's gateway is sent the result: it sees the prompt itself, and what becomes of it.
    pub(super) has_gateway: bool,
    /// Which results may point at earlier ones.
    pub(super) calls: &'a CallSettings,
    pub(super) now: Timestamp,
}

/// What is replied to an event, if anything is.
///
/// # Errors
/// If the store cannot be used: what is not kept must not be left out.
pub(super) fn reply(
    event: &Event,
    store: &dyn Store,
    means: Means<'_>,
) -> Result<Option<Value>, StoreError> {
    let Means { keeps_contents, has_gateway, now, .. } = means;
    // As the roots of servers are spelled.
    let named = Path::new(&event.directory);
    let folder = &named.canonicalize().unwrap_or_else(|_| named.to_owned());
    match &event.occasion {
        Occasion::Forgets => {
            note_reader(store, folder, None, now)?;
            store.forget_edits(&event.session)?;
            if keeps_contents {
                Past::open(store, event, now)?.forget(transcript::length(event));
            }
            Ok(None)
        }
        Occasion::Asks(call) => {
            let reader = transcript::reader(event);
            // A server that finds no note points at nothing.
            store.note_asker(call, &reader, now)?;
            // For servers that cannot match the call.
            note_reader(store, folder, Some(&reader), now)?;
            Ok(None)
        }
        Occasion::Answered(answered) if own_edit::TOOLS.contains(&&*answered.tool) => {
            // Where nothing is noted, the server takes the change for that of others.
            if let Some((path, changes)) = own_edit::of(answered, folder) {
                let reader = transcript::reader(event);
                note_edit(store, (&event.session, &reader), &path, &changes, now)?;
            }
            Ok(None)
        }
        // What is left out could not be had again.
        Occasion::Answered(_) if !keeps_contents || has_gateway => Ok(None),
        Occasion::Answered(answered) => to_answer(event, answered, store, means),
        Occasion::Failed(error) => Ok(failure::advice(error).map(|told| {
            let name = "PostToolUseFailure";
            json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": told } })
        })),
    }
}

/// What is sent in place of the result of a call, if anything is.
fn to_answer(
    event: &Event,
    answered: &Answered,
    store: &dyn Store,
    Means { expand, calls, now, .. }: Means<'_>,
) -> Result<Option<Value>, StoreError> {
    let past = Past::open(store, event, now)?;
    let Some(expand) = expand else { return Ok(None) };
    let Some(shaped) = shaped(event, answered, &past, expand, calls) else { return Ok(None) };
    // A rewind takes the explanation of the notes away with the results that had it.
    let is_first = past.is_first() || (event.host == Host::ClaudeCode && !shaped.follows_shaped);
    let told = shaped.told(is_first, event.host, expand);
    let text = (event.host != Host::ClaudeCode).then(|| {
        let told = told.as_ref().map(|told| format!("\n[{told}]")).unwrap_or_default();
        format!("{}{told}", shaped.sent)
    });
    // The agent would cut it, and what it cuts stands nowhere.
    if text.as_ref().is_some_and(|text| text.len() > event.host.replacement_bytes_max()) {
        return Ok(None);
    }
    // Without the whole, what is left out would be gone.
    let stored = store.put(Some(past.session()), shaped.whole.as_bytes(), now)?;
    past.sent(answered, &shaped.sent, stored.handle)?;
    if let Some(text) = text {
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

/// The result of a call shaped, if it is.
fn shaped(
    event: &Event,
    answered: &Answered,
    past: &Past<'_>,
    expand: &Expand,
    calls: &CallSettings,
) -> Option<Shaped> {
    let result = output::Output::of(answered, event.host)?;
    let seen = transcript::read(event, past.forgotten, |call| past.of(call));
    shaped::shape(seen, past, (answered, event.host), &result, expand, calls)
}
