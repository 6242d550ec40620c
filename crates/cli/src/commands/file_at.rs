//! `foveal file-at`: the content of a file at a turn, as far as the session shows it.

use std::process::ExitCode;

use anyhow::bail;
use foveal_engine::timeline::{FileState, StateConfidence, Timeline};
use foveal_transcript::Conversation;

use super::session_selection::{SessionSelection, check_turn};
use crate::environment::Environment;
use crate::notice;
use crate::numbers::format_plural;
use crate::output;

/// The command line of `foveal file-at`.
#[derive(Debug, clap::Args)]
pub(crate) struct FileAtArguments {
    #[command(flatten)]
    session: SessionSelection,
    /// The file: its path, or the end of it.
    #[arg(value_name = "PATH")]
    path: String,
    /// After the results of this turn. The last turn if not given.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
}

/// Limit of paths that are listed if the given one is ambiguous.
const CANDIDATES_MAX: usize = 20;

/// Prints the file's lines, and their confidence on standard error.
///
/// # Errors
/// If the session cannot be read, or the content at that turn is unknown.
pub(crate) fn run(
    arguments: &FileAtArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let session = arguments.session.load_session(environment)?;
    let conversation = arguments.session.select_conversation(&session)?;
    let last = u32::try_from(conversation.response_indices().count()).unwrap_or(u32::MAX);
    let turn = arguments.turn.unwrap_or(last);
    check_turn(conversation, turn)?;
    let timeline = Timeline::from_conversation(conversation);
    let path = resolve_path(conversation, &timeline, &arguments.path)?;
    let state = timeline.file_state_at(&path, turn);
    if state.removed {
        bail!("`{path}` does not exist at turn {turn}: it was removed");
    }
    if state.confidence == StateConfidence::Unknown {
        bail!("the content of `{path}` at turn {turn} is unknown: give a later --turn");
    }
    notice::print_notice(format_args!("`{path}` at turn {turn}: {}", describe_confidence(&state)));
    output::print(environment.painter().highlight_file(&path, &render_known_lines(&state)))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the one known path that `asked` stands for.
fn resolve_path(
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
            "no file `{asked}` is read or changed in this session; the known files are\n{}",
            format_candidates(&known)
        ),
        many => {
            bail!("`{asked}` is ambiguous; give more of the path:\n{}", format_candidates(many))
        }
    }
}

fn format_candidates(paths: &[&str]) -> String {
    let mut lines: Vec<String> =
        paths.iter().take(CANDIDATES_MAX).map(|path| format!("  {path}")).collect();
    if paths.len() > CANDIDATES_MAX {
        lines.push(format!("  and {} more", paths.len() - CANDIDATES_MAX));
    }
    lines.join("\n")
}

fn describe_confidence(state: &FileState) -> String {
    let seen = state.lines.iter().flatten().count() as u64;
    match state.confidence {
        StateConfidence::Exact => format!("exact, {}", format_plural(seen, "line")),
        StateConfidence::Partial | StateConfidence::Unknown => format!(
            "partial, {} known; others were never seen, or may have changed since",
            format_plural(seen, "line")
        ),
    }
}

/// Renders the known lines, and each run of unknown lines as one note with its range.
fn render_known_lines(state: &FileState) -> String {
    let mut text = String::new();
    let mut unknown_from = None;
    for (number, line) in (1usize..).zip(&state.lines) {
        match (line, unknown_from) {
            (None, None) => unknown_from = Some(number),
            (None, Some(_)) => {}
            (Some(line), from) => {
                if let Some(from) = from {
                    text.push_str(&unknown_range_note(from, number - 1));
                }
                unknown_from = None;
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    if let Some(from) = unknown_from {
        text.push_str(&unknown_range_note(from, state.lines.len()));
    }
    text
}

fn unknown_range_note(from: usize, to: usize) -> String {
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
        let state = FileState {
            lines: lines.to_vec(),
            confidence: StateConfidence::Partial,
            removed: false,
        };
        assert_eq!(
            render_known_lines(&state),
            "a\n[line 2 is not known]\nb\n[lines 4-5 are not known]\n"
        );
    }
}
