//! `foveal sessions`: the stored sessions of the tools, and how long they are kept.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use clap::Subcommand;
use foveal_agent_runtime::runs::{is_sub_agent_run, sub_agent_number};
use foveal_screen::escape_one_line;
use foveal_store::{SessionId, SessionStore, Store, StoredSession};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::numbers::{format_count, format_plural};
use crate::output;
use crate::pager::PrintOptions;
use crate::sessions::{session_title, short_name};
use crate::single_tool_call::is_single_call_session;
use crate::text_table::{Alignment, ColumnNarrowing, TextTable, wrap_text};
use crate::toolbox;

/// The command line of `foveal sessions`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArguments {
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
    Pin(SessionNameArgument),
    /// Unpins a session: keeps it no longer than others.
    Unpin(SessionNameArgument),
    /// Deletes a session, and what only it refers to. This cannot be undone.
    Delete(SessionNameArgument),
}

#[derive(Debug, clap::Args)]
struct SessionNameArgument {
    /// The session as it is listed. To pin or unpin, a part that no other session has is enough.
    #[arg(value_name = "SESSION")]
    name: String,
}

/// Lists the stored sessions, or pins, unpins or deletes one.
///
/// # Errors
/// If there is no such session, or the store fails.
pub(crate) fn run(
    arguments: &SessionsArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let Some(store) = toolbox::open_store_for_reading(environment)? else {
        if let Some(
            SessionAction::Pin(named) | SessionAction::Unpin(named) | SessionAction::Delete(named),
        ) = &arguments.action
        {
            bail!(unknown_session(&named.name));
        }
        let nothing = if arguments.options.json { "[]\n" } else { NO_SESSIONS };
        output::print(nothing)?;
        return Ok(ExitCode::SUCCESS);
    };
    let sessions = store.sessions()?;
    let done = match &arguments.action {
        None => {
            let text = list_sessions(&store, &sessions, arguments, environment)?;
            arguments.options.print(text, environment)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(SessionAction::Pin(named)) => {
            let id = find_session(&sessions, &named.name, true)?;
            for id in with_sub_agents(&sessions, id) {
                store.set_pinned(id, true)?;
            }
            format!("pinned `{}`", printable_name(id))
        }
        Some(SessionAction::Unpin(named)) => {
            let id = find_session(&sessions, &named.name, true)?;
            for id in with_sub_agents(&sessions, id) {
                store.set_pinned(id, false)?;
            }
            format!("unpinned `{}`", printable_name(id))
        }
        Some(SessionAction::Delete(named)) => {
            let id = find_session(&sessions, &named.name, false)?;
            for id in with_sub_agents(&sessions, id) {
                store.delete_session(id)?;
            }
            format!("deleted `{}`", printable_name(id))
        }
    };
    output::print(format!("{done}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the session with this name or, with `in_part`, the only one whose name contains it.
fn find_session<'s>(
    sessions: &'s [StoredSession],
    name: &str,
    in_part: bool,
) -> anyhow::Result<&'s SessionId> {
    let mut all = sessions.iter().map(|session| &session.id);
    if let Some(id) = all.find(|id| id.0 == name) {
        return Ok(id);
    }
    // A run represents its sub-agents too.
    let all =
        sessions.iter().filter(|session| !is_sub_agent_run(session)).map(|session| &session.id);
    let alike: Vec<&SessionId> = all.filter(|id| !name.is_empty() && id.0.contains(name)).collect();
    match (&alike[..], in_part) {
        ([], _) => bail!(unknown_session(name)),
        ([id], true) => Ok(id),
        ([id, ..], false) => {
            bail!("give the full name to delete a session: did you mean `{}`?", printable_name(id))
        }
        (several, true) => {
            let several = format_plural(several.len() as u64, "session");
            bail!("{several} have `{name}` in their names: give more of the name")
        }
    }
}

/// Returns the sub-agents of a session, then the session itself, so that an interrupted action is
/// completed by the same command.
fn with_sub_agents<'s>(sessions: &'s [StoredSession], id: &'s SessionId) -> Vec<&'s SessionId> {
    let all = sessions.iter().map(|session| &session.id);
    all.filter(|other| sub_agent_number(id, other).is_some()).chain([id]).collect()
}

/// The output if there are no sessions.
const NO_SESSIONS: &str = "no sessions are stored\n";

fn unknown_session(name: &str) -> String {
    format!("there is no session `{name}`: `foveal sessions` lists them")
}

/// Renders the sessions as a table or as JSON, the last used first.
fn list_sessions(
    store: &dyn Store,
    sessions: &[StoredSession],
    arguments: &SessionsArguments,
    environment: &Environment,
) -> anyhow::Result<String> {
    let is_listed = |session: &&StoredSession| {
        arguments.all || (!is_single_call_session(&session.id.0) && !is_sub_agent_run(session))
    };
    let listed: Vec<&StoredSession> = sessions.iter().filter(is_listed).collect();
    if arguments.options.json {
        return Ok(sessions_to_json(store, &listed));
    }
    let hidden = describe_unlisted(sessions, listed.len());
    let mut text = match (listed.is_empty(), hidden.is_empty()) {
        (true, true) => return Ok(NO_SESSIONS.to_owned()),
        (true, false) => String::new(),
        (false, _) => sessions_table(store, &listed, sessions, environment)?,
    };
    if !hidden.is_empty() {
        let note = format!("{}: see `foveal sessions --all`", hidden.join(", "));
        text += &wrap_text(&note, environment.stdout_columns.unwrap_or(usize::MAX), "");
    }
    Ok(text)
}

/// Describes the sessions that are not among the `listed` ones, by kind.
fn describe_unlisted(sessions: &[StoredSession], listed: usize) -> Vec<String> {
    let agents = sessions.iter().filter(|session| is_sub_agent_run(session)).count();
    let calls = (sessions.len() - listed).saturating_sub(agents);
    let is_all = sessions.len() == listed;
    let told = [
        (calls, format!("{} from a shell", format_plural(calls as u64, "single call"))),
        (agents, format_plural(agents as u64, "sub-agent")),
    ];
    told.into_iter().filter(|(count, _)| *count > 0 && !is_all).map(|(_, told)| told).collect()
}

fn sessions_to_json(store: &dyn Store, sessions: &[&StoredSession]) -> String {
    let sessions: Vec<Value> = sessions
        .iter()
        .map(|session| {
            json!({
                "session": session.id,
                "roots": session.metadata.roots,
                "about": session_title(store, session),
                "transcript": session.metadata.transcript,
                "started_ms": session.started.0,
                "used_ms": session.last_used.0,
                "events": session.event_count,
                "bytes": session.record_bytes + session.content_bytes,
                "pinned": session.pinned,
            })
        })
        .collect();
    format!("{}\n", Value::Array(sessions))
}

/// Returns a row for each of `listed`. On a terminal names are as short as they can be to be unique
/// among `sessions`.
fn sessions_table(
    store: &dyn Store,
    listed: &[&StoredSession],
    sessions: &[StoredSession],
    environment: &Environment,
) -> anyhow::Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is wrong")?;
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let (left, right) = (Alignment::Left, Alignment::Right);
    let columns = [
        ("used", right),
        ("events", right),
        ("KiB", right),
        ("", left),
        ("session", left),
        ("folder", left),
        ("about", left),
    ];
    let mut table = TextTable::new(columns.to_vec())
        .with_narrowing(&["events", "KiB"], ColumnNarrowing::Dropped(1))
        .with_narrowing(&["folder"], ColumnNarrowing::CutStart)
        .with_narrowing(&["about"], ColumnNarrowing::CutEnd);
    for session in listed {
        let (kind, _) = session.id.kind_and_name();
        let words = cell_text(&session_title(store, session));
        let (name, about) = match (environment.stdout_columns, kind) {
            (None, _) => (printable_name(&session.id), words),
            (Some(_), None) => (cell_text(&short_name(session, sessions)), words),
            (Some(_), Some(kind)) => {
                (cell_text(&short_name(session, sessions)), format!("{kind}: {words}"))
            }
        };
        table.push_row(vec![
            format_age(now.saturating_sub(session.last_used.0)),
            format_count(session.event_count),
            format_count((session.record_bytes + session.content_bytes).div_ceil(1024)),
            if session.pinned { "pinned" } else { "" }.to_owned(),
            name,
            cell_text(&abbreviated_folder(session, environment)),
            about,
        ]);
    }
    Ok(table.render(environment.stdout_columns, "see --json"))
}

/// Returns the session's folder, with `~` for the home folder.
fn abbreviated_folder(session: &StoredSession, environment: &Environment) -> String {
    let Some(folder) = session.metadata.roots.first() else { return String::new() };
    let home = environment.user.home.as_ref().and_then(|home| home.to_str());
    match home.and_then(|home| folder.strip_prefix(home)) {
        Some("") => "~".to_owned(),
        Some(below) if below.starts_with('/') => format!("~{below}"),
        _ => folder.clone(),
    }
}

/// Limit of characters in a cell.
const CELL_CHARS_MAX: usize = 72;

/// Returns the start of a text in one line.
fn cell_text(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = words.chars().count();
    let kept: String = words.chars().take(CELL_CHARS_MAX).collect();
    if count > CELL_CHARS_MAX { format!("{kept}…") } else { kept }
}

/// Returns a name without control characters, since clients choose names.
fn printable_name(id: &SessionId) -> String {
    escape_one_line(&id.0).into_owned()
}

/// Formats an age in milliseconds with one unit.
fn format_age(ms: i64) -> String {
    let minutes = ms.max(0).unsigned_abs() / 60_000;
    match minutes {
        0 => "now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1_440 => format!("{} h ago", minutes / 60),
        _ => format!("{} ago", format_plural(minutes / 1_440, "day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_one_unit() {
        let told: Vec<String> =
            [-5, 0, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 200_000_000]
                .map(format_age)
                .into();
        let expected =
            ["now", "now", "now", "1 min ago", "59 min ago", "1 h ago", "1 day ago", "2 days ago"];
        assert_eq!(told, expected);
    }
}
