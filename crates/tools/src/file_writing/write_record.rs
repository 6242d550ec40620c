//! The records of writes: the updated state of a file, and the content that undoes the write.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::notes::{FileChangeKind, UndoPoint, UndoStorage, UndoUnavailable};
use foveal_store::ContentReceipt;
use foveal_transcript::Handle;
use foveal_workspace::edit::DiffHunk;
use foveal_workspace::file_search::path_for_display;
use foveal_workspace::{FileVersion, PathKey, ResolvedPath, TextFile, WriteOutcome};

use crate::findings::FileChange;
use crate::session::{CallContext, KnownFile, PartialLine};

use super::edit_target::{EditTarget, readable_view};

/// The handle that answers give if there was no file. No content has it.
pub(super) static NO_FILE_HANDLE: LazyLock<Handle> =
    LazyLock::new(|| Handle::from_content(b"\0foveal: no file\0"));

/// The lines of a file that the model wrote itself, and so has seen.
pub(super) enum AuthoredLines {
    All,
    Runs(AuthoredRuns),
    Nothing,
}

/// Runs of lines that the model wrote.
pub(super) struct AuthoredRuns {
    pub(super) runs: Vec<DiffHunk>,
    /// The lines of which the model has seen only a part, after the write.
    pub(super) parts: Vec<PartialLine>,
}

/// Records the overwriting of a file with the lines that the model wrote, and returns the change.
pub(super) fn record_overwrite(
    work: &CallContext<'_>,
    target: &EditTarget,
    bytes: &[u8],
    written: &WriteOutcome,
    authored: &AuthoredLines,
) -> FileChange {
    let EditTarget { located, key, .. } = target;
    match TextFile::decode(bytes) {
        Ok(text) => {
            let view = Arc::new(readable_view(located, text));
            work.session.files.update(key, |known| {
                Some(known_file_after_write(known, target, written.version, view, authored))
            });
        }
        Err(_) => work.session.files.remove(key),
    }
    record_write(work, located, key, bytes, written)
}

/// Returns the known state of a file after it was written.
fn known_file_after_write(
    known: Option<&KnownFile>,
    target: &EditTarget,
    version: FileVersion,
    view: Arc<TextFile>,
    authored: &AuthoredLines,
) -> KnownFile {
    let met = known.filter(|known| known.version.hash == version.hash).cloned();
    let before = || target.update_known_file(known);
    match (met, authored) {
        // Another call has already read the written file.
        (Some(met), AuthoredLines::All) => met.with_all_lines_written(),
        (Some(mut met), AuthoredLines::Runs(AuthoredRuns { runs, parts })) => {
            met.mark_written_lines(runs, parts);
            met
        }
        (Some(met), AuthoredLines::Nothing) => met,
        (None, AuthoredLines::All) => {
            before().with_model_write(version, view, &[], &[]).with_all_lines_written()
        }
        (None, AuthoredLines::Runs(AuthoredRuns { runs, parts })) => {
            before().with_model_write(version, view, runs, parts)
        }
        (None, AuthoredLines::Nothing) => {
            let before = before();
            KnownFile::with_predecessor(Some(&before), version, view, before.question.as_deref())
        }
    }
}

/// Records a write with the previous content of the file, and returns the change with its undo
/// handle.
pub(super) fn record_write(
    work: &CallContext<'_>,
    located: &ResolvedPath,
    key: &PathKey,
    bytes: &[u8],
    written: &WriteOutcome,
) -> FileChange {
    let undo = keep_undo_content(work, key, written.before.as_deref(), Some(bytes));
    work.session.reads.remove_file(key);
    work.toolbox.index.queue_file(&located.absolute_path());
    FileChange {
        path: located.display_path().to_owned(),
        kind: if written.before.is_some() { FileChangeKind::Written } else { FileChangeKind::New },
        undo,
        notes: written.notes.clone(),
        destination: destination_after_move(work, located),
        changed_spans: Vec::new(),
    }
}

/// Returns the absolute path of a file that the call names by a relative path, if a command has
/// left the folder in which the session began.
pub(super) fn destination_after_move(
    work: &CallContext<'_>,
    located: &ResolvedPath,
) -> Option<String> {
    let is_moved = work.roots().working_directory() != work.toolbox.roots.working_directory();
    let is_relative = Path::new(located.display_path()).is_relative();
    (is_moved && is_relative).then(|| path_for_display(&located.absolute_path()).into_owned())
}

/// Journals a write and stores the previous content of the file; `None` for a content means that
/// there is no file.
pub(super) fn keep_undo_content(
    work: &CallContext<'_>,
    key: &PathKey,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<UndoPoint, UndoUnavailable> {
    let session = work.session;
    let stored = session.recorder.record_write(key.as_str(), before, after);
    let stored = stored.map_err(|_| UndoUnavailable::Store)?;
    let Some((ContentReceipt { handle, secrets }, before)) = stored.zip(before) else {
        return Ok(UndoPoint { handle: *NO_FILE_HANDLE, kind: UndoStorage::NoFile });
    };
    session.undo.record_full_view(handle);
    let kind = match secrets {
        0 => UndoStorage::Stored,
        _ if session.undo.put(handle, before) => UndoStorage::InMemory,
        _ => return Err(UndoUnavailable::Secrets),
    };
    Ok(UndoPoint { handle, kind })
}
