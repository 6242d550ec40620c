//! `foveal sessions`: what the store keeps of the tools' sessions, and for how long.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use clap::Subcommand;
use foveal_screen::in_one_line;
use foveal_store::{Session, SessionId, Store};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::numbers::{count, plural};
use crate::one_call::is_one_call;
use crate::output;
use crate::pager::PrintOptions;
use crate::runs::{agent_number, is_agent};
use crate::sessions::{first_words, kind_and_name, short_name};
use crate::table::{Narrow, Side, Table, wrapped};
use crate::toolbox;

/// The command line of `foveal sessions`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<SessionAction>,
    /// Lists single calls from a shell too, such as `foveal read`, and sub-agents of runs.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    options: PrintOptions,
}

#[derive(Debug, Subcommand)]
enum SessionAction {
    /// Pins a session: keeps it with all it refers to, whatever its age and size.
    Pin(Named),
    /// Unpins a session: keeps it no longer than others.
    Unpin(Named),
    /// Deletes a session, and what only it refers to. This cannot be undone.
    Delete(Named),
}

#[derive(Debug, clap::Args)]
struct Named {
    /// The session as it is listed. To pin or unpin, a part that no other session has is enough.
    #[arg(value_name = "SESSION")]
    name: String,
}

/// Lists the sessions that are kept, or changes what is kept of one.
///
/// # Errors
/// If there is no such session, or the store cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let Some(store) = toolbox::store_to_read(environment)? else {
        if let Some(
            SessionAction::Pin(named) | SessionAction::Unpin(named) | SessionAction::Delete(named),
        ) = &arguments.action
        {
            bail!(unknown(&named.name));
        }
        let nothing = if arguments.options.json { "[]\n" } else { NOTHING };
        output::print(nothing)?;
        return Ok(ExitCode::SUCCESS);
    };
    let sessions = store.sessions()?;
    let done = match &arguments.action {
        None => {
            let text = list(&store, &sessions, arguments, environment)?;
            arguments.options.print(text, environment)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(SessionAction::Pin(named)) => {
            let id = find(&sessions, &named.name, true)?;
            for id in with_agents(&sessions, id) {
                store.set_pinned(id, true)?;
            }
            format!("`{}` is kept from now on", shown(id))
        }
        Some(SessionAction::Unpin(named)) => {
            let id = find(&sessions, &named.name, true)?;
            for id in with_agents(&sessions, id) {
                store.set_pinned(id, false)?;
            }
            format!("`{}` is kept as long as others", shown(id))
        }
        Some(SessionAction::Delete(named)) => {
            let id = find(&sessions, &named.name, false)?;
            for id in with_agents(&sessions, id) {
                store.delete_session(id)?;
            }
            format!("`{}` is removed", shown(id))
        }
    };
    output::print(format!("{done}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The session that is called `name`, or, with `in_part`, the only one whose name has that in it.
fn find<'s>(sessions: &'s [Session], name: &str, in_part: bool) -> anyhow::Result<&'s SessionId> {
    let mut all = sessions.iter().map(|session| &session.id);
    if let Some(id) = all.find(|id| id.0 == name) {
        return Ok(id);
    }
    // A run stands for its sub-agents too.
    let all = sessions.iter().filter(|session| !is_agent(session)).map(|session| &session.id);
    let alike: Vec<&SessionId> = all.filter(|id| !name.is_empty() && id.0.contains(name)).collect();
    match (&alike[..], in_part) {
        ([], _) => bail!(unknown(name)),
        ([id], true) => Ok(id),
        ([id, ..], false) => bail!("give the whole name to remove one: `{}`?", shown(id)),
        (several, true) => {
            let several = plural(several.len() as u64, "session");
            bail!("{several} have `{name}` in their names: give more of it")
        }
    }
}

/// Sub-agents of a session, and the session itself, which goes last: what is done to all of them and
/// breaks off is done by the same command once more.
fn with_agents<'s>(sessions: &'s [Session], id: &'s SessionId) -> Vec<&'s SessionId> {
    let all = sessions.iter().map(|session| &session.id);
    all.filter(|other| agent_number(id, other).is_some()).chain([id]).collect()
}

/// What is said where there is none.
const NOTHING: &str = "no sessions are kept\n";

fn unknown(name: &str) -> String {
    format!("there is no session `{name}`: `foveal sessions` lists them")
}

/// The sessions as a table or as JSON, the last used first.
fn list(
    store: &dyn Store,
    sessions: &[Session],
    arguments: &Arguments,
    environment: &Environment,
) -> anyhow::Result<String> {
    let is_listed =
        |session: &&Session| arguments.all || (!is_one_call(&session.id.0) && !is_agent(session));
    let listed: Vec<&Session> = sessions.iter().filter(is_listed).collect();
    if arguments.options.json {
        return Ok(as_json(store, &listed));
    }
    let hidden = hidden(sessions, listed.len());
    let mut text = match (listed.is_empty(), hidden.is_empty()) {
        (true, true) => return Ok(NOTHING.to_owned()),
        (true, false) => String::new(),
        (false, _) => as_table(store, &listed, sessions, environment)?,
    };
    if !hidden.is_empty() {
        let note = format!("{}: see `foveal sessions --all`", hidden.join(", "));
        text += &wrapped(&note, environment.width.unwrap_or(usize::MAX), "");
    }
    Ok(text)
}

/// What is not among the sessions of which so many are listed, in a few words each.
fn hidden(sessions: &[Session], listed: usize) -> Vec<String> {
    let agents = sessions.iter().filter(|session| is_agent(session)).count();
    let calls = (sessions.len() - listed).saturating_sub(agents);
    let is_all = sessions.len() == listed;
    let told = [
        (calls, format!("{} from a shell", plural(calls as u64, "single call"))),
        (agents, plural(agents as u64, "sub-agent")),
    ];
    told.into_iter().filter(|(count, _)| *count > 0 && !is_all).map(|(_, told)| told).collect()
}

fn as_json(store: &dyn Store, sessions: &[&Session]) -> String {
    let sessions: Vec<Value> = sessions
        .iter()
        .map(|session| {
            json!({
                "session": session.id,
                "roots": session.facts.roots,
                "about": first_words(store, session),
                "transcript": session.facts.transcript,
                "started_ms": session.started.0,
                "used_ms": session.used.0,
                "events": session.events,
                "bytes": session.record_bytes + session.content_bytes,
                "pinned": session.pinned,
            })
        })
        .collect();
    format!("{}\n", Value::Array(sessions))
}

/// A row for each of `listed`. On a terminal names are as short as can be among all `sessions`.
fn as_table(
    store: &dyn Store,
    listed: &[&Session],
    sessions: &[Session],
    environment: &Environment,
) -> anyhow::Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is wrong")?;
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let (left, right) = (Side::Left, Side::Right);
    let columns = [
        ("used", right),
        ("events", right),
        ("KiB", right),
        ("", left),
        ("session", left),
        ("folder", left),
        ("about", left),
    ];
    let mut table = Table::new(columns.to_vec())
        .narrowing(&["events", "KiB"], Narrow::Goes(1))
        .narrowing(&["folder"], Narrow::LosesStart)
        .narrowing(&["about"], Narrow::LosesEnd);
    for session in listed {
        let (kind, _) = kind_and_name(&session.id.0);
        let words = one_line(&first_words(store, session));
        let (name, about) = match (environment.width, kind) {
            (None, _) => (shown(&session.id), words),
            (Some(_), None) => (one_line(&short_name(session, sessions)), words),
            (Some(_), Some(kind)) => {
                (one_line(&short_name(session, sessions)), format!("{kind}: {words}"))
            }
        };
        table.row(vec![
            ago(now.saturating_sub(session.used.0)),
            count(session.events),
            count((session.record_bytes + session.content_bytes).div_ceil(1024)),
            if session.pinned { "pinned" } else { "" }.to_owned(),
            name,
            one_line(&folder(session, environment)),
            about,
        ]);
    }
    Ok(table.render_within(environment.width, "see --json"))
}

/// The folder it works in, from the home folder on.
fn folder(session: &Session, environment: &Environment) -> String {
    let Some(folder) = session.facts.roots.first() else { return String::new() };
    let home = environment.home.as_ref().and_then(|home| home.to_str());
    match home.and_then(|home| folder.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(below) if below.starts_with('/') => format!("~{below}"),
        _ => folder.clone(),
    }
}

/// Longest text in a cell.
const CELL_CHARS_MAX: usize = 72;

/// The beginning of a text in one line.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = words.chars().count();
    let kept: String = words.chars().take(CELL_CHARS_MAX).collect();
    if count > CELL_CHARS_MAX { format!("{kept}…") } else { kept }
}

/// A name as a terminal can show it: clients choose them.
fn shown(id: &SessionId) -> String {
    in_one_line(&id.0).into_owned()
}

/// So many milliseconds ago, in one unit.
fn ago(ms: i64) -> String {
    let minutes = ms.max(0).unsigned_abs() / 60_000;
    match minutes {
        0 => "now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1_440 => format!("{} h ago", minutes / 60),
        _ => format!("{} ago", plural(minutes / 1_440, "day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_one_unit() {
        let told: Vec<String> =
            [-5, 0, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 200_000_000].map(ago).into();
        let expected =
            ["now", "now", "now", "1 min ago", "59 min ago", "1 h ago", "1 day ago", "2 days ago"];
        assert_eq!(told, expected);
    }
}
