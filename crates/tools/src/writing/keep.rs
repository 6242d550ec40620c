//! What is known of a file after it was written, and what is kept so that it can be undone.

use std::sync::{Arc, LazyLock};

use foveal_context::note::{ChangeKind, NoWayBack, WayBack, WayBackKind};
use foveal_files::edit::Run;
use foveal_files::{Located, PathKey, TextFile, Version, Written};
use foveal_store::Stored;
use foveal_transcript::Handle;

use crate::findings::Change;
use crate::session::{KnownFile, Work, written_lines};

use super::target::{Target, view_of};

/// The handle that answers give where there was no file. No content has it.
pub(super) static NO_FILE: LazyLock<Handle> = LazyLock::new(|| Handle::of(b"\0foveal: no file\0"));

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
            work.session.files.change(key, |known| {
                Some(known_after(known, target, written.version, view, authored))
            });
        }
        Err(_) => work.session.files.remove(key),
    }
    wrote(work, located, key, bytes, written)
}

/// What is known of a file after it was written.
fn known_after(
    known: Option<&KnownFile>,
    target: &Target,
    version: Version,
    view: Arc<TextFile>,
    authored: &AuthoredLines,
) -> KnownFile {
    let met = known.filter(|known| known.version.hash == version.hash).cloned();
    let before = || target.known_as(known);
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
        notes: written.notes.clone(),
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
    let stored = session.journal.put_write(key.as_str(), (before, after));
    let stored = stored.map_err(|_| NoWayBack::Store)?;
    let Some((Stored { handle, secrets }, before)) = stored.zip(before) else {
        return Ok(WayBack { handle: *NO_FILE, kind: WayBackKind::NoFile });
    };
    session.undo.see(handle);
    let kind = match secrets {
        0 => WayBackKind::Stored,
        _ if session.undo.put(handle, before) => WayBackKind::InMemory,
        _ => return Err(NoWayBack::Secrets),
    };
    Ok(WayBack { handle, kind })
}
