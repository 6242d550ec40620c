//! A run with those of its sub-agents, as recorded sessions have them.

use foveal_store::{Session as Kept, Store, StoreError};
use foveal_transcript::{Block, Conversation, SUB_AGENT_REFERENCE, Source};
use serde_json::json;

use super::kept::{OfCall, agent_number};
use super::load::{Loaded, load};

/// The conversations of a run, its own first, then those of its sub-agents as they began.
#[derive(Debug, Default)]
pub(crate) struct Conversations {
    pub(crate) all: Vec<Conversation>,
    /// Messages that cannot be read: the number of the first one in each log that has such.
    pub(crate) damaged: Vec<u64>,
}

/// Reads the conversations of `run`, one of the sessions that are kept. The results of calls that
/// sub-agents carried out name their conversations.
///
/// # Errors
/// Those of the store.
pub(crate) fn conversations(
    store: &dyn Store,
    sessions: &[Kept],
    run: &Kept,
) -> Result<Conversations, StoreError> {
    let mut found = Conversations::default();
    let main = load(store, &run.id)?;
    found.damaged.extend(main.damaged);
    let mut main = main.conversation(&run.id, run.facts.roots.first());
    let all = sessions.iter();
    let mut agents: Vec<(u32, &Kept)> =
        all.filter_map(|kept| Some((agent_number(&run.id, &kept.id)?, kept))).collect();
    agents.sort_unstable_by_key(|(number, _)| *number);
    for (number, kept) in agents {
        let loaded = load(store, &kept.id)?;
        found.damaged.extend(loaded.damaged);
        let Some(of) = call_of(&loaded) else { continue };
        let mut conversation = loaded.conversation(&kept.id, kept.facts.roots.first());
        if conversation.entries().is_empty() {
            continue;
        }
        conversation.id = number.to_string();
        conversation.parent = Some(main.id.clone());
        main = naming(main, of, &conversation.id);
        found.all.push(conversation);
    }
    found.all.insert(0, main);
    Ok(found)
}

/// The call that a sub-agent carried out.
fn call_of(loaded: &Loaded) -> Option<OfCall> {
    loaded.runs.iter().find_map(|run| run.of)
}

/// The conversation with the name of the sub-agent's at the result of its call.
fn naming(conversation: Conversation, of: OfCall, name: &str) -> Conversation {
    let source = Source { step: of.step, result: u16::try_from(of.place).ok() };
    conversation.edited(|entry| {
        if entry.source == source {
            let kind = SUB_AGENT_REFERENCE.to_owned();
            let raw = json!([{ "trajectory_id": name }]).to_string();
            entry.blocks.push(Block::Opaque { kind, raw });
        }
    })
}
