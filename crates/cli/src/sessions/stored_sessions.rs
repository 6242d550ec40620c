//! The sessions in foveal's own store: their titles, and how a user names and loads one.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_agent_runtime::runs::{self, RunConversations};
use foveal_agent_setup::hook;
use foveal_agent_setup::sessions::SessionFile;
use foveal_engine::conversation_record::ConversationRecord;
use foveal_gateway::request_record::{self, ConversationTotals};
use foveal_pricing::tokens::Tokenizer;
use foveal_store::{
    RecordNumber, SessionLogStore, SessionRecord, SessionStore, SqliteStore, Store, StoredSession,
};
use foveal_tools::session::{load_conversation, parse_call_record};
use foveal_transcript::{
    ContentBlock, EntryIndex, EntryMark, MessageRole, RecordedSession, RecordingPosition, ToolCall,
    TranscriptEntry,
};

use super::loading::load_single_session;
use super::stored_runs::run_session_file;
use crate::environment::Environment;
use crate::numbers::{describe_saving, format_dollars, format_plural};
use crate::{notice, toolbox};

/// The number of records in which a session's first call is looked for.
const TITLE_RECORDS_MAX: usize = 8;

/// The number of sessions that an error message lists.
const LISTED_MAX: usize = 8;

/// The shortest abbreviation of a session's name, in characters.
const NAME_CHARS_MIN: usize = 8;

/// Returns a title for a session: its first question or its first call, for a gateway session its
/// costs. The title is empty if the session has none of these.
pub(crate) fn session_title(store: &dyn Store, session: &StoredSession) -> String {
    if request_record::is_gateway_session(session) {
        return gateway_summary(store, session);
    }
    if let Some(said) = runs::first_user_text(store, &session.id) {
        return said;
    }
    let records = store.records(&session.id, RecordNumber(1), TITLE_RECORDS_MAX);
    records.unwrap_or_default().iter().find_map(record_title).unwrap_or_default()
}

/// Summarizes a gateway conversation: `claude-opus-4-5, 12 requests, $0.42 (saved $0.10)`.
fn gateway_summary(store: &dyn SessionLogStore, session: &StoredSession) -> String {
    let Ok(Some(last)) = request_record::last_request(store, session) else {
        return String::new();
    };
    let (sum, model) = (last.so_far, last.request.model.unwrap_or_default());
    if sum.requests == 0 {
        return "no model requests".to_owned();
    }
    let many = format_plural(sum.requests, "request");
    format!("{model}, {many}, {}", describe_conversation_cost(&sum, last.request.bill.is_some()))
}

/// Describes the cost of a conversation: `$0.42 (saved $0.10)`. `is_priced` tells whether the last
/// request has a bill.
pub(crate) fn describe_conversation_cost(sum: &ConversationTotals, is_priced: bool) -> String {
    if !is_priced && sum.without <= 0.0 {
        return "cost unknown".to_owned();
    }
    format!("{} ({})", format_dollars(sum.cost), describe_saving(sum.without - sum.cost))
}

fn record_title(record: &SessionRecord) -> Option<String> {
    let (tool, arguments) = match parse_call_record(record) {
        Some(call) => match call.question {
            Some(question) => return Some(format!("\"{}\"", question.trim())),
            None => (call.tool, call.arguments),
        },
        None => hook::recorded_call(&record.payload)?,
    };
    let call = ToolCall { id: String::new(), name: tool, arguments };
    let entry = TranscriptEntry {
        source: RecordingPosition { step: 1, result: None },
        role: MessageRole::Assistant,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks: vec![ContentBlock::Call(call)],
    };
    let record =
        ConversationRecord::from_conversation([entry].into_iter().collect(), Tokenizer::Bytes);
    record.facts(EntryIndex(0)).calls.first().map(|call| call.label.clone())
}

/// Returns the shortest prefix of a session's name that is unique among `all`.
pub(crate) fn short_name(session: &StoredSession, all: &[StoredSession]) -> String {
    let of = |session: &StoredSession| {
        let (_, name) = session.id.kind_and_name();
        let (main, agent) = split_sub_agent(name);
        (main.to_owned(), agent.map(str::to_owned))
    };
    let (main, agent) = of(session);
    let others = || all.iter().filter(|other| other.id != session.id).map(of);
    let least = if main.starts_with("mcp-") { NAME_CHARS_MIN + 4 } else { NAME_CHARS_MIN };
    let mains: Vec<String> =
        others().map(|(other, _)| other).filter(|other| *other != main).collect();
    let main_short = shortest_unique_prefix(&main, least, &mains);
    let Some(agent) = agent else { return main_short };
    let agents = others().filter(|(other, _)| *other == main).filter_map(|(_, agent)| agent);
    format!(
        "{main_short}/{}",
        shortest_unique_prefix(&agent, NAME_CHARS_MIN / 2, &agents.collect::<Vec<_>>())
    )
}

fn shortest_unique_prefix(name: &str, least: usize, others: &[String]) -> String {
    let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]).skip(least);
    let beginnings = ends.map(|end| &name[..end]);
    let is_alone = |begin: &&str| !others.iter().any(|other| other.starts_with(*begin));
    beginnings.into_iter().find(is_alone).unwrap_or(name).to_owned()
}

/// Splits a session's name into the main name and the sub-agent.
fn split_sub_agent(name: &str) -> (&str, Option<&str>) {
    match name.split_once('/') {
        Some((main, agent)) => (main, Some(agent)),
        None => (name, None),
    }
}

/// Finds the session whose id or name starts with `asked`.
///
/// # Errors
/// If no session matches, or several do.
pub(crate) fn find_stored_session<'k>(
    sessions: &'k [StoredSession],
    asked: &str,
) -> anyhow::Result<&'k StoredSession> {
    if let Some(exact) = sessions.iter().find(|session| session.id.0 == asked) {
        return Ok(exact);
    }
    let (main, agent) = split_sub_agent(asked);
    let begins = |name: &str| {
        let (its_main, its_agent) = split_sub_agent(name);
        match agent {
            None => its_main.starts_with(main),
            Some(agent) => {
                its_main.starts_with(main) && its_agent.is_some_and(|its| its.starts_with(agent))
            }
        }
    };
    let is_meant = |session: &&StoredSession| {
        let id = &session.id.0;
        !asked.is_empty() && (begins(id) || begins(session.id.kind_and_name().1))
    };
    let found: Vec<&StoredSession> = sessions.iter().filter(is_meant).collect();
    let main_of = |session: &StoredSession| split_sub_agent(&session.id.0).0.to_owned();
    let is_one = found.windows(2).all(|two| main_of(two[0]) == main_of(two[1]));
    let main = found.iter().find(|session| split_sub_agent(&session.id.0).1.is_none());
    match (&found[..], main) {
        ([], _) => bail!(
            "`{asked}` is neither a file nor a stored session: check the path, or see `foveal \
             sessions --all`"
        ),
        ([one], _) => Ok(one),
        (_, Some(main)) if is_one => Ok(main),
        (several, _) => {
            let count = format_plural(several.len() as u64, "session");
            let mut message = format!("{count} begin with `{asked}`: give more of the name");
            for session in several.iter().take(LISTED_MAX) {
                message += &format!("\n  {}", session.id);
            }
            if several.len() > LISTED_MAX {
                message += &format!("\n  and {} more", several.len() - LISTED_MAX);
            }
            bail!(message)
        }
    }
}

/// Finds the gateway conversation whose id or name starts with `asked`, and returns it with its
/// store. Returns `None` if another session or none matches.
///
/// # Errors
/// If the store cannot be used.
pub(crate) fn find_gateway_session(
    asked: &str,
    environment: &Environment,
) -> anyhow::Result<Option<(SqliteStore, StoredSession)>> {
    let Some(store) = toolbox::open_store_for_reading(environment)? else { return Ok(None) };
    let sessions = store.sessions()?;
    let found = find_stored_session(&sessions, asked)
        .ok()
        .filter(|found| request_record::is_gateway_session(found))
        .cloned();
    Ok(found.map(|found| (store, found)))
}

/// Loads the stored session whose id or name starts with `asked`, from its recorded calls or from
/// the agent's transcript.
///
/// # Errors
/// If no session or several match, or if the session cannot be read.
pub(crate) fn load_stored_session(
    asked: &str,
    environment: &Environment,
) -> anyhow::Result<RecordedSession> {
    let store = toolbox::open_store_for_reading(environment)?;
    let sessions = store.as_ref().map(|store| store.sessions()).transpose()?.unwrap_or_default();
    let kept = find_stored_session(&sessions, asked)?;
    let store = store.context("there is no store")?;
    if request_record::is_gateway_session(kept) {
        bail!(
            "`{}` is a gateway conversation, whose text is not stored: see `foveal show`",
            kept.id
        );
    }
    match &kept.metadata.transcript {
        Some(path) if Path::new(path).is_file() => {
            load_single_session(&[PathBuf::from(path)], None)
        }
        Some(path) => bail!("`{}` was recorded in `{path}`, which no longer exists", kept.id),
        None => load_from_records(&store, &sessions, kept),
    }
}

/// Finds the run whose id or name starts with `asked`, as a session file. Returns `None` if no
/// single session matches or the match is no run.
///
/// # Errors
/// If the store cannot be used.
pub(crate) fn find_run(
    asked: &str,
    environment: &Environment,
) -> anyhow::Result<Option<SessionFile>> {
    let Some(path) = toolbox::store_path(environment) else { return Ok(None) };
    let Some(store) = toolbox::open_store_for_reading(environment)? else { return Ok(None) };
    let sessions = store.sessions()?;
    let is_it = |found: &&StoredSession| runs::is_main_run(found) || runs::is_sub_agent_run(found);
    let found = find_stored_session(&sessions, asked).ok().filter(is_it);
    Ok(found.map(|found| run_session_file(&path, true, found)))
}

fn load_from_records(
    store: &SqliteStore,
    sessions: &[StoredSession],
    kept: &StoredSession,
) -> anyhow::Result<RecordedSession> {
    let RunConversations { mut all, first_damaged: damaged } =
        runs::load_conversations(store, sessions, kept)?;
    damaged.into_iter().for_each(|number| notice::print_notice(runs::describe_damage(number)));
    if let Some(main) = all.first_mut().filter(|main| main.entries().is_empty()) {
        *main = load_conversation(store, kept)?;
        if main.entries().is_empty() {
            bail!("no call of `{}` is stored", kept.id);
        }
    }
    Ok(RecordedSession { id: kept.id.0.clone(), conversations: all })
}
