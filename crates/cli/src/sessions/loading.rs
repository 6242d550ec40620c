//! Loads sessions of agents and of foveal's own store.

use std::path::PathBuf;

use anyhow::{Context, bail};
use foveal_agent_setup::sessions::{
    self, LoadResult, SessionFile, SkippedPart, find_session_files,
};
use foveal_protocols::problem::{Problem, ProblemKind};
use foveal_screen::escape_one_line;
use foveal_session_readers::SessionFormat;
use foveal_transcript::RecordedSession;

use super::stored_runs;
use crate::notice;

/// Reads all sessions of a file into `sink`, and returns the parts that were skipped.
///
/// # Errors
/// If the file has no session, or if reading fails midway.
pub(crate) fn load_sessions(
    file: &SessionFile,
    format: Option<SessionFormat>,
    sink: &mut dyn FnMut(RecordedSession),
) -> LoadResult {
    match file.is_foveal_store {
        true => stored_runs::load_run(file, sink),
        false => sessions::load_sessions(file, format, sink),
    }
}

/// Loads the single session at `paths`.
///
/// # Errors
/// If there is no session or more than one, or if it cannot be read.
pub(crate) fn load_single_session(
    paths: &[PathBuf],
    format: Option<SessionFormat>,
) -> anyhow::Result<RecordedSession> {
    let found = find_session_files(paths, format)?;
    let mut first: Option<(RecordedSession, &SessionFile)> = None;
    let mut more: Option<String> = None;
    for file in &found.files {
        let skipped = load_sessions(file, format, &mut |session| match &first {
            None => first = Some((session, file)),
            Some(_) => more = Some(session.id),
        })?;
        for part in &skipped {
            if let SkippedPart::Problem(Problem { kind: ProblemKind::EndsEarly, .. }) = part {
                let part = part.to_string();
                let part = escape_one_line(&part);
                notice::print_notice(format_args!("{part}: the rest cannot be read"));
            }
        }
        if let (Some((one, at)), Some(two)) = (&first, &more) {
            let (at, also) = (at.path.display(), file.path.display());
            if at.to_string() == also.to_string() {
                let one = &one.id;
                let way = match file.session {
                    Some(_) => format!("export one: `opencode export {one} > session.json`"),
                    None => "name a file of one".to_owned(),
                };
                bail!("`{at}` holds several sessions (`{one}`, `{two}` …): {way}");
            }
            bail!(
                "there are several sessions (`{}` in `{at}`, `{two}` in `{also}` …): name the file \
                 of one",
                one.id
            );
        }
    }
    first.map(|(session, _)| session).context("there is no session at this path")
}
