//! Replies to one event, and records it in the store.

use std::path::Path;

use foveal_store::{EditAuthor, Store, StoreError};
use foveal_tools::duplicate_calls::CallSettings;
use foveal_tools::session::{announce_reader, record_client_tool_edit};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use super::agent_hook::HookResultForm;
use super::event::{AnsweredCall, HookEvent, HookEventKind};
use super::expand_command::ExpandCommand;
use super::history::HookHistory;
use super::result_shaping::ResultReplacement;
use super::{agent_edit, failure_advice, result_shaping, tool_output, transcript};

/// The inputs of a reply besides the event and the store.
#[derive(Debug, Clone, Copy)]
pub struct ReplyContext<'a> {
    /// The command that restores omitted content; `None` if there is none.
    pub expand: Option<&'a ExpandCommand>,
    /// Whether the store may keep contents.
    pub keeps_contents: bool,
    /// Whether the result passes foveal's gateway, which sees and reduces the prompt itself.
    pub has_gateway: bool,
    /// The settings that say which results may point at earlier ones.
    pub calls: &'a CallSettings,
    /// The time of the event.
    pub now: Timestamp,
}

/// Handles an event, and returns the reply if there is one.
///
/// # Errors
/// If the store cannot be used: content that is not stored must not be omitted.
pub fn reply_to_event(
    event: &HookEvent,
    store: &dyn Store,
    means: ReplyContext<'_>,
) -> Result<Option<Value>, StoreError> {
    let ReplyContext { keeps_contents, has_gateway, now, .. } = means;
    // The spelling in which servers name their roots.
    let named = Path::new(&event.directory);
    let folder = &named.canonicalize().unwrap_or_else(|_| named.to_owned());
    match &event.kind {
        HookEventKind::PromptCleared => {
            announce_reader(store, folder, None, now)?;
            store.forget_client_edits(&event.session)?;
            if keeps_contents {
                HookHistory::open(store, event, now)?.record_forgotten(transcript::byte_length(event));
            }
            Ok(None)
        }
        HookEventKind::ServerToolCall(call) => {
            let reader = transcript::reader_name(event);
            // A server that finds no note uses no pointers.
            store.note_call_reader(call, &reader, now)?;
            // For servers that cannot match the call id.
            announce_reader(store, folder, Some(&reader), now)?;
            Ok(None)
        }
        HookEventKind::ToolAnswered(answered) if agent_edit::EDIT_TOOLS.contains(&&*answered.tool) => {
            // Without a note, the server attributes the change to another program.
            if let Some((path, changes)) = agent_edit::detect_agent_edit(answered, folder) {
                let reader = transcript::reader_name(event);
                let author = EditAuthor { session: &event.session, reader: &reader };
                record_client_tool_edit(store, author, &path, &changes, now)?;
            }
            Ok(None)
        }
        // Omitted content could not be restored.
        HookEventKind::ToolAnswered(_) if !keeps_contents || has_gateway => Ok(None),
        HookEventKind::ToolAnswered(answered) => replace_result(event, answered, store, means),
        HookEventKind::CommandFailed(error) => Ok(failure_advice::truncation_advice(error).map(|told| {
            let name = "PostToolUseFailure";
            json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": told } })
        })),
    }
}

/// Returns the reply that replaces the result of a call, if it is shaped.
fn replace_result(
    event: &HookEvent,
    answered: &AnsweredCall,
    store: &dyn Store,
    ReplyContext { expand, calls, now, .. }: ReplyContext<'_>,
) -> Result<Option<Value>, StoreError> {
    let past = HookHistory::open(store, event, now)?;
    let Some(expand) = expand else { return Ok(None) };
    let Some(shaped) = shape_call_result(event, answered, &past, expand, calls) else {
        return Ok(None);
    };
    // A rewind removes the explanation of notes with the results that carried it.
    let is_first =
        past.needs_explanation() || (event.host.is_claude_code() && !shaped.follows_shaped);
    let told = shaped.additional_context(is_first, event.host, expand);
    let answer = match &event.host.results {
        HookResultForm::ClaudeCode => None,
        HookResultForm::Text(results) => {
            let told = told.as_ref().map(|told| format!("\n[{told}]")).unwrap_or_default();
            let text = format!("{}{told}", shaped.sent_text);
            // The agent would cut it, and the removed part would be stored nowhere.
            if text.len() > event.host.replacement_bytes_max {
                return Ok(None);
            }
            Some((results.answer)(&text))
        }
    };
    // Without the original, the omitted content would be lost.
    let stored = store.put_content(Some(past.session_id()), shaped.original.as_bytes(), now)?;
    past.record_sent(answered, &shaped.sent_text, stored.handle)?;
    if answer.is_some() {
        return Ok(answer);
    }
    let mut all = json!({
        "hookEventName": "PostToolUse",
        "updatedToolOutput": shaped.response,
    });
    if let Some(told) = told {
        all["additionalContext"] = told.into();
    }
    Ok(Some(json!({ "hookSpecificOutput": all })))
}

/// Shapes the result of a call. Returns `None` if it stays unchanged.
fn shape_call_result(
    event: &HookEvent,
    answered: &AnsweredCall,
    past: &HookHistory<'_>,
    expand: &ExpandCommand,
    calls: &CallSettings,
) -> Option<ResultReplacement> {
    let result = tool_output::ShapeableOutput::from_answered_call(answered, event.host)?;
    let seen =
        transcript::read_conversation(event, past.forgotten_bytes, |call| past.sent_text(call));
    result_shaping::shape_new_result(seen, past, answered, event.host, &result, expand, calls)
}
