//! `foveal file-at`: what a file held at a turn, as far as the session tells.

use std::process::ExitCode;

use anyhow::bail;
use foveal_context::timeline::{Confidence, FileState, Timeline};
use foveal_transcript::Conversation;

use super::one_session::{OneSession, check_turn};
use crate::environment::Environment;
use crate::notice;
use crate::numbers::plural;
use crate::output;

/// The command line of `foveal file-at`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: OneSession,
    /// The file: its path, or the end of it.
    #[arg(value_name = "PATH")]
    path: String,
    /// After the results of this turn. The last turn if not given.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
}

/// Most paths offered where the one asked for is not clear.
const CANDIDATES_MAX: usize = 20;

/// Prints the file's lines; says on standard error how sure they are.
///
/// # Errors
/// If the session cannot be read, or nothing is known of the file then.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let session = arguments.session.load(environment)?;
    let conversation = arguments.session.choose(&session)?;
    let last = u32::try_from(conversation.responses().count()).unwrap_or(u32::MAX);
    let turn = arguments.turn.unwrap_or(last);
    check_turn(conversation, turn)?;
    let timeline = Timeline::of(conversation);
    let path = one_path(conversation, &timeline, &arguments.path)?;
    let state = timeline.file_state_at(&path, turn);
    if state.removed {
        bail!("`{path}` does not exist at turn {turn}: it was removed");
    }
    if state.confidence == Confidence::Unknown {
        bail!("nothing is known of `{path}` at turn {turn}: give a later --turn");
    }
    notice::say(format_args!("`{path}` at turn {turn}: {}", trust(&state)));
    output::print(environment.painter().file(&path, &render(&state)))?;
    Ok(ExitCode::SUCCESS)
}

/// The one known path that `asked` means.
fn one_path(
    conversation: &Conversation,
    timeline: &Timeline,
    asked: &str,
) -> anyhow::Result<String> {
    let known = timeline.paths();
    let end = asked.trim_start_matches("./");
    let directory = conversation.directory.as_deref().unwrap_or_default();
    let whole = format!("{}/{end}", directory.trim_end_matches('/'));
    if let Some(path) = known.iter().find(|path| [asked, end, &whole].contains(path)) {
        return Ok((*path).to_owned());
    }
    let end = format!("/{end}");
    let matches: Vec<&str> = known.iter().copied().filter(|path| path.ends_with(&end)).collect();
    match matches.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] if known.is_empty() => bail!("no file is read or changed in this session"),
        [] => bail!(
            "no file `{asked}` is read or changed in this session; known are\n{}",
            list(&known)
        ),
        many => bail!("`{asked}` is not clear; give more of the path:\n{}", list(many)),
    }
}

fn list(paths: &[&str]) -> String {
    let mut lines: Vec<String> =
        paths.iter().take(CANDIDATES_MAX).map(|path| format!("  {path}")).collect();
    if paths.len() > CANDIDATES_MAX {
        lines.push(format!("  and {} more", paths.len() - CANDIDATES_MAX));
    }
    lines.join("\n")
}

fn trust(state: &FileState) -> String {
    let seen = state.lines.iter().flatten().count() as u64;
    match state.confidence {
        Confidence::Exact => format!("exact, {}", plural(seen, "line")),
        Confidence::Partial | Confidence::Unknown => format!(
            "partial, {} known; others were never seen, or may have changed since",
            plural(seen, "line")
        ),
    }
}

/// The known lines; each run of unknown ones as one note with its range.
fn render(state: &FileState) -> String {
    let mut text = String::new();
    let mut unknown_from = None;
    for (number, line) in (1usize..).zip(&state.lines) {
        match (line, unknown_from) {
            (None, None) => unknown_from = Some(number),
            (None, Some(_)) => {}
            (Some(line), from) => {
                if let Some(from) = from {
                    text.push_str(&unseen(from, number - 1));
                }
                unknown_from = None;
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    if let Some(from) = unknown_from {
        text.push_str(&unseen(from, state.lines.len()));
    }
    text
}

fn unseen(from: usize, to: usize) -> String {
    if from == to {
        format!("[line {from} is not known]\n")
    } else {
        format!("[lines {from}-{to} are not known]\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_lines_are_named_by_range() {
        let lines = [Some("a"), None, Some("b"), None, None].map(|line| line.map(str::to_owned));
        let state =
            FileState { lines: lines.to_vec(), confidence: Confidence::Partial, removed: false };
        assert_eq!(render(&state), "a\n[line 2 is not known]\nb\n[lines 4-5 are not known]\n");
    }
}
