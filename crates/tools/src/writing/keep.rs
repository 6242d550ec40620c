//! What is known of a file after it was written, and what is kept so that it can be undone.

use std::sync::Arc;

use foveal_files::edit::Run;
use foveal_files::{Located, PathKey, TextFile, Version, Written};

use crate::findings::{Change, ChangeKind, NoWayBack, WayBack, WayBackKind};
use crate::session::{KnownFile, Work, written_lines};

use super::target::{Target, view_of};

/// What is kept in place of a file that did not exist. No text holds it.
pub(super) const NO_FILE: &[u8] = b"\0foveal: no file\0";

/// Which lines of a file the model wrote itself, so that it knows them.
pub(super) enum AuthoredLines {
    All,
    Runs(Vec<Run>),
    Nothing,
}

/// Remembers what was written over a file and which lines the model wrote; what was changed.
pub(super) fn wrote_over(
    work: &Work<'_>,
    target: &Target,
    bytes: &[u8],
    written: &Written,
    authored: &AuthoredLines,
) -> Change {
    let Target { located, key, .. } = target;
    match TextFile::decode(bytes) {
        Ok(text) => {
            let view = Arc::new(view_of(located, text));
            let known = known_after(work, target, written.version, view, authored);
            work.session.files.put(key.clone(), known);
        }
        Err(_) => work.session.files.remove(key),
    }
    wrote(work, located, key, bytes, written)
}

/// What is known of a file after it was written.
fn known_after(
    work: &Work<'_>,
    target: &Target,
    version: Version,
    view: Arc<TextFile>,
    authored: &AuthoredLines,
) -> KnownFile {
    let is_after = |known: &KnownFile| known.version.hash == version.hash;
    let met = work.session.files.get(&target.key).filter(is_after);
    let before = || {
        let view = Arc::clone(&target.view);
        let unknown = || KnownFile::after(None, target.version, view, None);
        target.known_now(work).unwrap_or_else(unknown)
    };
    match (met, authored) {
        // Another call was faster to read what was written.
        (Some(met), AuthoredLines::All) => met.all_written(),
        (Some(mut met), AuthoredLines::Runs(runs)) => {
            met.show(&written_lines(runs));
            met
        }
        (Some(met), AuthoredLines::Nothing) => met,
        (None, AuthoredLines::All) => before().written(version, view, &[]).all_written(),
        (None, AuthoredLines::Runs(runs)) => before().written(version, view, runs),
        (None, AuthoredLines::Nothing) => {
            let before = before();
            KnownFile::after(Some(&before), version, view, before.question.as_deref())
        }
    }
}

/// Keeps what was there before a file was written; what was changed, and how to go back.
pub(super) fn wrote(
    work: &Work<'_>,
    located: &Located,
    key: &PathKey,
    bytes: &[u8],
    written: &Written,
) -> Change {
    let undo = way_back(work, key, written.before.as_deref(), Some(bytes));
    work.session.reads.forget(key);
    work.toolbox.index.touch(&located.absolute());
    Change {
        path: located.shown().to_owned(),
        kind: if written.before.is_some() { ChangeKind::Written } else { ChangeKind::New },
        undo,
        notes: written.notes.iter().map(ToString::to_string).collect(),
        places: Vec::new(),
    }
}

/// Remembers that a file was written, and keeps what it held before; `None`: there was, or is,
/// no file.
pub(super) fn way_back(
    work: &Work<'_>,
    key: &PathKey,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<WayBack, NoWayBack> {
    let session = work.session;
    let contents = (before.unwrap_or(NO_FILE), after.unwrap_or(NO_FILE));
    let stored = session.journal.put_write(key.as_str(), contents);
    let stored = stored.map_err(|_| NoWayBack::Store)?;
    let handle = stored.handle;
    session.undo.see(handle);
    let kind = match before {
        None => WayBackKind::NoFile,
        Some(_) if stored.secrets == 0 => WayBackKind::Stored,
        Some(before) if session.undo.put(handle, before) => WayBackKind::InMemory,
        Some(_) => return Err(NoWayBack::Secrets),
    };
    Ok(WayBack { handle, kind })
}
