//! `foveal sessions`: what the store keeps of the tools' sessions, and for how long.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use clap::Subcommand;
use foveal_store::{Session, SessionId};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::numbers::{count, plural};
use crate::output;
use crate::pager::PrintOptions;
use crate::table::{Side, Table};
use crate::toolbox;

/// The command line of `foveal sessions`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<SessionAction>,
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
    let store = toolbox::open_store(environment);
    let sessions = store.sessions()?;
    let done = match &arguments.action {
        None => {
            let text =
                if arguments.options.json { as_json(&sessions) } else { as_table(&sessions)? };
            arguments.options.print(&text, environment)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(SessionAction::Pin(named)) => {
            let id = find(&sessions, &named.name, true)?;
            store.set_pinned(id, true)?;
            format!("`{}` is kept from now on", shown(id))
        }
        Some(SessionAction::Unpin(named)) => {
            let id = find(&sessions, &named.name, true)?;
            store.set_pinned(id, false)?;
            format!("`{}` is kept as long as others", shown(id))
        }
        Some(SessionAction::Delete(named)) => {
            let id = find(&sessions, &named.name, false)?;
            store.delete_session(id)?;
            format!("`{}` is removed", shown(id))
        }
    };
    output::print(&format!("{done}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The session that is called `name`, or, with `in_part`, the only one whose name has that in it.
fn find<'s>(sessions: &'s [Session], name: &str, in_part: bool) -> anyhow::Result<&'s SessionId> {
    let mut all = sessions.iter().map(|session| &session.id);
    if let Some(id) = all.find(|id| id.0 == name) {
        return Ok(id);
    }
    let all = sessions.iter().map(|session| &session.id);
    let alike: Vec<&SessionId> = all.filter(|id| !name.is_empty() && id.0.contains(name)).collect();
    match (&alike[..], in_part) {
        ([], _) => bail!("there is no session `{name}`: `foveal sessions` lists them"),
        ([id], true) => Ok(id),
        ([id, ..], false) => bail!("give the whole name to remove one: `{}`?", shown(id)),
        (several, true) => {
            let several = plural(several.len() as u64, "session");
            bail!("{several} have `{name}` in their names: give more of it")
        }
    }
}

fn as_json(sessions: &[Session]) -> String {
    let sessions: Vec<Value> = sessions
        .iter()
        .map(|session| {
            json!({
                "session": session.id,
                "roots": session.facts.roots,
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

fn as_table(sessions: &[Session]) -> anyhow::Result<String> {
    if sessions.is_empty() {
        return Ok("no sessions are kept\n".to_owned());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is wrong")?;
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let (left, right) = (Side::Left, Side::Right);
    let columns =
        [("used", right), ("events", right), ("KiB", right), ("", left), ("session", left)];
    let mut table = Table::new(columns.to_vec());
    for session in sessions {
        table.row(vec![
            ago(now.saturating_sub(session.used.0)),
            count(session.events),
            count((session.record_bytes + session.content_bytes).div_ceil(1024)),
            if session.pinned { "pinned" } else { "" }.to_owned(),
            shown(&session.id),
        ]);
    }
    Ok(table.render())
}

/// A name as a terminal can show it: clients choose them.
fn shown(id: &SessionId) -> String {
    id.0.chars().map(|sign| if sign.is_control() { '\u{fffd}' } else { sign }).collect()
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
