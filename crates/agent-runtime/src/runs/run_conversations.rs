//! Loads a run with its sub-agents, in the form of a recorded session.

use foveal_store::{Store, StoreError, StoredSession};
use foveal_transcript::{ContentBlock, Conversation, RecordingPosition, SUB_AGENT_REFERENCE_KIND};
use serde_json::json;

use super::log_record::{ParentCall, sub_agent_number};
use super::stored_run::{StoredRun, load_stored_run};

/// The conversations of a run: its own first, then those of its sub-agents in the order of their
/// start.
#[derive(Debug, Default)]
pub struct RunConversations {
    /// The conversations.
    pub all: Vec<Conversation>,
    /// The number of the first unreadable message of each log that has one.
    pub first_damaged: Vec<u64>,
}

/// Loads the conversations of `run`, which is one of `sessions`. The results of calls that
/// sub-agents carried out refer to their conversations.
///
/// # Errors
/// Returns errors of the store.
pub fn load_conversations(
    store: &dyn Store,
    sessions: &[StoredSession],
    run: &StoredSession,
) -> Result<RunConversations, StoreError> {
    let mut found = RunConversations::default();
    let main = load_stored_run(store, &run.id)?;
    found.first_damaged.extend(main.first_damaged);
    let mut main = main.to_conversation(&run.id, run.metadata.roots.first());
    let all = sessions.iter();
    let mut agents: Vec<(u32, &StoredSession)> =
        all.filter_map(|kept| Some((sub_agent_number(&run.id, &kept.id)?, kept))).collect();
    agents.sort_unstable_by_key(|(number, _)| *number);
    for (number, kept) in agents {
        let loaded = load_stored_run(store, &kept.id)?;
        found.first_damaged.extend(loaded.first_damaged);
        let Some(of) = parent_call(&loaded) else { continue };
        let mut conversation = loaded.to_conversation(&kept.id, kept.metadata.roots.first());
        if conversation.entries().is_empty() {
            continue;
        }
        conversation.id = number.to_string();
        conversation.parent = Some(main.id.clone());
        main = with_sub_agent_reference(main, of, &conversation.id);
        found.all.push(conversation);
    }
    found.all.insert(0, main);
    Ok(found)
}

/// Returns the call that a sub-agent carried out.
fn parent_call(loaded: &StoredRun) -> Option<ParentCall> {
    loaded.run_settings.iter().find_map(|run| run.of)
}

/// Adds a reference to the sub-agent's conversation `name` to the result of the call `of`.
fn with_sub_agent_reference(
    conversation: Conversation,
    of: ParentCall,
    name: &str,
) -> Conversation {
    let source = RecordingPosition { step: of.step, result: u16::try_from(of.place).ok() };
    conversation.map_entries(|entry| {
        if entry.source == source {
            let kind = SUB_AGENT_REFERENCE_KIND.to_owned();
            let raw = json!([{ "trajectory_id": name }]).to_string();
            entry.blocks.push(ContentBlock::Opaque { kind, raw });
        }
    })
}
