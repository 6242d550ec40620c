//! The sessions that foveal's own store keeps: what each was about, and one of them to be shown.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_context::record::Record as Conversed;
use foveal_context::tokens::Tokenizer;
use foveal_store::{Record, RecordNumber, Session as Kept, SqliteStore, Store};
use foveal_tools::session::{kept_call, kept_conversation};
use foveal_transcript::{Block, Call, Entry, EntryIndex, Mark, Role, Session, Source};

use super::file::SessionFile;
use super::load::load_one;
use super::own_runs::file_of;
use crate::environment::Environment;
use crate::numbers::{dollars, plural, signed_dollars};
use crate::runs::{self, Conversations};
use crate::{hook, notice, requests, toolbox};

/// Records of a session among which its first call is looked for.
const RECORDS_LOOKED_AT: usize = 8;

/// Sessions that a message lists.
const LISTED_MAX: usize = 8;

/// Least characters of a session's name that stand for it.
const NAME_CHARS_MIN: usize = 8;

/// What a session was about: its first question, or its first call. Empty if nothing tells.
pub(crate) fn first_words(store: &dyn Store, session: &Kept) -> String {
    if requests::is_of_gateway(session) {
        return what_passed(store, session);
    }
    if let Some(said) = runs::first_words(store, &session.id) {
        return said;
    }
    let records = store.records(&session.id, RecordNumber(1), RECORDS_LOOKED_AT);
    records.unwrap_or_default().iter().find_map(words).unwrap_or_default()
}

/// What a conversation that passed the gateway came to: `claude-opus-4-5, 12 requests, $0.42 ($0.10
/// saved)`.
fn what_passed(store: &dyn Store, session: &Kept) -> String {
    let Ok(Some(last)) = requests::last(store, session) else { return String::new() };
    let (sum, model) = (last.so_far, last.request.model.unwrap_or_default());
    if sum.requests == 0 {
        return "no request to a model".to_owned();
    }
    let saved = signed_dollars(sum.without - sum.cost);
    let (many, cost) = (plural(sum.requests, "request"), dollars(sum.cost));
    format!("{model}, {many}, {cost} ({saved} saved)")
}

fn words(record: &Record) -> Option<String> {
    let (tool, arguments) = match kept_call(record) {
        Some(call) => match call.question {
            Some(question) => return Some(format!("\"{}\"", question.trim())),
            None => (call.tool, call.arguments),
        },
        None => hook::kept_call(&record.payload)?,
    };
    let call = Call { id: String::new(), name: tool, arguments };
    let entry = Entry {
        source: Source { step: 1, result: None },
        role: Role::Assistant,
        time: None,
        mark: Mark::None,
        model: None,
        usage: None,
        blocks: vec![Block::Call(call)],
    };
    let record = Conversed::of([entry].into_iter().collect(), Tokenizer::Bytes);
    record.facts(EntryIndex(0)).calls.first().map(|call| call.label.clone())
}

/// The kind of a session, where its name says it apart: `shell`, or the agent whose hook made
/// it; and the rest of its name.
pub(crate) fn kind_and_name(id: &str) -> (Option<&str>, &str) {
    match id.split_once(' ') {
        Some((kind, name)) => (Some(kind), name),
        None => (None, id),
    }
}

/// The shortest beginning of a session's name that no other session has.
pub(crate) fn short_name(session: &Kept, all: &[Kept]) -> String {
    let of = |session: &Kept| {
        let (_, name) = kind_and_name(&session.id.0);
        let (main, agent) = parts(name);
        (main.to_owned(), agent.map(str::to_owned))
    };
    let (main, agent) = of(session);
    let others = || all.iter().filter(|other| other.id != session.id).map(of);
    let least = if main.starts_with("mcp-") { NAME_CHARS_MIN + 4 } else { NAME_CHARS_MIN };
    let mains: Vec<String> =
        others().map(|(other, _)| other).filter(|other| *other != main).collect();
    let main_short = shortest(&main, least, &mains);
    let Some(agent) = agent else { return main_short };
    let agents = others().filter(|(other, _)| *other == main).filter_map(|(_, agent)| agent);
    format!("{main_short}/{}", shortest(&agent, NAME_CHARS_MIN / 2, &agents.collect::<Vec<_>>()))
}

fn shortest(name: &str, least: usize, others: &[String]) -> String {
    let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]).skip(least);
    let beginnings = ends.map(|end| &name[..end]);
    let is_alone = |begin: &&str| !others.iter().any(|other| other.starts_with(*begin));
    beginnings.into_iter().find(is_alone).unwrap_or(name).to_owned()
}

/// A session's name, and the sub-agent's whose session it is.
fn parts(name: &str) -> (&str, Option<&str>) {
    match name.split_once('/') {
        Some((main, agent)) => (main, Some(agent)),
        None => (name, None),
    }
}

/// The session that `asked` names or begins the name of.
///
/// # Errors
/// If there is none, or there are several.
pub(crate) fn find<'k>(sessions: &'k [Kept], asked: &str) -> anyhow::Result<&'k Kept> {
    if let Some(exact) = sessions.iter().find(|session| session.id.0 == asked) {
        return Ok(exact);
    }
    let (main, agent) = parts(asked);
    let begins = |name: &str| {
        let (its_main, its_agent) = parts(name);
        match agent {
            None => its_main.starts_with(main),
            Some(agent) => {
                its_main.starts_with(main) && its_agent.is_some_and(|its| its.starts_with(agent))
            }
        }
    };
    let is_meant = |session: &&Kept| {
        let id = &session.id.0;
        !asked.is_empty() && (begins(id) || begins(kind_and_name(id).1))
    };
    let found: Vec<&Kept> = sessions.iter().filter(is_meant).collect();
    let main_of = |session: &Kept| parts(&session.id.0).0.to_owned();
    let is_one = found.windows(2).all(|two| main_of(two[0]) == main_of(two[1]));
    let main = found.iter().find(|session| parts(&session.id.0).1.is_none());
    match (&found[..], main) {
        ([], _) => bail!(
            "`{asked}` is no file and no session that is kept: check the path, or see \
             `foveal sessions --all`"
        ),
        ([one], _) => Ok(one),
        (_, Some(main)) if is_one => Ok(main),
        (several, _) => {
            let count = plural(several.len() as u64, "session");
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

/// The gateway's conversation that `asked` names or begins the name of, with its store; `None`
/// where that is something else, or nothing.
///
/// # Errors
/// If the store cannot be used.
pub(crate) fn of_gateway(
    asked: &str,
    environment: &Environment,
) -> anyhow::Result<Option<(SqliteStore, Kept)>> {
    let Some(store) = toolbox::store_to_read(environment)? else { return Ok(None) };
    let sessions = store.sessions()?;
    let found = find(&sessions, asked).ok().filter(|found| requests::is_of_gateway(found)).cloned();
    Ok(found.map(|found| (store, found)))
}

/// Reads the kept session that `asked` names or begins the name of: its calls, or what its
/// agent recorded of it.
///
/// # Errors
/// If there is no such session, there are several, or it cannot be read.
pub(crate) fn load_kept(asked: &str, environment: &Environment) -> anyhow::Result<Session> {
    let store = toolbox::store_to_read(environment)?;
    let sessions = store.as_ref().map(|store| store.sessions()).transpose()?.unwrap_or_default();
    let kept = find(&sessions, asked)?;
    let store = store.context("there is no store")?;
    if requests::is_of_gateway(kept) {
        bail!("`{}` passed the gateway, which keeps no words: see `foveal show`", kept.id);
    }
    match &kept.facts.transcript {
        Some(path) if Path::new(path).is_file() => load_one(&[PathBuf::from(path)], None),
        Some(path) => bail!("`{}` was recorded in `{path}`, which is not there any more", kept.id),
        None => of_calls(&store, &sessions, kept),
    }
}

/// The kept sessions that `asked` names or begins the name of, as a file of one; `None` where there
/// is none.
///
/// # Errors
/// If there are several, or the store cannot be used.
pub(crate) fn run_named(
    asked: &str,
    environment: &Environment,
) -> anyhow::Result<Option<SessionFile>> {
    let Some(path) = toolbox::store_path(environment) else { return Ok(None) };
    let Some(store) = toolbox::store_to_read(environment)? else { return Ok(None) };
    let sessions = store.sessions()?;
    let is_it = |found: &&Kept| runs::is_run(found) || runs::is_agent(found);
    let found = find(&sessions, asked).ok().filter(is_it);
    Ok(found.map(|found| file_of(&path, true, found)))
}

fn of_calls(store: &SqliteStore, sessions: &[Kept], kept: &Kept) -> anyhow::Result<Session> {
    let Conversations { mut all, damaged } = runs::conversations(store, sessions, kept)?;
    damaged.into_iter().for_each(|number| notice::say(runs::damaged(number)));
    if let Some(main) = all.first_mut().filter(|main| main.entries().is_empty()) {
        *main = kept_conversation(store, kept)?;
        if main.entries().is_empty() {
            bail!("no call of `{}` is kept", kept.id);
        }
    }
    Ok(Session { id: kept.id.0.clone(), conversations: all })
}
